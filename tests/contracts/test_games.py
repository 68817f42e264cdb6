"""One contract for all games, from kernels to whole matches: the games of the catalog, and one from outside."""

import numpy as np
import pytest

from semeai.errors import ConfigError, IllegalMove
from semeai.games.catalog import GAMES, game_named, new_position
from semeai.games.protocol import MAX_CODES, SCRATCH
from semeai.match.game import play_game
from semeai.match.pair import PairTask
from semeai.match.settings import MatchSettings
from semeai.players.catalog import make_player, parse_spec
from semeai.players.config import PlayerConfig
from semeai.players.mcts import MctsPlayer
from semeai.search.kernels.playouts import run_playouts
from tests import toy_game

SMALL = {"go": (2, 5, 9), "havannah": (2, 4, 6), "toy": (2, 3, 5)}
NAMES = [*GAMES, "toy"]
WITH_SWAP = [game for game in GAMES if game_named(game).has_swap]
CASES = [
    (game, size, swap) for game in NAMES for size in SMALL[game] for swap in (False, True)[: 1 + (game in WITH_SWAP)]
]


@pytest.fixture(autouse=True, scope="module")
def toy():
    with toy_game.registered() as game:
        yield game


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}{'-swap' * case[2]}")
def start(request):
    game, size, swap = request.param
    return new_position(game, size, swap=swap)


def random_game(position, seed, most=400):
    """Plays to the end; swaps and passes too, where they are legal."""
    draw = np.random.default_rng(seed)
    while not position.is_over and len(position.moves) < most:
        position.play(int(draw.choice(position.legal_moves())))
        yield position


def facts(position):
    return (
        position.draw(), position.to_move, position.is_over, position.reward(), position.result(),
        position.legal_moves().tolist(), list(position.moves), position.start_key,
        *(position.states[name].tobytes() for name in position.states.dtype.names),
    )  # fmt: skip


def test_undo_restores_everything(start):
    history = [facts(start)]
    for position in random_game(start, 1):
        history.append(facts(position))
    while start.moves:
        assert facts(start) == history.pop()
        start.undo()
    assert facts(start) == history.pop()
    with pytest.raises(IllegalMove):
        start.undo()


def test_a_copy_is_independent(start):
    for position in random_game(start, 2, most=10):
        before, other = facts(position), position.copy()
        assert facts(other) == before
        if not other.is_over:
            other.play(int(other.legal_moves()[0]))
        other.undo()
        if other.moves:
            other.undo()
        assert facts(position) == before


@pytest.mark.slow
def test_an_illegal_move_leaves_the_position(start):
    for position in random_game(start, 3, most=60):
        before = facts(position)
        legal = set(position.legal_moves().tolist())
        for move in [-1, MAX_CODES - 1, MAX_CODES, 10**9, *range(0, MAX_CODES, 7)]:
            if move in legal or (position.is_over and position.game == "go"):  # Go may go on after two passes
                continue
            with pytest.raises(IllegalMove):
                position.play(move)
            assert facts(position) == before


def test_moves_are_texts_and_back(start):
    game = game_named(start.game)
    for coordinates in game.coordinates:
        game.name_points(start, coordinates)
        moves = start.legal_moves().tolist()
        texts = [start.move_to_text(move) for move in moves]
        assert len(set(texts)) == len(moves)
        assert [start.text_to_move(text) for text in texts] == moves
        assert [start.text_to_move(f" {text.upper()} ") for text in texts] == moves
        for word in ("", "?", "a0", "z99", "a1a", "1a", "é1", "a" * 1000, "a99999999999999999999"):
            with pytest.raises(IllegalMove):
                start.text_to_move(word)


def test_the_search_lists_legal_moves_and_all_sensible_ones(start):
    """By preset uct, which leaves nothing out on purpose."""
    plain = PlayerConfig.from_preset("uct", start.game).with_changes({"simulations": 1, "memory_mb": 1})
    player = MctsPlayer(plain)
    for position in random_game(start, 4, most=40):
        player.set_position(position)
        if position.is_over:
            assert player.think(5) == 0
            with pytest.raises(IllegalMove, match="over"):
                player.choose()
            continue
        player.think(1)
        listed = {report.move for report in player.report()}
        assert listed <= set(position.legal_moves().tolist())
        assert set(position.sensible_moves().tolist()) <= listed


def test_playouts_end_and_their_moves_are_legal(start):
    states = np.concatenate([start.states] * 2)
    for preset in game_named(start.game).presets:
        policy = PlayerConfig.from_preset(preset, start.game).policy.to_record()
        scratch, results = np.zeros(1, SCRATCH), np.zeros(2, np.int64)
        for seed in range(1, 21):
            scratch[0]["rng"] = 88172645463325252 * seed
            gained = run_playouts(states, policy, scratch, 1, results)
            position = start.copy()
            for move, by in zip(scratch[0]["played"][: results[0]], scratch[0]["played_by"], strict=False):
                assert by in (0, position.to_move + 1)  # 0: a move that says nothing about itself, like a pass
                try:
                    position.play(int(move))
                except IllegalMove as error:  # kernels know the simple ko alone
                    if "superko" not in str(error):
                        raise
                    break
            else:
                assert position.is_over or start.game == "go"  # which stops where only eyes are left
                assert position.reward() == gained
        total = [run_playouts(states, policy, scratch, 50, results) for _ in range(2)]
        assert 0 <= min(total) <= max(total) <= 50


def test_the_search_proposes_legal_moves_and_the_same_for_the_same_seed(start):
    config = PlayerConfig(game=start.game, simulations=30, memory_mb=1)
    games = []
    for _ in range(2):
        player = MctsPlayer(config)
        player.start(start, 5)
        for _ in range(12):
            if player.position.is_over:
                break
            choice = player.choose()
            assert choice.move in player.position.legal_moves()
            player.observe(choice.move)
        games.append(player.position.moves)
    assert games[0] == games[1]


def test_a_match_of_random_and_mcts_completes_and_its_records_replay(start):
    game = game_named(start.game)
    swap = getattr(start, "swap", False)
    settings = MatchSettings(game=start.game, size=start.size, swap=swap, opening_moves=1 if start.size > 2 else 0)
    a, b = (parse_spec(words, game=start.game) for words in ("mcts:simulations=20,memory_mb=1", "random"))
    first, again = (PairTask(a, b, settings, 7, 0).run() for _ in range(2))
    assert [played.sgf for played in first.games] == [played.sgf for played in again.games]
    for played in first.games:
        record = game.read_record(played.sgf.encode(), "here")
        position = game.replay(record)
        assert len(position.moves) == played.n_moves
        assert record.result == played.result
        names = {"black": record.black, "white": record.white}
        assert names[game.colours[0 if played.a_is_first else 1]] == a.label
        assert played.reason in (*game.endings, "move limit")
        assert game.write_record(record) == played.sgf
        half = game.replay(record, played.n_moves // 2)
        assert half.moves == position.moves[: played.n_moves // 2]


@pytest.mark.parametrize("game", NAMES)
def test_settings_that_the_game_does_not_have(game):
    rules = game_named(game)
    for size in (0, -1, rules.sizes.stop, 10**9):
        with pytest.raises(ConfigError, match=f"{game} is played on sizes"):
            new_position(game, size)
    if not rules.has_komi:
        with pytest.raises(ConfigError, match="has no komi"):
            new_position(game, komi=7.5)
    if not rules.has_swap:
        with pytest.raises(ConfigError, match="has no swap rule"):
            new_position(game, swap=True)
    with pytest.raises(ConfigError, match="has no coordinates 'braille'"):
        rules.name_points(new_position(game), "braille")


@pytest.mark.parametrize("game", NAMES)
@pytest.mark.parametrize("data", [b"", b"(;", b"no game", bytes(range(256)), b"(;SZ[0])", b"(;SZ[5];B[zz];W[zz])"])
def test_broken_records_are_refused_in_one_sentence(game, data):
    with pytest.raises((ConfigError, IllegalMove), match=r"^game\.sgf"):
        game_named(game).replay(game_named(game).read_record(data, "game.sgf"))


@pytest.mark.parametrize("game", NAMES)
def test_a_player_of_another_game_is_refused(game):
    other = next(name for name in NAMES if name != game)
    player = make_player("mcts:simulations=5,memory_mb=1", game=other)
    with pytest.raises(ConfigError, match=f"plays {other}, and this is a game of {game}"):
        play_game((player, make_player("random")), MatchSettings(game=game), 1)
    with pytest.raises(ConfigError, match=f"plays '{other}', and this is a game of {game}"):
        parse_spec({"player": "mcts", "game": other}, game=game)
    assert parse_spec({"player": "mcts", "game": other}).identity()["game"] == other


@pytest.mark.parametrize("game", NAMES)
def test_the_bare_player_is_a_player_of_the_game(game):
    assert parse_spec(game_named(game).bare_player, game=game).identity()["game"] == game
