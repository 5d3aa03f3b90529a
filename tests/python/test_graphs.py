# SPDX-License-Identifier: Apache-2.0
"""vertex_cover() and read_graph(), by the form of their input."""

import pickle

import numpy as np
import oracles
import pytest
import refusals
import taper

SEEDS = range(6)
RING = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]


def check(cover, n, edges):
    """The cover covers all edges, and is a minimum."""
    assert cover.in_cover.dtype == bool and len(cover.in_cover) == n
    assert all(cover.in_cover[u] or cover.in_cover[v] for u, v in edges)
    assert cover.size == cover.in_cover.sum() == len(cover)
    assert cover.size == cover.lower_bound == oracles.minimum_cover_size(n, edges)
    assert cover.is_minimum and cover.found and not cover.stopped


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("mode", ["taper", "component_search", "published", "yamout"])
def test_edges(seed, mode):
    edges = oracles.random_edges(seed, 9) + [(7, 8)]  # so that the last vertex has an edge
    for form in (
        list,
        np.array,
        lambda e: np.array(e, np.uint8),
        lambda e: [list(pair) for pair in e],
    ):
        check(taper.vertex_cover(form(edges), mode=mode), 9, edges)
    both = edges + [(v, u) for u, v in edges] + edges
    check(taper.vertex_cover(both, mode=mode), 9, edges)


@pytest.mark.parametrize("seed", SEEDS)
def test_sparse_matrices(seed):
    sparse = pytest.importorskip("scipy.sparse")
    n, edges = 9, oracles.random_edges(seed, 9)
    dense = np.zeros((n, n))
    for u, v in edges:
        dense[u, v] = 1
    half, both = sparse.csr_matrix(dense), sparse.csr_matrix(dense + dense.T)
    for matrix in (
        half,
        both,
        both.tocsc(),
        both.tocoo(),
        sparse.csr_array(both),
        half.T,
        both.tolil(),
    ):
        check(taper.vertex_cover(matrix), n, edges)
    cover = taper.vertex_cover(both)
    assert np.shares_memory(cover.graph.entries, both.indices)
    unsorted = both.copy()
    for v in range(n):
        row = slice(unsorted.indptr[v], unsorted.indptr[v + 1])
        unsorted.indices[row] = unsorted.indices[row][::-1]
    check(taper.vertex_cover(unsorted), n, edges)


def test_sparse_matrices_of_any_shape():
    sparse = pytest.importorskip("scipy.sparse")
    assert taper.vertex_cover(sparse.csr_matrix((4, 4))).size == 0
    assert taper.vertex_cover(sparse.csr_matrix((0, 0))).size == 0
    assert taper.vertex_cover(sparse.eye(3, format="csr")).size == 3
    with pytest.raises(taper.Error, match="expected a square matrix, found 2 x 3"):
        taper.vertex_cover(sparse.csr_matrix((2, 3)))


@pytest.mark.parametrize("seed", SEEDS)
def test_networkx(seed):
    networkx = pytest.importorskip("networkx")
    edges = oracles.random_edges(seed, 9)
    graph = networkx.Graph()
    graph.add_nodes_from(range(9))
    graph.add_edges_from(edges)
    for form in (graph, graph.to_directed(), networkx.MultiGraph(graph)):
        check(taper.vertex_cover(form), 9, edges)
    named = networkx.relabel_nodes(graph, {v: f"v{v}" for v in graph})
    cover = taper.vertex_cover(named)
    check(cover, 9, edges)
    assert set(cover) == {f"v{v}" for v in np.flatnonzero(cover.in_cover)}
    assert all(u in cover or v in cover for u, v in named.edges)


def test_names():
    cover = taper.vertex_cover([("Oslo", "Rome"), ("Rome", "Bonn"), ("Bonn", "Rome")])
    assert cover.vertices == ("Rome",) and "Rome" in cover and "Oslo" not in cover
    assert taper.vertex_cover({"a": ["b", "c"], "b": [], "d": []}).vertices == ("a",)
    assert taper.vertex_cover({1: [2], 0: [2]}).vertices == (2,)
    assert taper.vertex_cover([((0, 0), (0, 1))]).size == 1
    assert taper.vertex_cover({frozenset((0, 1)), frozenset((1, 2))}).vertices == (1,)


def test_files(tmp_path):
    file = tmp_path / "ring.txt"
    file.write_text("".join(f"{u + 1} {v + 1}\n" for u, v in RING))
    graph = taper.read_graph(file)
    assert repr(graph) == "Graph(5 vertices, 5 edges)" and list(graph.names) == [1, 2, 3, 4, 5]
    file.write_text("10 30\n30 20\n")
    assert taper.read_graph(file).names == (10, 20, 30) and taper.vertex_cover(file).vertices == (
        30,
    )
    file.write_text("".join(f"{u} {v}\n" for u, v in RING))
    assert taper.read_graph(file).names is None
    file.write_text("".join(f"{u + 1} {v + 1}\n" for u, v in RING))
    cover = taper.vertex_cover(file)
    assert cover.size == 3 and set(cover) <= {1, 2, 3, 4, 5}
    assert taper.vertex_cover(str(file)).size == taper.vertex_cover(graph).size == 3
    words = tmp_path / "words.csv"
    words.write_text("source,target,weight\nOslo,Rome,1\nRome,Bonn,2\n")
    assert taper.vertex_cover(words).vertices == ("Rome",)
    assert taper.read_graph(words, columns="source,target").names == ("Oslo", "Rome", "Bonn")


def test_a_graph_is_read_in_place():
    graph = taper.generate("graph", "gnp", 50, degree=4)
    cover = taper.vertex_cover(graph)
    assert cover.graph is graph
    edges = list(map(tuple, graph.edge_array().tolist()))
    assert len(set(edges)) == len(edges) == graph.edges and all(u < v for u, v in edges)
    assert all(cover.in_cover[u] or cover.in_cover[v] for u, v in graph.edge_array())


def test_graphs_by_hand():
    graph = taper.Graph([0, 1, 2], [1, 0], names=("a", "b"))
    assert taper.vertex_cover(graph).size == 1
    for arguments, message in (
        (([0, 1, 2], [1, 1]), "expected rows that ascend"),
        (([0, 1, 2], [1, 2]), "indices: expected vertices below 2"),
        (([0, 2, 1], [1, 0]), "indptr: expected n"),
        (([0, 1, 2], [1, 0], [2]), "expected rows that ascend"),
        (([0, 1, 2], [1, 0], [], ("a",)), "names: expected 2, found 1"),
        (([0, 1.5], [1]), "indptr: expected integers"),
    ):
        with pytest.raises(taper.Error, match=message):
            taper.Graph(*arguments)


def test_loops():
    edges = RING + [(2, 2)]
    cover = taper.vertex_cover(edges)
    assert cover.in_cover[2]
    check(cover, 5, edges)
    check(taper.vertex_cover(edges, loops="drop"), 5, RING)
    with pytest.raises(taper.Error, match="vertex 2 has an edge to itself"):
        taper.vertex_cover(edges, loops="error")
    all_loops = [(v, v) for v in range(4)]
    assert (
        taper.vertex_cover(all_loops).size == 4
        and taper.vertex_cover(all_loops, loops="drop").size == 0
    )
    few = taper.vertex_cover(all_loops, k=3)
    assert not few.found and not few.stopped and few.lower_bound == 4 and few.in_cover.all()


def test_questions():
    for k, found in ((2, False), (3, True), (4, True), (5, True), (10**30, True)):
        cover = taper.vertex_cover(RING, k=k)
        assert cover.found == found and not cover.stopped
        assert not found or cover.size <= k
    assert not taper.vertex_cover(RING + [(1, 1)], k=2).found
    assert taper.vertex_cover(RING + [(1, 1)], k=3).found


def test_options_and_reports():
    for backend, threads in ((None, None), ("host", 1), ("widest", 1)):
        assert taper.vertex_cover(RING, backend=backend, threads=threads).size == 3
    graph = taper.generate("graph", "random_regular", 60, degree=5)
    cover = taper.vertex_cover(graph, mode="component_search", balance="worklist", teams=2)
    assert (
        cover.report["teams"] == 2 and cover.report["cover_size"] == taper.vertex_cover(graph).size
    )
    assert taper.vertex_cover(RING, packing=False).report["nodes"] >= 0


def test_empty_graphs():
    for empty in ([], np.empty((0, 2), int), {}, {"a": []}):
        cover = taper.vertex_cover(empty)
        assert cover.size == 0 and cover.vertices == () and cover.is_minimum


def test_a_time_limit_leaves_a_cover():
    graph = taper.generate("graph", "random_regular", 400, degree=9)
    cover = taper.vertex_cover(graph, time_limit=0.05)
    assert cover.stopped and cover.lower_bound < cover.size
    assert all(cover.in_cover[u] or cover.in_cover[v] for u, v in graph.edge_array())
    assert "at least" in repr(cover)


def test_progress(capsys):
    graph = taper.generate("graph", "random_regular", 400, degree=9)
    seen = []
    taper.vertex_cover(graph, time_limit=0.8, progress=seen.append)
    assert len(seen) >= 1 and isinstance(seen[0], taper.SearchProgress)
    assert all(a.nodes <= b.nodes for a, b in zip(seen, seen[1:]))
    assert seen[-1].best is None or seen[-1].best >= seen[-1].lower_bound
    taper.vertex_cover(graph, time_limit=0.4, progress=True)
    assert "at least" in capsys.readouterr().err

    def fail(state):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        taper.vertex_cover(graph, progress=fail)
    with pytest.raises(
        taper.Error, match="a progress callback or a signal handler cannot call taper"
    ):
        taper.vertex_cover(graph, progress=lambda state: taper.vertex_cover(RING))
    assert taper.vertex_cover(RING).size == 3


WRONG = {
    "no graph": (lambda: taper.vertex_cover(5), "expected a graph: edges, .* found int"),
    "triple": (lambda: taper.vertex_cover([(0, 1, 2)]), "edge 0: expected a pair of vertices"),
    "text": (lambda: taper.vertex_cover(["ab"]), "edge 0: expected a pair of vertices, found 'ab'"),
    "negative": (
        lambda: taper.vertex_cover([(0, 1), (0, -1)]),
        r"edge 1: expected vertices from 0, found \[0, -1\]",
    ),
    "large": (
        lambda: taper.vertex_cover([(0, 2**40)]),
        "expected at most 4,294,967,294 vertices",
    ),
    "huge": (lambda: taper.vertex_cover([(0, 2**70)]), "expected integers, found dtype object"),
    "format type": (lambda: taper.read_graph("x", format=5), "format: expected a text, found 5"),
    "shape": (lambda: taper.vertex_cover(np.zeros((2, 3), int)), r"array of shape \(m, 2\)"),
    "dimension": (lambda: taper.vertex_cover(np.zeros(3, int)), "expected an array of 2 dimension"),
    "floats": (
        lambda: taper.vertex_cover(np.zeros((3, 2))),
        "expected integers, found dtype float64",
    ),
    "neighbours": (
        lambda: taper.vertex_cover({"a": "b"}),
        "vertex 'a': expected a list of neighbours",
    ),
    "unhashable": (lambda: taper.vertex_cover([([], [])]), "names of vertices that can be keys"),
    "mode": (
        lambda: taper.vertex_cover(RING, mode="fast"),
        "mode: expected one of taper, component_search",
    ),
    "option": (
        lambda: taper.vertex_cover(RING, packin=1),
        "unknown option 'packin'; did you mean 'packing'",
    ),
    "option of another mode": (lambda: taper.vertex_cover(RING, teams=2), "unknown option 'teams'"),
    "option of mode taper": (
        lambda: taper.vertex_cover(RING, mode="published", packing=True),
        "unknown option 'packing'",
    ),
    "k": (lambda: taper.vertex_cover(RING, k=-1), "k: expected a number from 0"),
    "time limit": (
        lambda: taper.vertex_cover(RING, time_limit=float("nan")),
        "time_limit: expected seconds above 0",
    ),
    "loops": (
        lambda: taper.vertex_cover(RING, loops="no"),
        "loops: expected one of force, drop, error",
    ),
    "progress": (
        lambda: taper.vertex_cover(RING, progress=5),
        "progress: expected True or a callable",
    ),
    "file": (lambda: taper.vertex_cover("/missing/graph"), "/missing/graph: cannot be opened"),
    "format": (
        lambda: taper.read_graph("x", format="pce"),
        "unknown format 'pce'; did you mean 'pace'",
    ),
}


test_wrong_input = refusals.test_of(WRONG)


def test_wrong_matrices():
    class Matrix:
        format, shape, indptr, indices = "csr", (2, 2), np.array([0, 1, 2]), np.array([1, 0])

        def tocsr(self):
            return self

    assert taper.vertex_cover(Matrix()).size == 1
    for indptr, indices, message in (
        ([0, 2, 1], [1, 0], "indptr: expected n"),
        ([0, 1], [1, 0], "indptr: expected n"),
        ([0, 1, 3], [1, 0], "indptr: expected n"),
        ([0, 1, 2], [1, 2], "indices: expected vertices below 2, found 2"),
        ([0, 1, 2], [1, -1], "indices: expected integers from 0"),
    ):
        matrix = Matrix()
        matrix.indptr, matrix.indices = np.array(indptr), np.array(indices)
        with pytest.raises(taper.Error, match=message):
            taper.vertex_cover(matrix)


def test_shown_forms_and_pickles():
    cover = taper.vertex_cover([(0, v) for v in range(1, 20)] + [(30, v) for v in range(1, 20)])
    copy = pickle.loads(pickle.dumps(cover))
    assert repr(copy) == repr(cover) == "Cover(2 vertices, the minimum: 0, 30)"
    assert (copy.in_cover == cover.in_cover).all()
    assert cover._repr_html_().count("<tr>") == 3
    with pytest.raises(AttributeError):
        cover.size = 1


def test_frames():
    pytest.importorskip("pandas")
    import pandas

    edges = pandas.DataFrame({"source": ["Oslo", "Rome"], "target": ["Rome", "Bonn"]})
    assert taper.vertex_cover(edges).vertices == ("Rome",)
    assert taper.vertex_cover(pandas.DataFrame({"u": [0, 1], "v": [1, 2]})).vertices == (1,)
    with pytest.raises(taper.Error, match="expected a DataFrame with two columns"):
        taper.vertex_cover(edges.assign(weight=1))
    frame = taper.vertex_cover([("Oslo", "Rome"), ("Rome", "Bonn")]).to_frame()
    assert frame.values.tolist() == [["Oslo", False], ["Rome", True], ["Bonn", False]]
