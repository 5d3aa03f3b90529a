# SPDX-License-Identifier: Apache-2.0
"""all_stable_matchings() and roommates()."""

import pickle
import random

import numpy as np
import oracles
import pytest
import refusals
import taper


def as_set(matchings):
    return {tuple(sorted(matching.items())) for matching in matchings}


@pytest.mark.parametrize("seed", range(6))
def test_all_stable_matchings_of_tables(seed):
    first, second = oracles.random_tables(seed, 4)
    lists = [oracles.as_names(table) for table in (first, second)]
    expected = oracles.all_stable(*lists)
    found = list(taper.all_stable_matchings(first, second))
    assert as_set(m.to_dict() for m in found) == as_set(expected) and len(found) == len(expected)
    assert found[0].to_dict() == oracles.deferred_acceptance(*lists, {})
    matchings = taper.all_stable_matchings(np.array(first), np.array(second))
    assert matchings.count() == taper.Count(len(expected), True)
    rank = lambda matching: sum(
        lists[0][m].index(w) + lists[1][w].index(m) for m, w in matching.items()
    )
    best = matchings.best("egalitarian")
    assert rank(best.to_dict()) == min(map(rank, expected)) == best.report["egalitarian"]
    assert best.report["proved"] and taper.verify_matching(best)
    women = matchings.best("woman_optimal").to_dict()
    assert women == taper.match(first, second, proposer="second").to_dict()


@pytest.mark.parametrize("seed", range(6))
def test_all_stable_matchings_of_names(seed):
    first, second, _ = oracles.random_market(seed, 4, 4, 0.8)
    found = [m.to_dict() for m in taper.all_stable_matchings(first, second)]
    assert as_set(found) == as_set(oracles.all_stable(first, second))


def test_an_iterator_ends_and_can_be_left():
    men = {f"m{i}": [f"w{i}", f"w{i ^ 1}"] for i in range(60)}
    women = {f"w{i}": [f"m{i ^ 1}", f"m{i}"] for i in range(60)}
    matchings = taper.all_stable_matchings(men, women)
    assert matchings.count() == (2**30, True) and matchings.report["rotations"] == 30
    assert matchings.count(limit=5).exact is False
    assert len({next(matchings).partner_of.tobytes() for _ in range(100)}) == 100
    assert (
        repr(matchings)
        == "StableMatchings(30 rotations of Market(60 first, 60 second, 120 entries))"
    )
    short = taper.all_stable_matchings([[0]], [[0]])
    assert len(list(short)) == 1 and list(short) == []
    with pytest.raises(StopIteration):
        next(short)
    assert len(list(taper.all_stable_matchings([], []))) == 1


@pytest.mark.parametrize("seed", range(20))
def test_roommates(seed):
    draw = random.Random(seed)
    agents = "abcdef"
    pairs = [(a, b) for a in agents for b in agents if a < b and draw.random() < 0.8]
    lists = {a: [b for b in agents if (a, b) in pairs or (b, a) in pairs] for a in agents}
    for choices in lists.values():
        draw.shuffle(choices)
    stable = oracles.stable_roommates(lists)
    found = taper.roommates(lists)
    assert found.solvable == bool(found) == bool(stable)
    if stable:
        assert found.to_dict() in stable and found.parties == ()
        assert found["a"] == found.to_dict()["a"]
    else:
        assert found.partner_of is None and len(found.parties) > 0
        for party in found.parties:
            assert len(party) % 2 == 1 and len(party) >= 3
            for i, agent in enumerate(party):  # prefers the next to the one before
                nxt, before = party[(i + 1) % len(party)], party[i - 1]
                assert lists[agent].index(nxt) < lists[agent].index(before)
        with pytest.raises(taper.Error, match="no matching is stable"):
            found.to_dict()
    numbers = [[agents.index(b) for b in choices] for choices in lists.values()]
    assert taper.roommates(numbers).solvable == found.solvable
    assert repr(pickle.loads(pickle.dumps(found))) == repr(found)
    assert "<table>" in found._repr_html_()


def test_roommates_of_arrays():
    assert taper.roommates(np.array([[1], [0]])).to_dict() == {0: 1, 1: 0}
    assert taper.roommates([]).to_dict() == {}
    assert taper.roommates({"a": []}).to_dict() == {"a": None}


def test_frames():
    pytest.importorskip("pandas")
    assert taper.roommates([[1], [0]]).to_frame().values.tolist() == [[0, 1], [1, 0]]


WRONG = {
    "ties": (
        lambda: taper.all_stable_matchings({"a": [["x", "y"]]}, {"x": ["a"], "y": ["a"]}),
        "lists without ties",
    ),
    "ties of the second": (
        lambda: taper.all_stable_matchings({"a": ["x"], "b": ["x"]}, {"x": [["a", "b"]]}),
        "lists without ties",
    ),
    "seats": (
        lambda: taper.all_stable_matchings(taper.Market([0, 1], [0], seats=[2])),
        "expected one seat per agent",
    ),
    "objective": (
        lambda: taper.all_stable_matchings([[0]], [[0]]).best("nice"),
        "objective: expected one of",
    ),
    "limit": (
        lambda: taper.all_stable_matchings([[0]], [[0]]).count(limit=-1),
        "limit: expected a number from 0",
    ),
    "itself": (lambda: taper.roommates({"a": ["a"]}), "agents, 'a': the agent is in its own list"),
    "unknown": (lambda: taper.roommates({"a": ["b"]}), "'b' is no agent of agents"),
    "tied roommates": (
        lambda: taper.roommates({"a": [["b", "c"]], "b": [], "c": []}),
        "expected lists without ties",
    ),
    "no lists": (
        lambda: taper.roommates(5),
        "expected a mapping from names to lists, or a list of lists",
    ),
    "text": (lambda: taper.roommates("ab"), "expected a mapping from names to lists"),
}


test_wrong_input = refusals.test_of(WRONG)
