import pytest

from semeai.match.pair import PlayedGame
from semeai.match.tally import Tally


def game(number: int, reward: float, reason: str = "score") -> PlayedGame:
    return PlayedGame(number, 1, reward, reason, "B+1.5", 10 + number, 1.0, 2.0, 100, 200, "", "", "(;)")


def pair(number: int, as_first: float, as_second: float) -> tuple[PlayedGame, PlayedGame]:
    return game(2 * number, as_first), game(2 * number + 1, as_second, "resign")


def test_pairs_are_counted():
    tally = Tally.of([pair(0, 1, 1), pair(1, 1, 0), pair(2, 0.5, 0)])
    assert (tally.n_games, tally.n_pairs) == (6, 3)
    assert tally.total == 3.5
    assert tally.win_rate == pytest.approx(3.5 / 6)
    assert tally.levels == {1000: 1, 500: 1, 250: 1}
    assert (tally.as_first[1.0], tally.as_second[1.0], tally.draws) == (2, 1, 1)
    assert tally.reasons == {"score": 3, "resign": 3}
    assert (tally.cpu, tally.simulations) == ((6.0, 12.0), (600, 1200))
    assert tally.n_moves == 75
    assert not tally.is_decided


def test_a_pair_is_one_observation():
    """Pairs that split say more for equality than as many games, one player winning each, would."""
    split = Tally.of(pair(i, 1, 0) for i in range(100))
    streaks = Tally.of(pair(i, i % 2, i % 2) for i in range(100))
    assert split.win_rate == streaks.win_rate == 0.5
    width = [tally.interval.upper - tally.interval.lower for tally in (split, streaks)]
    assert width[0] < width[1] / 1.5


@pytest.mark.parametrize(("won", "decided"), [((1, 1), True), ((0, 0), True), ((1, 0), False)])
def test_decided(won, decided):
    assert Tally.of(pair(i, *won) for i in range(20)).is_decided is decided


def test_no_games():
    tally = Tally()
    assert tally.plain_interval is None
    assert tally.interval == (0, 1)
    assert not tally.is_decided
