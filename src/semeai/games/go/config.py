"""Go's part of a player's configuration: how its playouts play, and what a new node believes."""

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, field_validator, model_validator

from semeai.games.go.database import OWN_DATABASE, database_of, setting_of
from semeai.games.go.kernels.patterns import compile_patterns
from semeai.games.go.kernels.policy import GO_POLICY, GO_RACING_POLICY
from semeai.games.go.model import FEATURES, OWN_MODEL, compile_model
from semeai.games.learnt import NONE, OWN, checked_setting
from semeai.games.move_model import Factor, Features, ModelPolicy, Visits
from semeai.rng_kernels import CERTAIN

Probability = Annotated[float, Field(ge=0, le=1)]

_PROBABILITIES = (
    "capture", "save", "nakade", "two_liberties", "shape", "shape_before", "capture_anywhere", "refuse_self_atari",
)  # fmt: skip


class GoPolicy(ModelPolicy):
    """Probabilities of the playout's policy, and virtual visits for each feature of a move."""

    features: ClassVar[Features] = FEATURES

    playout: Literal["light", "mogo"] = "mogo"
    capture: Probability = 1.0
    """Capture the chain that was just played, if it is in atari."""
    save: Probability = 0.95
    """Save a chain that the last move put in atari."""
    nakade: Probability = 0.4
    """Take the middle of a small region that the last move closed, or make two eyes of one that it entered."""
    two_liberties: Probability = 0.55
    """Attack the chain just played, and strengthen its neighbours, where two liberties are left."""
    shape: Probability = 1.0
    """Play a 3x3 shape beside the last move."""
    shape_before: Probability = 0.0
    """Play a 3x3 shape beside the last move but one."""
    capture_anywhere: Probability = 0.5
    """Look at a few random points for a capture."""
    refuse_self_atari: Probability = 1.0
    """Refuse a random move that puts a chain of ``self_atari_stones`` or more in atari."""
    self_atari_stones: Annotated[int, Field(ge=1, le=625)] = 2

    race_playouts: Probability = 0.0
    """Follow the solver of capturing races (semeai): fill where it is necessary, refuse what loses a won race."""
    semeai_conditioning: Annotated[int, Field(ge=0, le=1000)] = 0
    """Replay a playout that ends a solved race the wrong way, at most so often; not with leaf parallelization."""
    semeai_expertise: Visits = 0.0
    """Virtual visits, all won, of the moves that win a capturing race which is lost after a pass."""
    race_nodes: Annotated[int, Field(ge=1, le=1000000)] = 500
    """Positions that the solver of races reads per question, during a search."""

    prior_even: Visits = 10.0
    """Visits that say nothing; 0 switches off all ``prior_`` settings. With a move model only ``prior_pass`` acts,
    whatever this is."""
    prior_capture: Visits = 9.4
    prior_capture_stone: Visits = 4.0
    prior_save: Visits = 5.5
    prior_save_stone: Visits = 5.8
    prior_atari: Visits = 6.4
    prior_shape: Visits = 6.4
    prior_near_1: Visits = 2.7
    prior_near_2: Visits = 3.0
    prior_near_3: Visits = 1.0
    prior_answer: Visits = 6.0
    """What the playout's rules would answer to the last move."""
    prior_tenuki: Visits = 1.6
    """Against all other moves, where the playout has an answer."""
    prior_self_atari: Visits = 5.5
    prior_edge: Visits = 18.0
    prior_second_line: Visits = 3.2
    prior_third_line: Visits = 20.0
    prior_fourth_line: Visits = 5.0
    prior_corner: Visits = 30.0
    prior_centre: Visits = 10.0
    prior_pass: Visits = 10.0
    skip_empty_edges: bool = True
    """Leave out points on the first two lines that have no stone within two steps, on boards of 7 lines and more."""
    pass_in_tree: bool = True

    database: str = ""
    """A database of patterns, the papers' AE: the digest of what it holds and where it lies. ``database=FILE`` reads a
    file that ``semeai learn --patterns-only`` wrote, and ``database=own`` takes the one that comes with semeai. Both
    replace the move model; ``database=none`` leaves out both."""
    database_visits: Visits = 20.0
    """Virtual visits, all won, that the move the database likes best gets in the RAVE statistics; others get fewer."""
    database_heuristic: Annotated[float, Field(ge=0, le=1e6)] = 0.2
    """What that move gets in H, for choices without RAVE, progressive bias and progressive widening."""
    database_exponent: Annotated[float, Field(gt=0, le=10)] = 0.5
    """A move gets this power of its strength beside the best one's, of both: below 1 the others get more."""

    model: str = OWN_MODEL
    model_shapes: Factor = 1.0
    """What the weights of the model's shapes are multiplied with; 0 leaves them out. The same below."""
    model_tactics: Factor = 1.0
    """Captures, ataris, liberties, self-atari, ko."""
    model_last_move: Factor = 1.0
    """Distance from the last move."""
    model_last_but_one: Factor = 1.0
    """Distance from the move before it."""
    model_lines: Factor = 1.0
    """Lines from the edge, and places of an empty board."""
    model_regions: Factor = 1.0
    """Empty regions, and stones around."""
    model_answers: Factor = 1.0
    """What the playout would answer."""

    @staticmethod
    def database_setting(name: str, folder: Path) -> str:
        """Return the setting ``database`` for ``own``, for ``none``, or for the file ``name`` in ``folder``."""
        if name in (OWN, NONE):
            return OWN_DATABASE if name == OWN else ""
        return setting_of(folder / name, name)

    @field_validator("database")
    @classmethod
    def _names_a_database(cls, setting: str) -> str:
        return checked_setting(setting, "database", OWN_DATABASE)

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if self.database and self.model:
            raise ValueError("a player has a move model or a database, not both: write model=none or database=none")
        return self

    def to_record(self) -> NDArray[Any]:
        """Convert to the record that kernels read."""
        racing = self.race_playouts + self.semeai_conditioning + self.semeai_expertise > 0
        record = np.zeros(1, GO_RACING_POLICY if racing else GO_POLICY)
        row = record[0]
        row["mogo"] = self.playout == "mogo"
        for name in _PROBABILITIES:
            row[name] = round(getattr(self, name) * CERTAIN)
        row["self_atari_stones"] = self.self_atari_stones
        if racing:
            row["race_playouts"] = round(self.race_playouts * CERTAIN)
            for name in ("semeai_conditioning", "semeai_expertise", "race_nodes"):
                row[name] = getattr(self, name)
        row["skip_empty_edges"] = self.skip_empty_edges
        row["pass_in_tree"] = self.pass_in_tree
        row["prior_near"] = (0.0, self.prior_near_1, self.prior_near_2, self.prior_near_3)
        for name in (n for n in GO_POLICY.names or () if n.startswith("prior_") and n != "prior_near"):
            row[name] = getattr(self, name)
        compile_patterns(row["patterns"], self.parsed_patterns(), self.pattern_visits, self.pattern_heuristic)
        if self.database:
            database = database_of(self.database)
            database.compile(row["database"], self.database_visits, self.database_heuristic, self.database_exponent)
        if self.model:
            compile_model(self.scaled_model(), row)
            self.write_model(row["model"])
        return record
