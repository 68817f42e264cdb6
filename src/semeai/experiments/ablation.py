"""Ablation: the default player with one part changed plays against the default player."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from semeai.experiments.matches import Pairing, Playing, play_all, rate_and_interval
from semeai.games.catalog import game_named
from semeai.match.settings import MatchSettings
from semeai.match.tally import Tally
from semeai.table import ResultTable

SIMULATIONS = (500,)
OPENING_MOVES = 2

SEARCH_CHANGES = (
    ("no RAVE", "search.rave=off"),
    ("hand-picked RAVE schedule", "search.rave=hand_picked"),
    ("progressive widening, K = 8", "search.widening=8"),
    ("progressive widening, K = 4", "search.widening=4"),
    ("progressive bias, c = 0.1", "search.bias_decay=0.1"),
    ("expansion threshold 4", "search.expansion_threshold=4"),
    ("expansion threshold 16", "search.expansion_threshold=16"),
    ("exploration 0.1", "search.exploration=0.1"),
    ("no tree reuse", "reuse_tree=false"),
)
"""Changes for any game: description and settings."""

NO_PRIORS = (
    ("no priors, every move tried first", "policy.prior_even=0"),
    ("no priors, first-play urgency 0.5", "policy.prior_even=0,search.first_play_urgency=0.5"),
)
"""The same for games whose priors are those of ``policy.prior_even`` alone."""

GAMES = 400


@dataclass(frozen=True)
class Ablation:
    game: str
    base: str
    """Settings of all players, without their simulations."""
    changes: tuple[tuple[str, str], ...]
    """Pairs of description and change; a change is a preset or settings."""
    sizes: tuple[int, ...]

    def run(
        self, size: Sequence[int] = (), simulations: Sequence[int] = SIMULATIONS, **playing: Unpack[Playing]
    ) -> list[ResultTable]:
        """Play all matches. Returns one table per board size and budget."""
        tables = []
        for s in size or self.sizes:
            for n in simulations:
                settings = MatchSettings(game=self.game, size=s, opening_moves=OPENING_MOVES, scoring="area")
                pairings = [
                    Pairing(label, self.player(change, n), self.player("default", n), settings)
                    for label, change in self.changes
                ]
                tables.append(self._table(s, n, play_all(pairings, GAMES, **playing)))
        return tables

    def player(self, change: str, simulations: int) -> str:
        base = f"{self.base},simulations={simulations}"
        return f"mcts:default,{base},{change}" if "=" in change else f"mcts:{change},{base}"

    def _table(self, size: int, simulations: int, tallies: Sequence[Tally]) -> ResultTable:
        game = game_named(self.game)
        rows = tuple(
            (label, f"`{change}`", rate_and_interval(tally), _relative_speed(tally), tally.n_games)
            for (label, change), tally in zip(self.changes, tallies, strict=True)
        )
        komi = f"Komi {game.default_komi:g}, pairs" if game.has_komi else "Pairs"
        return ResultTable(
            f"{game.board_name(size)} {self.game.capitalize()}, {simulations:,} simulations per move: the default "
            "player changed, against the default player",
            ("change", "setting", "win rate, 95% Wilson", "relative speed", "games"),
            rows,
            f"Below 50%: the default is better. {komi} with colours swapped from {OPENING_MOVES} random moves. Equal "
            "simulations, so compare the speed as well: a slower part costs time.",
        )


def _relative_speed(tally: Tally) -> float:
    """Simulations per CPU second, relative to the default player's in the same games."""
    (changed, default), (cpu, default_cpu) = tally.simulations, tally.cpu
    return changed / max(cpu, 1e-9) * default_cpu / max(default, 1)


GO = Ablation(
    "go",
    "resign_below=0.05,memory_mb=100",
    (
        *SEARCH_CHANGES,
        *((label, f"model=none,{change}") for label, change in NO_PRIORS),
        ("simple features instead of the move model", "model=none"),
        ("a database of patterns and simple features instead of the move model", "database=own"),
        ("half the visits of the move model", "policy.model_visits=40"),
        ("twice the visits of the move model", "policy.model_visits=160"),
        ("five visits that say nothing instead of ten", "policy.model_even=5"),
        ("moves get visits in proportion to their probability", "policy.model_exponent=1"),
        ("moves get visits in proportion to its fourth root", "policy.model_exponent=0.25"),
        ("nothing of the move model in choices without RAVE", "policy.model_heuristic=0"),
        ("the move model in a move's own results too", "search.heuristic_visits=5"),
        ("the opening book", "book=true"),
        ("expansion threshold 1", "search.expansion_threshold=1"),
        ("RAVE in every choice", "search.plain_every=0"),
        ("RAVE that counts late moves in full", "search.rave_fade=0"),
        ("light playouts", "policy.playout=light"),
        ("playouts without capture and save", "policy.capture=0,policy.save=0"),
        ("playouts without shapes", "policy.shape=0"),
        ("playouts without nakade", "policy.nakade=0"),
        ("playouts without the rule of two liberties", "policy.two_liberties=0"),
        ("playouts that always ask the rule of two liberties", "policy.two_liberties=1"),
        ("playouts that look for captures only beside the last move", "policy.capture_anywhere=0"),
        ("playouts that allow self-atari", "policy.refuse_self_atari=0"),
        ("Algorithm 1 alone (preset uct)", "uct"),
        ("bare RAVE (preset rave)", "rave"),
    ),
    sizes=(9,),
)

HAVANNAH = Ablation(
    "havannah",
    "memory_mb=100",
    (
        *SEARCH_CHANGES,
        *((label, f"model=none,{change}") for label, change in NO_PRIORS),
        ("simple features instead of the move model", "model=none"),
        ("simple features and connection priors", "model=none,policy.prior_join=4,policy.prior_virtual=6"),
        ("half the visits of the move model", "policy.model_visits=75"),
        ("twice the visits of the move model", "policy.model_visits=300"),
        ("twice the visits that say nothing", "policy.model_even=20"),
        ("moves get visits in proportion to the root of their probability", "policy.model_exponent=0.5"),
        ("expansion threshold 1", "search.expansion_threshold=1"),
        ("every 16th choice without RAVE", "search.plain_every=16"),
        ("fast playouts", "policy.playout=fast"),
        ("playouts that do not see wins", "policy.win=0"),
        ("playouts that stop wins", "policy.block=1"),
        ("playouts without bridge replies", "policy.bridge_reply=0"),
        ("playouts without last good replies", "policy.last_good_reply=0"),
        ("no decisive moves in the tree", "policy.decisive=false"),
        ("no anti-decisive moves in the tree", "policy.anti_decisive=false"),
        ("no proofs from the ends of games", "search.proof_backup=false"),
        ("RAVE that fades equally in all nodes", "search.rave_per_move=0"),
        ("Algorithm 1 alone (preset uct)", "uct"),
        ("RAVE and fast playouts alone (preset fast)", "fast"),
        ("RAVE and slow playouts alone (preset slow)", "slow"),
    ),
    sizes=(5,),
)
