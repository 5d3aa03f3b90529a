# SPDX-License-Identifier: Apache-2.0
"""The oracles reject wrong answers."""

import oracles
import pytest

RESIDENTS = {"a": ["x", "y"], "b": ["x"]}
HOSPITALS = {"x": ["b", "a"], "y": ["a"]}


def test_known_answers():
    assert oracles.deferred_acceptance(RESIDENTS, HOSPITALS, {}) == {"a": "y", "b": "x"}
    assert oracles.hospitals_propose(RESIDENTS, HOSPITALS, {}) == {"a": "y", "b": "x"}
    assert oracles.minimum_cover_size(5, [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]) == 3
    assert oracles.stable_roommates({1: [2, 3], 2: [3, 1], 3: [1, 2]}) == []
    kite = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 1)]
    assert oracles.heaviest_clique(4, kite, [1, 1, 1, 9]) == 11
    assert oracles.heaviest_clique(4, kite, [9, 0, 0, 0]) == 9
    assert oracles.maximal_cliques(4, kite) == [(0, 1, 2), (1, 2, 3)]
    assert oracles.other_edges(4, kite) == [(0, 3)]


@pytest.mark.parametrize(
    "matching, pairs",
    [
        ({"a": "x", "b": None}, [("b", "x")]),
        ({"a": None, "b": "x"}, [("a", "y")]),
        ({"a": None, "b": None}, [("a", "x"), ("a", "y"), ("b", "x")]),
        ({"a": "y", "b": "x"}, []),
    ],
)
def test_blocking_pairs(matching, pairs):
    assert oracles.blocking_pairs(RESIDENTS, HOSPITALS, {}, matching) == pairs


def test_ties_do_not_block():
    hospitals = {"x": [["a", "b"]], "y": ["a"]}
    assert (
        oracles.blocking_pairs({"a": ["x"], "b": ["x"]}, hospitals, {}, {"a": None, "b": "x"}) == []
    )


def test_seats_of_the_other_side_count():
    first, second, seats = oracles.random_market(3)
    matching = oracles.deferred_acceptance(first, second, seats)
    assert oracles.blocking_pairs(first, second, seats, matching) == []
    more = {h: s + 1 for h, s in seats.items()}
    assert oracles.blocking_pairs(first, second, more, matching) != []
