"""The clock never lets a player lose on time, and uses the time it has."""

import math
import random

import pytest

from semeai.errors import ConfigError
from semeai.players.clock import LAG, Clock, TimeSettings, TimeSystem, expected_moves_left

SETTINGS = {
    "sudden death, 10 s": TimeSettings.from_gtp(10, 0, 0),
    "sudden death, 5 min": TimeSettings.from_gtp(300, 0, 0),
    "sudden death, 1 h": TimeSettings.from_gtp(3600, 0, 25),
    "canadian, no main time": TimeSettings.from_gtp(0, 60, 25),
    "canadian, one stone": TimeSettings.from_gtp(0, 5, 1),
    "canadian, 1 min + 30 s for 10": TimeSettings.from_kgs("canadian", 60, 30, 10),
    "canadian, short": TimeSettings.from_kgs("canadian", 3, 10, 5),
    "byo-yomi, 1 min + 5 x 10 s": TimeSettings.from_kgs("byoyomi", 60, 10, 5),
    "byo-yomi, no main time": TimeSettings.from_kgs("byoyomi", 0, 3, 1),
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("told", [True, False], ids=["time_left is sent", "time_left is not sent"])
@pytest.mark.parametrize("size", [9, 19])
def test_never_loses_on_time(settings, told, size):
    """The server counts the exact time, and tells it in whole seconds rounded down; moves stop late, and travel."""
    if size == 19 and settings.system is TimeSystem.ABSOLUTE and settings.main < 30:
        settings = TimeSettings.from_gtp(30, 0, 0)
    randomness = random.Random(size)
    server, ours = Clock(settings), Clock(settings)
    played = 0
    while played < 1.25 * size * size:  # longer than a game
        if told:
            left, stones = server.left(0)
            ours.set_left(0, math.floor(left), stones)
        seconds = ours.seconds(0, expected_moves_left(size * size, played))
        assert seconds >= 0
        late = randomness.uniform(0, 0.02 + 0.02 * seconds)
        travel = randomness.uniform(0, 0.01)
        ours.spend(0, seconds + late + LAG)  # what it cannot see, it guesses
        assert server.spend(0, seconds + late + travel), (played, seconds, server.left(0))
        played += 2


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_uses_the_time(settings):
    """In forty moves on 9x9, most of the main time is used, or about what the overtime gives."""
    clock, used = Clock(settings), 0.0
    for played in range(0, 80, 2):
        seconds = clock.seconds(0, expected_moves_left(81, played))
        used += seconds
        clock.spend(0, seconds)
    each = settings.period if settings.system is TimeSystem.BYO_YOMI else settings.period / max(1, settings.stones)
    assert used > 0.7 * settings.main
    assert used > 0.5 * 40 * each


def test_no_limit():
    for settings in (TimeSettings(), TimeSettings.from_gtp(0, 1, 0), TimeSettings.from_kgs("none")):
        clock = Clock(settings)
        assert clock.seconds(0, 10) is None
        assert clock.spend(0, 1e9)
    assert Clock(TimeSettings.from_gtp(0, 0, 0)).seconds(1, 10) is None


def test_players_have_their_own_clocks():
    clock = Clock(TimeSettings.from_gtp(100, 0, 0))
    clock.spend(0, 60)
    assert clock.left(0) == (40, 0)
    assert clock.left(1) == (100, 0)
    assert clock.seconds(0, 10) < clock.seconds(1, 10)


def test_overtime_begins_in_the_middle_of_a_move():
    clock = Clock(TimeSettings.from_kgs("canadian", 10, 30, 3))
    assert clock.spend(0, 12)
    assert clock.left(0) == (28, 2)
    assert clock.spend(0, 10)
    assert clock.left(0) == (18, 1)
    assert clock.spend(0, 10)
    assert clock.left(0) == (30, 3)  # a new period
    assert not clock.spend(0, 31)


def test_periods_are_lost_one_by_one():
    clock = Clock(TimeSettings.from_kgs("byoyomi", 10, 5, 3))
    assert clock.spend(0, 10)
    assert clock.left(0) == (5, 3)
    assert clock.spend(0, 4)
    assert clock.left(0) == (5, 3)
    assert clock.spend(0, 6)
    assert clock.left(0) == (5, 2)
    assert not clock.spend(0, 11)


def test_nothing_left_is_still_a_move():
    clock = Clock(TimeSettings.from_gtp(300, 0, 0))
    for seconds, stones in ((0, 0), (1, 0), (0, 5), (1, 25)):
        clock.set_left(0, seconds, stones)
        assert 0 <= clock.seconds(0, 20) <= 0.1


def test_kgs_systems_are_checked():
    for arguments in (("hourglass", 1), ("absolute",), ("byoyomi", 1, 2), ("none", 1), ("canadian", 1, 2, 3, 4)):
        with pytest.raises(ConfigError, match="KGS"):
            TimeSettings.from_kgs(*arguments)
    assert TimeSettings.from_kgs("canadian", 60, 0, 0).system is TimeSystem.ABSOLUTE
