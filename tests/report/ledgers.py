"""Small ledgers for the tests of pages: a race with known rewards, and a match without searches."""

from pathlib import Path

from semeai import Candidate, Ledger, RaceSettings, RewardCounts, play_match
from semeai.race.race import Race
from semeai.runs.race import KIND, candidate_list, race_identity
from semeai.runs.resume import resume
from semeai.work.jobs import Failure

SETTINGS = RaceSettings(mode="plain", batch=50, growth=0.0, accept_above=0.5, discard_below=0.5)
EVIL = "<script>alert(1)</script>"
RATES = {"better": 0.7, "worse": 0.3, EVIL: 0.5, "fails": 0.5}


class Recorder:
    """A race that is recorded batch by batch, as its driver does."""

    def __init__(self, place: Path, name: str = "race") -> None:
        self.found = [Candidate(key, {"rate": rate}) for key, rate in RATES.items()]
        self.race = Race(SETTINGS, self.found, 1)
        identity = race_identity(1, SETTINGS, {}, None, candidate_list(self.found))
        self.ledger = Ledger(place)
        self.writer = self.ledger.open_run(name, KIND, identity, 1, {"semeai": "test"})
        resume(self.race, self.writer)
        self.writer.set_state("running")

    def record(self, n_batches: int) -> None:
        for _ in range(n_batches):
            batch = self.race.ask()
            if batch is None:
                return
            rate = list(RATES.values())[batch.candidate - 1]
            if self.found[batch.candidate - 1].name == "fails":
                failure = Failure("crash", "it crashed", batch.start, 7, f"Traceback {EVIL}")
                self.writer.record(batch, None, 0.1, self.found, self.race.fail(batch.number), failure)
                continue
            wins = round(rate * batch.size)
            counts = RewardCounts.of(wins=wins, losses=batch.size - wins)
            self.writer.record(batch, counts, 0.1, self.found, self.race.tell(batch.number, counts))
        self.writer.flush()

    def finish(self, state: str = "finished") -> None:
        self.writer.flush()
        self.writer.set_state(state)
        self.writer.close()
        self.ledger.close()


def recorded_race(place: Path, n_batches: int = 60) -> None:
    recorder = Recorder(place)
    recorder.record(n_batches)
    recorder.finish()


def recorded_match(place: Path, name: str = "match", games: int = 4, **settings: object) -> None:
    options = {"game": "go", "size": 4, **settings}
    play_match("random", "random", games, settings=options, ledger=str(place), name=name, executor="inline")
