import math
from types import SimpleNamespace

import pytest
from rich.console import Console

from semeai import Bounds, Candidate, Race, RaceSettings, RewardCounts
from semeai.cli import suite_display, tournament_display
from semeai.cli.display import duration, evaluations_left
from semeai.cli.race_status import interval_bar, standings_table


@pytest.mark.parametrize(
    ("mean", "interval", "drawn"),
    [
        (0.5, (0.45, 0.55), "·····├────●────┤·····"),
        (0.5, (0.0, 1.0), "◂─────────●─────────▸"),
        (0.56, (0.53, 0.58), "··········│··├──●─┤··"),
        (0.9, (0.8, 1.0), "··········│·········▸"),
        (math.nan, (0.0, 1.0), "··········│··········"),
    ],
)
def test_bars(mean, interval, drawn):
    assert interval_bar(mean, Bounds(*interval), 0.5, 0.5, 0.1, 21) == drawn


def test_many_candidates_fit_on_a_screen():
    race = Race(RaceSettings(), [Candidate(f"c{i}") for i in range(1000)])
    batch = race.ask()
    race.tell(batch.number, RewardCounts.of(wins=batch.size))
    console = Console(width=80, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(standings_table(race, 10, 80))
    lines = console.export_text().splitlines()
    console.file.close()
    assert len(lines) == 12
    assert "c0" in lines[1]
    assert "and 990 more" in lines[-1]


def test_what_is_left_is_a_forecast():
    race = Race(RaceSettings(), [Candidate("c")])
    assert evaluations_left(race) == math.inf
    batch = race.ask()
    race.tell(batch.number, RewardCounts.of(wins=batch.size * 3 // 4, losses=batch.size - batch.size * 3 // 4))
    assert 0 < evaluations_left(race) < 200


@pytest.mark.parametrize(
    ("seconds", "text"), [(5, "5 s"), (300, "5 min"), (7200, "2.0 h"), (200_000, "2.3 days")]
)  # fmt: skip
def test_durations(seconds, text):
    assert duration(seconds) == text


def test_the_lines_of_suite_and_tournament_say_how_many_workers_there_are():
    pool = SimpleNamespace(state="3 workers on slurm", n_lost=1)
    suite = SimpleNamespace(answers=[], tasks=range(5), rate=0.0, pool=pool)
    assert suite_display.status_line(suite).endswith("0 solved, 3 workers on slurm, 1 job run again after lost workers")
    tally = SimpleNamespace(n_games=2)
    games = SimpleNamespace(tally=tally, n_pairs=5, n_resumed=0, rate=1.0, pool=pool)
    assert tournament_display.status_line(games) == (
        "2 of 10 games, 3,600 games per hour, about 8 s left, 3 workers on slurm, 1 job run again after lost workers"
    )
