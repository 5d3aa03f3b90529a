# SPDX-License-Identifier: Apache-2.0
"""clique(), independent_set() and maximal_cliques(), beside brute force and NetworkX."""

import dataclasses
import pickle
import random

import numpy as np
import oracles
import pytest
import refusals
import taper

SEEDS = range(12)
KITE = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 1)]
RING = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
HARD = ("graph", "gnp", 400)  # with this degree no bound solves it in a minute
DENSE = {"degree": 360}
HARD_SPARSE = ("graph", "random_regular", 400)  # for independent sets


def draw_weights(seed, n):
    """Weights of several kinds, some 0."""
    draw = random.Random(seed)
    return [draw.choice([0, 1, 2, 5, 10**6]) for _ in range(n)]


def graph_of(n, edges):
    """A graph in which also the last vertices may have no edge."""
    return {v: [u for e in edges for u in e if v in e and u != v] for v in range(n)}


def check(found, kind, n, edges, weights=None):
    """The set has what its kind promises, and is the heaviest."""
    members = set(np.flatnonzero(found.in_set).tolist())
    assert found.in_set.dtype == bool and len(found.in_set) == n
    assert set(found) == members and len(found) == found.size == len(members)
    adjacent = {frozenset(edge) for edge in edges}
    for pair in oracles.pairs_of(members):
        assert (pair in adjacent) == (kind == "clique")
    values = [1] * n if weights is None else weights
    assert found.weight == sum(values[v] for v in members)
    others = edges if kind == "clique" else oracles.other_edges(n, edges)
    assert found.weight == found.upper_bound == oracles.heaviest_clique(n, others, values)
    assert found.is_maximum and not found.stopped


@pytest.mark.parametrize(
    "wrong",
    [
        {"in_set": np.array([1, 0, 0, 1], bool), "size": 2, "weight": 2, "upper_bound": 2},
        {"in_set": np.array([1, 1, 0, 0], bool), "size": 2, "weight": 2, "upper_bound": 2},
        {"size": 2},
        {"weight": 2},
        {"upper_bound": 4},
        {"stopped": True},
    ],
)
def test_the_check_rejects_wrong_answers(wrong):
    found = taper.clique(KITE)
    check(found, "clique", 4, KITE)
    with pytest.raises(AssertionError):
        check(dataclasses.replace(found, **wrong), "clique", 4, KITE)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("bound", ["maxsat", "recolouring", "colouring"])
def test_cliques(seed, bound):
    n, edges = 9, oracles.random_edges(seed, 9, 0.3 + 0.05 * seed)
    graph = graph_of(n, edges)
    check(taper.clique(graph, bound=bound), "clique", n, edges)
    weights = draw_weights(seed, n)
    array = np.array(weights)
    for form in (weights, array, array.astype(np.uint32), dict(enumerate(weights))):
        check(taper.clique(graph, form, bound=bound), "clique", n, edges, weights)


@pytest.mark.parametrize("seed", SEEDS)
def test_independent_sets(seed):
    n, edges = 9, oracles.random_edges(seed, 9, 0.2 + 0.05 * seed)
    graph = graph_of(n, edges)
    check(taper.independent_set(graph), "independent", n, edges)
    weights = draw_weights(seed, n)
    check(taper.independent_set(graph, weights), "independent", n, edges, weights)
    check(taper.independent_set(graph, threads=1), "independent", n, edges)
    check(taper.independent_set(graph, weights, threads=1), "independent", n, edges, weights)


def test_a_large_independent_set_with_weights():
    """A path, on which a table of two rows finds the maximum."""
    draw = random.Random(5)
    weights = [draw.randrange(1, 1000) for _ in range(20_000)]
    without, with_last = 0, 0
    for weight in weights:
        without, with_last = max(without, with_last), without + weight
    path = np.arange(len(weights) - 1)[:, None] + [0, 1]
    found = taper.independent_set(path, weights)
    members = np.flatnonzero(found.in_set)
    assert found.is_maximum and found.weight == max(without, with_last)
    assert sum(weights[v] for v in members) == found.weight and np.diff(members).min() > 1
    assert found.report["kernel_vertices"] <= len(weights)


def test_progress_of_weighted_sets():
    sparse = taper.generate("graph", "random_regular", 1000, degree=9)
    seen = []
    weights = [v % 7 + 1 for v in range(1000)]
    found = taper.independent_set(sparse, weights, time_limit=0.6, progress=seen.append)
    assert seen and found.stopped
    assert seen[-1].best <= found.weight < found.upper_bound <= seen[-1].upper_bound


@pytest.mark.parametrize("seed", SEEDS)
def test_maximal_cliques(seed):
    n, edges = 9, oracles.random_edges(seed, 9, 0.3 + 0.05 * seed)
    graph = graph_of(n, edges)
    expected = oracles.maximal_cliques(n, edges)
    found = taper.maximal_cliques(graph)
    assert list(found) == expected and not found.stopped
    assert found.count == len(found) == len(expected)
    assert found.largest == max(map(len, expected))
    assert found.largest_count == sum(len(clique) == found.largest for clique in expected)
    counted = taper.maximal_cliques(graph, limit=0)
    assert (counted.count, counted.largest) == (found.count, found.largest) and len(counted) == 0
    few = taper.maximal_cliques(graph, limit=2)
    assert len(few) == min(2, found.count) == len(set(few) & set(expected))
    assert few.count == found.count


def test_lists_of_maximal_cliques():
    found = taper.maximal_cliques({"a": ["b", "c"], "b": ["c"], "c": ["d"], "d": ["b"], "e": []})
    assert list(found) == [("a", "b", "c"), ("b", "c", "d"), ("e",)]
    assert found[-1] == ("e",) and found[1:] == (("b", "c", "d"), ("e",))
    assert repr(found) == "MaximalCliques(3, the largest of 3 vertices)"
    assert found._repr_html_().count("<tr>") == 4
    assert list(pickle.loads(pickle.dumps(found))) == list(found)
    with pytest.raises(IndexError):
        found[3]
    few = taper.maximal_cliques(RING, limit=2)
    assert repr(few) == "MaximalCliques(5, the largest of 2 vertices, 2 of them listed)"


@pytest.mark.parametrize("seed", SEEDS)
def test_networkx(seed):
    networkx = pytest.importorskip("networkx")
    edges = oracles.random_edges(seed, 12, 0.5)
    graph = networkx.Graph()
    graph.add_nodes_from((f"v{v}", {"weight": w}) for v, w in enumerate(draw_weights(seed, 12)))
    graph.add_edges_from((f"v{u}", f"v{v}") for u, v in edges)
    heaviest, weight = networkx.max_weight_clique(graph, "weight")
    found = taper.clique(graph, "weight")
    assert found.weight == weight == sum(graph.nodes[v]["weight"] for v in found)
    assert taper.clique(graph).size == networkx.max_weight_clique(graph, None)[1]
    rest = networkx.complement(graph)
    rest.add_nodes_from(graph.nodes.items())
    assert taper.independent_set(rest, weights="weight").weight == weight
    assert taper.independent_set(rest).size == taper.clique(graph).size
    theirs = {frozenset(clique) for clique in networkx.find_cliques(graph)}
    assert {frozenset(clique) for clique in taper.maximal_cliques(graph)} == theirs


def test_forms_of_graphs(tmp_path):
    forms = [KITE, np.array(KITE), taper.Graph([0, 2, 5, 8, 10], [1, 2, 0, 2, 3, 0, 1, 3, 1, 2])]
    file = tmp_path / "kite.txt"
    file.write_text("".join(f"{u} {v}\n" for u, v in KITE))
    forms.append(file)
    try:
        import scipy.sparse

        ends = np.array(KITE).T
        forms.append(scipy.sparse.coo_matrix((np.ones(5), tuple(ends)), shape=(4, 4)))
    except ImportError:
        pass
    for form in forms:
        assert taper.clique(form, [1, 1, 1, 9]).vertices == (1, 2, 3)
        assert taper.independent_set(form, [1, 1, 9, 1]).vertices == (2,)
        assert taper.independent_set(form).vertices == (0, 3)
        assert list(taper.maximal_cliques(form)) == [(0, 1, 2), (1, 2, 3)]


def test_series_of_weights():
    pandas = pytest.importorskip("pandas")
    weights = pandas.Series({"b": 5, "a": 1, "c": 1})
    assert taper.clique({"a": ["c"], "b": []}, weights).vertices == ("b",)
    frame = taper.clique({"a": ["c"], "b": []}, weights).to_frame()
    assert frame.values.tolist() == [["a", False], ["b", True], ["c", False]]
    rows = taper.maximal_cliques({"a": ["c"], "b": []}).to_frame()
    assert rows.values.tolist() == [[0, "a"], [0, "c"], [1, "b"]]


def test_loops():
    edges = KITE + [(0, 0)]
    assert taper.clique(edges).size == 3 and taper.maximal_cliques(edges).count == 2
    for weights in (None, [1, 1, 1, 1]):
        assert taper.independent_set(edges, weights).weight == 1
        assert 0 not in taper.independent_set(edges, weights)
        assert taper.independent_set(edges, weights, loops="drop").vertices == (0, 3)
        with pytest.raises(taper.Error, match="vertex 0 has an edge to itself"):
            taper.independent_set(edges, weights, loops="error")
    weights = np.array([9, 1, 1, 1])
    taper.independent_set(edges, weights)
    assert weights.tolist() == [9, 1, 1, 1]


def test_small_graphs():
    for empty in ([], {}, np.empty((0, 2), int)):
        for found in (taper.clique(empty), taper.clique(empty, []), taper.independent_set(empty)):
            assert (found.size, found.weight, found.vertices) == (0, 0, ()) and found.is_maximum
            assert repr(found).endswith("(0 vertices, the maximum)")
        assert taper.maximal_cliques(empty).count == 0
        assert taper.independent_set(empty, []).size == 0
    assert taper.clique({"a": []}).vertices == ("a",)
    assert taper.clique({"a": []}, [0]).vertices == ()
    huge = 2**63 - 1
    assert taper.clique([(0, 1)], [huge, 0]).weight == huge
    assert taper.clique([(0, 1)], {0: huge - 1, 1: 1}).weight == huge


def test_shown_forms_and_pickles():
    found = taper.clique(KITE, [1, 1, 1, 9])
    assert repr(found) == "Clique(3 vertices of weight 11, the maximum: 1, 2, 3)"
    copy = pickle.loads(pickle.dumps(found))
    assert repr(copy) == repr(found) and (copy.in_set == found.in_set).all()
    assert repr(taper.independent_set(KITE)) == "IndependentSet(2 vertices, the maximum: 0, 3)"
    assert found._repr_html_().count("<tr>") == 4 and 1 in found and 0 not in found
    with pytest.raises(AttributeError):
        found.size = 1


def test_a_time_limit_leaves_a_set():
    graph = taper.generate(*HARD, **DENSE)
    adjacent = {frozenset(edge) for edge in graph.edge_array().tolist()}
    for weights in (None, np.arange(400)):
        found = taper.clique(graph, weights, time_limit=0.05)
        assert found.stopped and 0 < found.weight < found.upper_bound
        assert all(pair in adjacent for pair in oracles.pairs_of(found))
        assert "at most" in repr(found)
    sparse = taper.generate(*HARD_SPARSE, degree=9)
    found = taper.independent_set(sparse, time_limit=0.05)
    assert found.stopped and found.size < found.upper_bound
    assert not any(u in found and v in found for u, v in sparse.edge_array().tolist())
    found = taper.maximal_cliques(graph, limit=3, time_limit=0.05)
    assert found.stopped and len(found) == 3 < found.count and "at least" in repr(found)


@pytest.mark.parametrize("weights", [None, range(400)])
def test_progress_of_cliques(weights, capsys):
    graph = taper.generate(*HARD, **DENSE)
    seen = []
    found = taper.clique(graph, weights, time_limit=0.6, progress=seen.append)
    assert seen and isinstance(seen[0], taper.SetProgress) and seen[-1].best <= found.weight
    taper.clique(graph, weights, time_limit=0.4, progress=True)
    err = capsys.readouterr().err
    assert "nodes  best" in err and err.endswith("\n")


def test_progress_of_independent_sets():
    sparse = taper.generate(*HARD_SPARSE, degree=9)
    seen = []
    found = taper.independent_set(sparse, time_limit=0.6, progress=seen.append)
    assert seen and seen[-1].upper_bound >= found.upper_bound and seen[-1].best <= found.size


def test_progress_of_maximal_cliques():
    seen = []
    graph = taper.generate(*HARD, **DENSE)
    found = taper.maximal_cliques(graph, limit=0, time_limit=0.6, progress=seen.append)
    assert seen and 0 < seen[-1].count <= found.count and seen[-1].total is None


@pytest.mark.parametrize("search", [taper.clique, taper.independent_set, taper.maximal_cliques])
def test_a_callback_that_raises_ends_the_search(search):
    is_sparse = search is taper.independent_set
    hard = taper.generate(*HARD_SPARSE, degree=9) if is_sparse else taper.generate(*HARD, **DENSE)

    def fail(state):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        search(hard, progress=fail)
    assert taper.clique(KITE).size == 3


WRONG = {
    "no graph": (lambda: taper.clique(5), "expected a graph: edges, .* found int"),
    "bound": (lambda: taper.clique(KITE, bound="best"), "bound: expected one of colouring"),
    "threads": (lambda: taper.clique(KITE, threads=-1), "threads: expected a number from 1"),
    "many threads": (lambda: taper.clique(KITE, threads=10**6), "cannot run on 1000000 threads"),
    "time limit": (lambda: taper.clique(KITE, time_limit=0), "time_limit: expected seconds above"),
    "progress": (lambda: taper.clique(KITE, progress=3), "progress: expected True or a callable"),
    "few weights": (
        lambda: taper.clique(KITE, [1, 2]),
        "weights: expected 4 numbers, one per vertex, found 2",
    ),
    "negative": (
        lambda: taper.clique(KITE, [1, 2, -3, 1]),
        "weights: vertex 2: expected an integer from 0, found -3",
    ),
    "negative name": (
        lambda: taper.clique({"a": ["b"]}, {"a": 1, "b": -1}),
        "weights: vertex 'b': expected an integer from 0, found -1",
    ),
    "float": (
        lambda: taper.clique({"a": ["b"]}, {"a": 1, "b": 0.5}),
        "weights: vertex 'b': expected an integer from 0, found 0.5",
    ),
    "floats": (lambda: taper.clique(KITE, [1.0] * 4), "weights: expected integers, found dtype"),
    "missing": (lambda: taper.clique({"a": ["b"]}, {"a": 1}), "weights: vertex 'b' has none"),
    "unknown": (
        lambda: taper.clique({"a": ["b"]}, {"a": 1, "b": 1, "c": 1}),
        "weights: 'c' is no vertex of the graph",
    ),
    "sum": (
        lambda: taper.clique(KITE, [2**62, 2**62, 0, 0]),
        "weights: expected a sum up to 9,223,372,036,854,775,807, found 9,223,372,036,854,775,808",
    ),
    "unsigned": (
        lambda: taper.clique(KITE, np.array([2**63, 0, 0, 0], np.uint64)),
        "weights: expected a sum up to",
    ),
    "attribute": (lambda: taper.clique(KITE, "weight"), "weights: expected a mapping or an array"),
    "table": (
        lambda: taper.independent_set(KITE, [[1, 2], [3, 4]]),
        "weights: expected an array of 1 dimension",
    ),
    "loops": (lambda: taper.independent_set(KITE, loops=1), "loops: expected one of force"),
    "limit": (lambda: taper.maximal_cliques(KITE, limit=-1), "limit: expected a number from 0"),
    "limit type": (lambda: taper.maximal_cliques(KITE, limit="all"), "limit: expected a number"),
}

test_wrong_input = refusals.test_of(WRONG)
