"""Merging settings of two tables, with dotted names or nested tables."""

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semeai.models import flat_settings, merged


@pytest.mark.parametrize(
    ("base", "changes", "expected"),
    [
        ({}, {}, {}),
        ({"a": 1}, {"b": 2}, {"a": 1, "b": 2}),
        ({"s": {"x": 1, "y": 2}}, {"s": {"y": 3}}, {"s": {"x": 1, "y": 3}}),
        ({"s": {"x": 1, "y": 2}}, {"s.y": 3}, {"s": {"x": 1, "y": 3}}),
        ({"s.x": 1, "s.y": 2}, {"s": {"y": 3}}, {"s.x": 1, "s.y": 3}),
        ({"s.x": 1}, {"s": {"x": 2, "y": 3}}, {"s.x": 2, "s": {"y": 3}}),
        ({"s": {"x": 1}}, {"s.y": 3}, {"s": {"x": 1}, "s.y": 3}),
        ({"s": {"t": {"x": 1}}}, {"s.t": {"x": 2}}, {"s": {"t": {"x": 2}}}),
        ({"s": {"t.x": 1}}, {"s.t": {"x": 2}}, {"s": {"t.x": 2}}),
        ({"s.t": {"x": 1}}, {"s": {"t": {"x": 2}}}, {"s.t": {"x": 2}}),
        ({"s": {"x": 1}, "s.x": 2}, {"s.x": 3}, {"s": {"x": 3}, "s.x": 3}),
        ({"s": {"x": 1}}, {"s": {"y": 2}, "s.y": 3}, {"s": {"x": 1, "y": 3}}),
    ],
)
def test_settings_meet_whatever_their_form(base, changes, expected):
    assert merged(base, changes) == expected


@pytest.mark.parametrize(
    ("base", "changes", "expected"),
    [
        ({"s": {"x": 1}}, {"s": 5}, {"s": 5}),
        ({"s": 5}, {"s": {"x": 1}}, {"s": {"x": 1}}),
        ({"s": {"x": {"y": 1}}}, {"s.x": 2}, {"s": {"x": 2}}),
        ({"s": [1, 2]}, {"s": [3]}, {"s": [3]}),
        ({"s": {"x": 1}}, {"s": {}}, {"s": {"x": 1}}),
        ({"s": 5}, {"s": {}}, {"s": {}}),
        ({}, {"s": {}}, {"s": {}}),
    ],
)
def test_values_and_tables_replace_each_other(base, changes, expected):
    assert merged(base, changes) == expected


NAMES = ("a", "b", "s.x", "s.y", "t.u.v", "t.u.w")
VALUES = st.one_of(st.integers(), st.text(max_size=2), st.lists(st.integers(), max_size=2))
DOTTED = st.dictionaries(st.sampled_from((*NAMES, "s", "t.u")), VALUES)


@st.composite
def tables(draw):
    """Draw a table of some of the names, each dotted, nested, or nested below a dotted name."""
    table = {}
    for name in draw(st.lists(st.sampled_from(NAMES), unique=True)):
        keys, inner = name.split("."), table
        while len(keys) > 1 and draw(st.booleans()):
            n = draw(st.integers(1, len(keys) - 1))
            inner, keys = inner.setdefault(".".join(keys[:n]), {}), keys[n:]
        inner[".".join(keys)] = draw(VALUES)
    return table


def forms(table, above=()):
    """Return where each value is: the keys that lead to it."""
    inner = [forms(v, (*above, k)) if isinstance(v, dict) else [(*above, k)] for k, v in table.items()]
    return [keys for found in inner for keys in found]


@given(tables(), tables())
def test_each_setting_is_that_of_the_changes_or_of_the_base(base, changes):
    before = copy.deepcopy((base, changes))
    result = merged(base, changes)
    assert dict(flat_settings(result)) == {**dict(flat_settings(base)), **dict(flat_settings(changes))}
    assert (base, changes) == before
    assert [keys for keys in forms(result) if keys in forms(base)] == forms(base)
    assert len(forms(result)) == len(dict(flat_settings(result))), "no setting is there twice"
    assert merged(result, changes) == result
    assert merged(base, {}) == base


@given(DOTTED, DOTTED)
def test_without_nested_tables_it_is_an_update(base, changes):
    assert list(merged(base, changes).items()) == list({**base, **changes}.items())


def test_a_candidate_keeps_the_other_settings_of_a_table():
    baseline = {"player": "mcts", "search": {"exploration": 0.2, "rave_fade": 0.1}}
    assert merged(baseline, {"search": {"rave_fade": 0.3}})["search"] == {"exploration": 0.2, "rave_fade": 0.3}
