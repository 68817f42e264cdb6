"""Proposals: no repetitions, the same proposals from the same history, and each of the kind asked for."""

import itertools
import json
from types import SimpleNamespace

import numpy as np
import pytest

from semeai.errors import ConfigError
from semeai.evolve.change import NumberChange, PatternChange, PatternSetChange, change_from_data, change_to_data
from semeai.evolve.config import checked_evolution
from semeai.evolve.context import Context, config_of, value_of
from semeai.evolve.proposal import Proposal
from semeai.evolve.proposers.base import Mixture
from semeai.evolve.proposers.crossover import Crossover
from semeai.evolve.proposers.features import FeatureGroups, FeaturesSource
from semeai.evolve.proposers.fitted import Fitted, can_be_played
from semeai.evolve.proposers.grown import Grown
from semeai.evolve.proposers.guided import Guided, overlap, z_score
from semeai.evolve.proposers.mutate import Mutation
from semeai.evolve.proposers.number import Numbers, Range
from semeai.evolve.proposers.random import RandomPatterns
from semeai.evolve.sample import sample_positions
from semeai.games.go.model import FEATURES
from semeai.patterns.pattern import Pattern
from semeai.rng import derive, generator
from semeai.work.executors import EXECUTORS
from semeai.work.pool import ResilientPool
from semeai.work.spread import Spread

PLAYER = {"player": "mcts:rave", "simulations": 20}
CONTACT, HANE = PatternChange(Pattern.parse("+1 O*")), PatternChange(Pattern.parse("+1 XOX/.*."))
RANGES = {
    "search.exploration": Range(0, 1),
    "policy.self_atari_stones": Range(1, 8),
    "search.rave_bias": Range(1e-4, 1e-1, log=True),
}


@pytest.fixture(scope="module")
def sample():
    return sample_positions(config_of(PLAYER, "go"), size=5, n=20, seed=3, simulations=20)


def evolve(proposer, context, n, accept_every=5, seed=1):
    """The loop without races: every so often one is accepted."""
    for i in range(n):
        change = proposer.propose(context, generator(seed, "proposal", i))
        if change is None:
            return
        yield change, context
        context = context.after(change, accepted=i % accept_every == accept_every - 1)


def mixture():
    return Mixture([(RandomPatterns(shapes="both"), 2), (Mutation(), 2), (Crossover(), 1), (Numbers(RANGES), 1)])


def test_nothing_is_proposed_twice_and_every_proposal_is_a_player():
    seen, proposers = set(), set()
    for i, (change, context) in enumerate(evolve(mixture(), Context(PLAYER), 300)):
        assert change.key not in seen
        seen.add(change.key)
        proposers.add(change.proposer)
        candidate = Proposal(i, change).candidate(context)
        assert config_of(candidate.params, "go") != context.config
    assert len(seen) == 300
    assert proposers == {"random", "mutate", "crossover", "number"}


def test_the_same_history_gives_the_same_proposals():
    first = [change for change, _ in evolve(mixture(), Context(PLAYER), 60)]
    assert first == [change for change, _ in evolve(mixture(), Context(PLAYER), 60)]
    *_, (_, context) = itertools.islice(evolve(mixture(), Context(PLAYER), 60), 41)
    assert mixture().propose(context, generator(1, "proposal", 40)) == first[40]
    assert first != [change for change, _ in evolve(mixture(), Context(PLAYER), 60, seed=2)]


def test_a_small_space_is_used_up():
    tiny = RandomPatterns(radius=1, least_cells=1, most_cells=1)
    found = [change.pattern.text for change, _ in evolve(tiny, Context(PLAYER), 100, accept_every=1000)]
    assert len(found) == 10  # a side or a corner, five kinds each
    grown = {**PLAYER, "policy.patterns": ["-1 X*"]}
    assert len(list(evolve(tiny, Context(grown), 100, accept_every=1000))) == 9


def test_random_patterns_have_the_asked_form():
    for change, _ in evolve(RandomPatterns(radius=2, shapes="bad", biases=(0.5,)), Context(PLAYER), 50):
        assert change.pattern.bias == -0.5
        assert 2 <= len(change.pattern.cells) <= 3
        assert change.pattern.radius <= 2


def test_what_hardly_ever_matches_is_dropped(sample):
    context = Context(PLAYER, sample=sample)
    drawn = [c.pattern for c, _ in evolve(RandomPatterns(most_cells=6, least_share=0.05), context, 30)]
    assert all(sample.matches(p).mean() >= 0.05 for p in drawn)
    rare = [c.pattern for c, _ in evolve(RandomPatterns(most_cells=6), Context(PLAYER), 30)]
    assert any(sample.matches(p).mean() < 0.05 for p in rare)


def test_mutation_changes_one_cell_and_crossover_mixes_two():
    alone = Context(PLAYER)
    draw = np.random.default_rng(1)
    assert Mutation().propose(alone, draw) is None
    one = alone.after(HANE, accepted=True)
    assert Crossover().propose(one, draw) is None
    for _ in range(30):
        child = Mutation().propose(one, draw).pattern
        differences = [len(set(cells) ^ set(HANE.pattern.cells)) for cells in child.variants]
        assert min(differences) <= 2
    both = one.after(CONTACT, accepted=True)
    for _ in range(10):
        child = Crossover().propose(both, draw)
        kinds = {cell for _, cell in child.pattern.cells}
        assert kinds <= {cell for p in (HANE, CONTACT) for _, cell in p.pattern.cells}


def test_numbers_stay_in_range_and_keep_their_kind():
    for change, context in evolve(Numbers(RANGES), Context(PLAYER), 40):
        limits = RANGES[change.setting]
        assert limits.low <= change.value <= limits.high
        assert isinstance(change.value, int) == (change.setting == "policy.self_atari_stones")
        assert config_of(change.apply(context.baseline, context.config), "go") != context.config
    with pytest.raises(ConfigError, match=r"'search.rave' is not a numeric setting"):
        Numbers({"search.rave": Range(0, 1)}).propose(Context(PLAYER), np.random.default_rng(1))
    with pytest.raises(ConfigError, match="above 0"):
        Range(0, 1, log=True)


def test_a_number_that_changes_nothing_is_not_new():
    """The weights of a move model mean nothing to a player that has none."""
    context = Context({"player": "mcts:default,model=none", "simulations": 20})
    assert not context.is_new(NumberChange("policy.model_tactics", 0.5))
    assert context.is_new(NumberChange("policy.prior_near_1", 0.5))


def test_an_accepted_change_is_part_of_the_baseline():
    context = Context(PLAYER).after(HANE, accepted=True).after(CONTACT, accepted=False)
    context = context.after(NumberChange("search.exploration", 0.1), accepted=True)
    assert context.config.policy.patterns == (HANE.pattern.canonical().text,)
    assert context.config.search.exploration == 0.1
    assert context.first_config == config_of(PLAYER, "go")
    assert not context.is_new(HANE)
    assert not context.is_new(CONTACT)
    assert not context.is_new(NumberChange("search.exploration", 0.1))


def test_hex_patterns_are_proposed_for_havannah():
    player = {"player": "mcts:fast", "simulations": 10}
    for change, context in evolve(RandomPatterns(radius=2), Context(player, "havannah"), 10):
        assert change.pattern.geometry.name == "hex"
        config_of(change.apply(context.baseline, context.config), "havannah")


def test_a_planted_lift_is_found(sample):
    """Where a search prefers just the moves of one pattern, that pattern, or one that matches the same, comes first."""
    planted = Pattern.parse("+1 O*/?.")
    matched = sample.matches(planted)
    gain = np.where(matched, 0.1, -0.02) + 0.01 * np.random.default_rng(0).normal(size=len(matched))
    for shapes, sign in (("good", 1), ("bad", -1)):
        guided = Guided(RandomPatterns(least_cells=1, most_cells=4, shapes=shapes), pool=1000)
        ranking = guided._rank(Context(PLAYER), sample, sign * gain)
        assert overlap(ranking[0].matched, matched) > 0.6
        assert all(scored.z * sign > 0 and scored.pattern.bias == sign for scored in ranking)
        assert all(abs(a.z) >= abs(b.z) for a, b in itertools.pairwise(ranking))


def test_a_planted_large_shape_is_grown_from_a_small_one(sample):
    """Where a search prefers the moves of a shape with more cells than any of the pool, the shape grows towards it."""
    planted = Pattern.parse("+1 O*/?.")
    wanted = sample.matches(planted)
    gain = np.where(wanted, 0.1, -0.02) + 0.01 * np.random.default_rng(0).normal(size=len(wanted))
    pool = RandomPatterns(least_cells=1, most_cells=1)
    parents = Guided(pool, pool=50)._rank(Context(PLAYER), sample, gain)
    grown = Grown(pool, pool=50, parents=2, largest=3)._rank(Context(PLAYER), sample, gain)
    assert grown[0].z > parents[0].z
    assert max(overlap(s.matched, wanted) for s in grown) > max(overlap(s.matched, wanted) for s in parents) + 0.2
    for scored in grown:
        assert 1 < len(scored.pattern.cells) <= 3
        assert (scored.matched == sample.matches(scored.pattern)).all()
        assert scored.z == pytest.approx(z_score(sample.by_position(np.where(scored.matched, gain, 0))))
    noise = np.random.default_rng(1).normal(size=len(wanted))  # what fits by chance is mostly not confirmed
    by_chance = Grown(pool, pool=50, least_z=0, parents=5, largest=20)._rank(Context(PLAYER), sample, noise)
    assert all(len(scored.pattern.cells) < 6 for scored in by_chance)


def test_matching_among_some_points_is_matching_there(sample):
    draw = np.random.default_rng(2)
    for _ in range(30):
        pattern = RandomPatterns(radius=2).pattern(Context(PLAYER).geometry, draw)
        among = draw.random(sample.n_points) < 0.3
        assert (sample.matches(pattern, among) == (sample.matches(pattern) & among)).all()


def test_guided_proposals_are_no_near_duplicates_and_are_scored_anew(sample):
    guided = Guided(pool=300, shallow=20, deep=200, least_z=0.5)
    context = Context(PLAYER, sample=sample)
    before = guided.ranking(context, sample)
    found = [change.pattern for change, _ in evolve(guided, context, 6, accept_every=100)]
    for a, b in itertools.combinations(found, 2):
        assert a.bias * b.bias < 0 or overlap(sample.matches(a), sample.matches(b)) <= guided.most_overlap
    assert found == [c.pattern for c, _ in evolve(Guided(pool=300, shallow=20, deep=200, least_z=0.5), context, 6, 100)]
    after = guided.ranking(context.after(PatternChange(found[0]), accepted=True), sample)
    assert [s.z for s in after] != [s.z for s in before]
    with pytest.raises(ConfigError, match="need a sample"):
        guided.propose(Context(PLAYER), np.random.default_rng(1))


def test_patterns_that_are_searched_with_are_ranked_by_their_effect(sample):
    """A pattern is kept, with one of its weights, if it leads the shallow search to what the deep one prefers."""
    context = Context(PLAYER, sample=sample)
    guided = Guided(
        RandomPatterns(least_cells=1, most_cells=3, biases=(0.01, 3.0)), pool=300, shallow=10, deep=400, least_z=0.5,
        searched=6,
    )  # fmt: skip
    ranking = guided.ranking(context, sample)
    assert ranking, "no pattern helps: the test shows too little"
    assert all(a.z >= b.z >= guided.least_z for a, b in itertools.pairwise([*ranking, ranking[-1]]))
    deep = sample.shares(context.config, 400, 1)
    for scored in ranking:
        grown = PatternChange(scored.pattern).apply(PLAYER, context.config)
        distances = [
            sample.by_position(np.abs(deep - sample.shares(config, 10, derive(1, "effects")))) / 2
            for config in (context.config, config_of(grown, "go"))
        ]
        nearer = distances[0] - distances[1]
        by_game = [nearer[4 * game : 4 * game + 4].sum() for game in range(5)]
        assert scored.z == pytest.approx(z_score(np.array(by_game)))
    assert {abs(scored.pattern.bias) for scored in ranking} <= {0.01, 3.0}


def test_sets_of_patterns_are_fitted_ranked_and_never_proposed_twice(sample):
    """Every set is a player with these patterns; of each size the best strength is proposed."""
    context = Context(PLAYER, sample=sample)

    def make(shapes="both", **settings):
        source = RandomPatterns(most_cells=3, shapes=shapes, biases=(0.5, 1.0))
        return Fitted(source, **{"pool": 200, "shallow": 10, "deep": 200, "sizes": (1, 3), **settings})

    fitted = make()
    ranking = fitted.ranking(context)
    assert all(a.z >= b.z for a, b in itertools.pairwise(ranking))
    found = list(evolve(fitted, context, 10, accept_every=100))
    assert [set(change.patterns) for change, _ in found] == [set(one.patterns) for one in ranking]
    assert sorted(len(change.patterns) for change, _ in found) == [1, 3]
    for change, before in found:
        config = config_of(change.apply(before.baseline, before.config), "go")
        assert set(config.policy.patterns) == {pattern.canonical().text for pattern in change.patterns}
    assert [change for change, _ in found] == [c for c, _ in evolve(make(), context, 10, accept_every=100)]
    for shapes, sign in (("good", 1), ("bad", -1)):
        for change, _ in evolve(make(shapes, sizes=(5, 20)), context, 2):
            assert all(pattern.bias * sign > 0 for pattern in change.patterns)
    few = make(pool=30, sizes=(40,)).ranking(context)  # the pool has fewer: then as many as there are
    assert 1 <= len(few[0].patterns) < 40
    accepted = context.after(found[0][0], accepted=True)
    assert accepted.accepted_patterns == list(found[0][0].patterns)
    taken = {pattern.shape for pattern in found[0][0].patterns}
    assert all(taken.isdisjoint(p.shape for p in one.patterns) for one in fitted.ranking(accepted))
    with pytest.raises(ConfigError, match="fitted proposals need a sample"):
        make().propose(Context(PLAYER), np.random.default_rng(1))


def test_a_set_that_is_too_large_for_the_kernels_is_not_proposed():
    context, draw = Context(PLAYER), np.random.default_rng(1)
    source = RandomPatterns(radius=3, least_cells=12, most_cells=12)
    large = tuple({p.shape: p for p in (source.pattern(context.geometry, draw) for _ in range(400))}.values())
    assert can_be_played(PatternSetChange(large[:20]), context)
    assert not can_be_played(PatternSetChange(large), context)


def test_a_set_is_one_change_in_any_order_and_is_read_again():
    one, two = HANE.pattern, Pattern.parse("-0.25 O*")
    change = PatternSetChange((one, two), "fitted")
    assert change.key == PatternSetChange((two, one.turned(3))).key != HANE.key
    assert str(change) == f"2 patterns: {one.canonical().text}, …"
    again = change_from_data(json.loads(json.dumps(change_to_data(change))), one.geometry)
    assert again.key == change.key
    assert again.proposer == "fitted"
    context = Context(PLAYER).after(CONTACT, accepted=True)
    assert not context.is_new(change), "its second shape is a pattern of the baseline"
    assert context.is_new(PatternSetChange((one,)))


def test_groups_of_a_move_model_are_candidates():
    """A player without a model gets one with some groups; then the weights of single groups are changed."""
    without = {"player": "mcts:default,model=none", "simulations": 10}
    groups = FeatureGroups(FEATURES.own_model)
    first, second = (change for change, _ in evolve(groups, Context(without), 2, accept_every=100))
    assert first.key != second.key
    context = Context(without).after(first, accepted=True)
    factors = {name: getattr(context.config.policy, name) for name in FEATURES.factors}
    assert set(factors.values()) == {0.0, 1.0}
    assert context.config.policy.model == FEATURES.own_model
    for change, before in evolve(groups, context, 10, accept_every=2):
        [(name, value)] = change.settings
        assert value_of(before.config, name) != value
        assert change_from_data(json.loads(json.dumps(change_to_data(change))), before.geometry) == change
    assert str(first) == f"a model of {', '.join(n.removeprefix('model_') for n in factors if factors[n])}"
    with pytest.raises(ConfigError, match="features: a player has a move model or a database, not both"):
        checked_evolution({"proposers": [{"kind": "features"}], "player": "mcts:default,database=own"})
    with pytest.raises(ConfigError, match="players of draughts have no move model"):
        FeaturesSource().make(SimpleNamespace(game="draughts", policy=None), 1)


def test_patterns_may_reach_farther_than_usual():
    config = checked_evolution({"proposers": [{"kind": "random", "radius": 5}], "match": {"size": 9}})
    assert config.reach == 5
    wide = sample_positions(config_of(PLAYER, "go"), size=9, n=2, seed=3, simulations=2, radius=config.reach)
    proposer = config.make_proposer()
    change = proposer.propose(Context(PLAYER, sample=wide), generator(1, "wide"))
    assert change is not None


def test_samples_are_reproducible_positions_to_move_in(sample):
    again = sample_positions(config_of(PLAYER, "go"), size=5, n=20, seed=3, simulations=20)
    assert [p.moves for p in again.positions] == [p.moves for p in sample.positions]
    assert not any(p.is_over for p in sample.positions)
    shares = sample.shares(config_of(PLAYER, "go"), 30, seed=1)
    sums = sample.by_position(shares)
    assert ((sums > 0) & (sums <= 1 + 1e-9)).all()
    assert z_score(np.zeros(5)) == 0


def test_the_halves_of_a_sample_share_no_game(sample):
    assert sample.game_of.tolist() == [game for game in range(5) for _ in range(4)]
    assert sample.half.tolist() == [game % 2 == 0 for game in sample.game_of]
    values = np.arange(20.0)
    assert sample.by_game(values, ~sample.half).tolist() == [4 + 5 + 6 + 7, 12 + 13 + 14 + 15]
    for kind, least in (("fitted", 8), ("grown", 8), ("guided", 1)):
        with pytest.raises(ConfigError, match=f"{kind} proposals need a sample of.* positions: sample is {least - 1}"):
            checked_evolution({"sample": least - 1, "proposers": [{"kind": kind}]})


@pytest.mark.slow
def test_a_sample_and_its_searches_are_the_same_on_workers(sample):
    config = config_of(PLAYER, "go")
    with ResilientPool(EXECUTORS["local"], 2) as pool:
        spread = sample_positions(config, size=5, n=20, seed=3, simulations=20, spread=Spread(pool))
        assert [p.moves for p in spread.positions] == [p.moves for p in sample.positions]
        assert (spread.shares(config, 30, seed=1) == sample.shares(config, 30, seed=1)).all()
        fitted = [Fitted(pool=100, shallow=10, deep=100, sizes=(2, 5)) for _ in range(2)]
        proposals = [
            [change for change, _ in evolve(one, Context(PLAYER, sample=positions), 2)]
            for one, positions in zip(fitted, (sample, spread), strict=True)
        ]
        assert proposals[0] == proposals[1]
