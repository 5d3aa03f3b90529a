# SPDX-License-Identifier: Apache-2.0
"""Graphs, and minimum vertex covers."""

import dataclasses
import functools
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Optional

import numpy as np

from . import _core
from ._arrays import DeviceArray, as_type, integers, on_host, require_device_array, taken
from ._errors import Error
from ._progress import SearchProgress, checked_progress, checked_time_limit, ticking
from ._results import call_options, counted, frame, html_table, require_texts

MAX_VERTICES = 2**32 - 2


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Graph:
    """A simple undirected graph in CSR format: the neighbours of vertex v are
    entries[offsets[v]:offsets[v + 1]], and each edge is in the rows of both ends.

    loops: the vertices that have an edge to themselves, which is not among the entries. names: of
    the vertices; None: their numbers from 0.

    The arrays may be on a GPU, for vertex_cover(): see docs/python_gpu.md.
    """

    offsets: np.ndarray
    entries: np.ndarray
    loops: np.ndarray = dataclasses.field(default_factory=lambda: np.empty(0, np.uint32))
    names: Optional[Sequence] = None
    notes: tuple = ()
    check: dataclasses.InitVar[bool] = True

    def __post_init__(self, check):
        if not check:
            return
        given = taken(self.offsets, "offsets"), taken(self.entries, "entries")
        if any(isinstance(array, DeviceArray) for array in given):
            self._keep_on_gpu(*given)
            return
        offsets, entries = _checked_rows(self.offsets, self.entries)
        loops = as_type(integers(self.loops, "loops"), np.uint32, "loops")
        if not _core.is_simple(offsets, entries) or (loops >= len(offsets) - 1).any():
            raise Error(
                "expected rows that ascend, each edge in the rows of both ends, and loops apart; "
                "vertex_cover() takes any edges as an array of shape (m, 2)"
            )
        if self.names is not None and len(self.names) != len(offsets) - 1:
            raise Error(f"names: expected {len(offsets) - 1:,}, found {len(self.names):,}")
        for field, array in (("offsets", offsets), ("entries", entries), ("loops", loops)):
            object.__setattr__(self, field, array)

    def _keep_on_gpu(self, offsets, entries):
        """Sets the arrays, which are on the GPU. Raises Error."""
        require_device_array(offsets, "offsets", 1, *_GPU_OFFSETS)
        require_device_array(entries, "entries", 1, *_GPU_ENTRIES)
        if len(self.loops) or self.names is not None:
            raise Error("a graph on a GPU takes offsets and entries, and no others")
        if len(offsets) == 0 or len(offsets) - 1 > MAX_VERTICES:
            raise Error(
                f"offsets: expected vertices + 1 numbers, of at most {MAX_VERTICES:,} vertices, "
                f"found {len(offsets):,}"
            )
        if not _core.is_simple_on_device(offsets, entries):
            raise Error(
                "expected a simple graph: offsets that begin with 0, do not fall, and end with "
                f"{len(entries):,}, the number of entries; each edge in the rows of both ends; and "
                "no loops"
            )
        object.__setattr__(self, "offsets", offsets)
        object.__setattr__(self, "entries", entries)

    @property
    def on_gpu(self):
        """Whether the arrays are on a GPU."""
        return isinstance(self.offsets, DeviceArray)

    def to_host(self):
        """The graph in host memory: itself, or a copy if it is on a GPU."""
        if not self.on_gpu:
            return self
        offsets, entries = self.offsets.get(), self.entries.get()
        return Graph(offsets.astype(np.int64), entries.view(np.uint32), check=False)

    @property
    def vertices(self):
        return len(self.offsets) - 1

    @property
    def edges(self):
        """The number of edges, without loops."""
        return len(self.entries) // 2

    def name(self, vertex):
        return int(vertex) if self.names is None else self.names[vertex]

    def edge_array(self):
        """The edges as an array of shape (m, 2), loops included."""
        require_host(self)
        ends = np.repeat(np.arange(self.vertices, dtype=np.uint32), np.diff(self.offsets))
        once = ends < self.entries
        edges = np.column_stack([ends[once], self.entries[once]])
        loops = np.asarray(self.loops, np.uint32)
        return np.concatenate([edges, np.column_stack([loops, loops])])

    def __repr__(self):
        loops = f", {counted(len(self.loops), 'loop')}" if len(self.loops) else ""
        vertices = counted(self.vertices, "vertex", "vertices")
        return f"Graph({vertices}, {counted(self.edges, 'edge')}{loops})"


_GPU_OFFSETS = np.dtype("int64"), np.dtype("int32")
_GPU_ENTRIES = np.dtype("int32"), np.dtype("uint32")


def require_host(graph):
    """Raises Error for a graph on a GPU."""
    if graph.on_gpu:
        raise Error(
            "expected a graph in host memory, found one on a GPU; to_host() of the graph or the "
            "cover copies it"
        )


class VertexSet:
    """The base of the sets of vertices that solvers find. A subclass has the field `graph`, and
    _marks: the name of its field with a mark per vertex."""

    _marks: str

    @functools.cached_property
    def vertices(self):
        """The vertices of the set, by name."""
        require_host(self.graph)
        return tuple(self.graph.name(v) for v in np.flatnonzero(getattr(self, self._marks)))

    def __len__(self):
        return self.size

    def __iter__(self):
        return iter(self.vertices)

    @functools.cached_property
    def _members(self):
        return frozenset(self.vertices)

    def __contains__(self, name):
        return name in self._members

    def to_frame(self):
        """A pandas DataFrame with a row per vertex: its name, and whether it is in the set."""
        require_host(self.graph)
        names = range(self.graph.vertices) if self.graph.names is None else self.graph.names
        return frame({"vertex": list(names), self._marks: getattr(self, self._marks)})

    def _shown(self, proof):
        if self.graph.on_gpu:
            size = counted(self.size, "vertex", "vertices")
            return f"{type(self).__name__}({size}{proof}, on GPU {self.graph.offsets.device})"
        shown = ", ".join(map(str, self.vertices[:8])) + (", ..." if self.size > 8 else "")
        size = counted(self.size, "vertex", "vertices")
        return f"{type(self).__name__}({size}{proof}{': ' if shown else ''}{shown})"

    def _repr_html_(self):
        if self.graph.on_gpu:
            return html_table(repr(self), [], [], 0)
        rows = [(vertex,) for vertex in self.vertices[:10]]
        return html_table(repr(self), ["vertex"], rows, self.size)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Cover(VertexSet):
    """A vertex cover. What vertex_cover() returns.

    in_cover: per vertex, whether it is in the cover. size: the number of its vertices. lower_bound:
    no cover has fewer. stopped: a time limit ended the search. found: with k, whether the cover has
    at most k vertices; if not, and the search was not stopped, there is no such cover.

    If the graph is on a GPU, in_cover is a DeviceArray of uint8, 0 or 1. All that reads the cover on
    the host then raises Error; to_host() copies it.
    """

    in_cover: np.ndarray
    size: int
    lower_bound: int
    stopped: bool
    found: bool
    graph: Graph
    report: dict
    seconds: float
    backend: str

    _marks = "in_cover"

    def to_host(self):
        """The cover in host memory: itself, or a copy, also of its graph, if it is on a GPU."""
        if not self.graph.on_gpu:
            return self
        in_cover = self.in_cover.get().view(bool)
        return dataclasses.replace(self, in_cover=in_cover, graph=self.graph.to_host())

    @property
    def is_minimum(self):
        """Whether it is proved that no cover is smaller."""
        return self.size == self.lower_bound

    def __repr__(self):
        proof = "the minimum" if self.is_minimum else f"at least {self.lower_bound:,}"
        return self._shown(f", {proof}")


def vertex_cover(
    graph,
    *,
    k=None,
    mode="taper",
    time_limit=None,
    loops="force",
    backend=None,
    threads=None,
    progress=None,
    **options,
):
    """Finds a minimum vertex cover: the fewest vertices such that each edge has an end among them.

    graph: either
      - a sparse SciPy matrix or array, n x n; an entry (u, v) that is stored is an edge;
      - edges: an array of shape (m, 2), or a list of pairs of numbers from 0 or of names, or a
        DataFrame of two columns;
      - a NetworkX graph, or another object with nodes and edges;
      - a mapping from names to lists of neighbours; a Graph; or a file, as of `taper cover`.
      A Graph, and a CSR matrix of CuPy, may be on a GPU: see docs/python_gpu.md.
    Directions and repetitions of edges do not count.
    k: find a cover of at most k vertices, or prove that there is none.
    mode: "taper", "component_search", "published" or "yamout": see docs/vertex_cover.md.
    time_limit: seconds; the result is then the best cover so far, and a lower bound.
    loops: for an edge from a vertex to itself: "force" the vertex into the cover, "drop" the edge,
      or "error".
    progress: True prints a line; a callable gets a SearchProgress, four times per second.

    Returns a Cover. Raises Error. Ctrl-C stops the search.

    A SciPy CSR matrix with sorted rows that is symmetric, without loops, is read in place if its
    indices have 32 bits.

    >>> import taper
    >>> taper.vertex_cover([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]).size
    3
    >>> taper.vertex_cover([("Oslo", "Rome"), ("Rome", "Bonn")])
    Cover(1 vertex, the minimum: Rome)
    """
    if k is not None and (isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 0):
        raise Error(f"k: expected a number from 0, found {k!r}")
    seconds = checked_time_limit(time_limit)
    checked_progress(progress)
    at = call_options(backend, threads)
    whole = graph_of(graph, gpu=True)
    forced = looped_vertices(whole, loops)
    searched = _from_edges(whole.vertices, whole.edge_array(), True) if len(forced) else whole
    if k is not None and k < len(forced):
        return _all_vertices(whole, forced)
    wanted = -1 if k is None else min(int(k) - len(forced), 2**62)

    def state_of(elapsed, nodes, best, lower_bound):
        best = None if best is None else best + len(forced)
        return SearchProgress(elapsed, nodes, best, lower_bound + len(forced))

    search = _core.cover_on_device if searched.on_gpu else _core.cover
    with ticking(progress, state_of) as tick:
        in_cover, stopped, report, seconds, ran = search(
            searched.offsets,
            searched.entries,
            {"mode": mode, **options},
            wanted,
            seconds,
            *at,
            tick,
        )
    if not whole.on_gpu:
        in_cover[forced] = 1
        in_cover = in_cover.view(bool)
    size, bound = (int(report[key]) + len(forced) for key in ("cover_size", "lower_bound"))
    report.update(cover_size=size, lower_bound=bound)
    return Cover(in_cover, size, bound, stopped, report["found"], whole, report, seconds, ran)


def looped_vertices(graph, loops):
    """The vertices with an edge to themselves, if these count. Raises Error."""
    if loops not in ("force", "drop", "error"):
        raise Error(f"loops: expected one of force, drop, error, found {loops!r}")
    if len(graph.loops) and loops == "error":
        raise Error(
            f"vertex {graph.name(graph.loops[0])!r} has an edge to itself; loops='force' or 'drop' "
            "allows it"
        )
    return graph.loops if loops == "force" else np.empty(0, np.uint32)


def _all_vertices(graph, forced):
    """The answer to a question for fewer vertices than loops force."""
    n = graph.vertices
    report = {"found": False, "cover_size": n, "lower_bound": len(forced)}
    return Cover(np.ones(n, bool), n, len(forced), False, False, graph, report, 0.0, "")


def graph_of(graph, gpu=False):
    """The Graph that an argument means; on a GPU only if `gpu`. Raises Error."""
    found = _graph_of(graph)
    if not gpu:
        require_host(found)
    return found


def _graph_of(graph):
    if isinstance(graph, Graph):
        return graph
    if isinstance(graph, (str, os.PathLike)):
        return read_graph(graph)
    graph = on_host(graph, "graph")
    if hasattr(graph, "tocsr") or hasattr(graph, "indptr"):
        return _from_sparse(
            graph if hasattr(graph, "indptr") and graph.format == "csr" else graph.tocsr()
        )
    if hasattr(graph, "nodes") and hasattr(graph, "edges"):
        return _from_names(list(_called(graph.nodes)), _called(graph.edges))
    if hasattr(graph, "itertuples"):
        if graph.shape[1] != 2:
            raise Error(
                "expected a DataFrame with two columns, the ends of edges, found "
                f"{graph.shape[1]}; choose them, as df[['source', 'target']]"
            )
        return _from_pairs(list(graph.itertuples(index=False, name=None)))
    if isinstance(graph, Mapping):
        pairs = [(v, u) for v, neighbours in graph.items() for u in _neighbours(v, neighbours)]
        return _from_names(list(graph), pairs)
    if isinstance(graph, np.ndarray):
        edges = integers(graph, "edges", 2)
        if edges.shape[1] != 2:
            raise Error(
                f"edges: expected an array of shape (m, 2), found {edges.shape}; of an adjacency "
                "matrix give scipy.sparse.csr_matrix(matrix)"
            )
        return _from_numbers(edges)
    if isinstance(graph, (str, bytes)) or not isinstance(graph, Iterable):
        raise Error(
            "expected a graph: edges, a sparse matrix, a NetworkX graph or a file, found "
            f"{type(graph).__name__}"
        )
    return _from_pairs(list(graph))


def _called(view):
    return view() if callable(view) else view


def _neighbours(vertex, neighbours):
    if isinstance(neighbours, (str, bytes)) or not isinstance(neighbours, Iterable):
        raise Error(f"vertex {vertex!r}: expected a list of neighbours, found {neighbours!r}")
    return neighbours


def _from_pairs(pairs):
    for i, pair in enumerate(pairs):
        if isinstance(pair, (str, bytes)) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise Error(f"edge {i}: expected a pair of vertices, found {pair!r}")
    ends = [end for pair in pairs for end in pair]
    if all(isinstance(end, (int, np.integer)) and not isinstance(end, bool) for end in ends):
        ends = [list(pair) for pair in pairs]
        return _from_numbers(integers(ends, "edges", 2) if ends else np.empty((0, 2), np.int64))
    return _from_names([], pairs)


def _from_numbers(edges):
    if edges.size and int(edges.min()) < 0:
        row = int(np.argmax((edges < 0).any(axis=1)))
        raise Error(f"edge {row}: expected vertices from 0, found {edges[row].tolist()}")
    n = int(edges.max()) + 1 if edges.size else 0
    if n > MAX_VERTICES:
        raise Error(f"expected at most {MAX_VERTICES:,} vertices, found the vertex {n - 1:,}")
    return _from_edges(n, edges)


def _from_names(names, edges):
    """A graph of these vertices, and further ones that edges name."""
    try:
        numbers = {name: i for i, name in enumerate(names)}
        ends = [numbers.setdefault(end, len(numbers)) for edge in edges for end in edge[:2]]
    except TypeError as error:
        raise Error(f"expected names of vertices that can be keys ({error})") from None
    array = np.array(ends, np.uint32).reshape(-1, 2)
    graph = _from_edges(len(numbers), array)
    are_numbers = all(
        isinstance(name, (int, np.integer)) and name == i for name, i in numbers.items()
    )
    return dataclasses.replace(graph, names=None if are_numbers else tuple(numbers), check=False)


def _from_edges(n, edges, without_loop_vertices=False):
    array = as_type(edges, np.uint32, "edges")
    (offsets, entries), loops, _ = _core.make_graph(n, array, without_loop_vertices)
    return Graph(offsets, entries, loops, check=False)


def _checked_rows(offsets, entries):
    """The arrays of a graph in CSR format with the types of the core. Raises Error."""
    offsets = as_type(integers(offsets, "indptr"), np.int64, "indptr")
    entries = as_type(integers(entries, "indices"), np.uint32, "indices")
    if (
        len(offsets) == 0
        or offsets[0] != 0
        or offsets[-1] != len(entries)
        or np.diff(offsets).min(initial=0) < 0
    ):
        raise Error(
            "indptr: expected n + 1 numbers that begin with 0, do not fall, and end with the "
            f"number of indices, {len(entries):,}"
        )
    n = len(offsets) - 1
    if len(entries) and int(entries.max()) >= n:
        raise Error(f"indices: expected vertices below {n:,}, found {int(entries.max()):,}")
    return offsets, entries


def _from_sparse(matrix):
    rows, columns = matrix.shape
    if rows != columns:
        raise Error(f"expected a square matrix, found {rows} x {columns}")
    given = taken(matrix.indptr, "indptr"), taken(matrix.indices, "indices")
    if any(isinstance(array, DeviceArray) for array in given):
        return Graph(*given)
    offsets, entries = _checked_rows(matrix.indptr, matrix.indices)
    if len(offsets) != rows + 1:
        raise Error(f"indptr: expected {rows + 1:,} numbers, found {len(offsets):,}")
    if _core.is_simple(offsets, entries):
        return Graph(offsets, entries, check=False)
    ends = np.repeat(np.arange(rows, dtype=np.uint32), np.diff(offsets))
    return _from_edges(rows, np.column_stack([ends, entries]))


def read_graph(file, *, format="auto", columns=None):
    """Reads a graph from a file, in the forms of `taper cover`: PACE, DIMACS, Matrix Market, METIS,
    lists of edges or neighbours, adjacency matrices, node-link JSON, GraphML.

    columns: the two columns of a list of edges with the vertices, such as "source,target".

    Returns a Graph whose vertices have the names of the file: numbers, or texts. Raises Error.
    """
    require_texts(format=format, columns=columns or "")
    n, edges, first, names, are_words, notes = _core.read_graph(
        os.fspath(file), format, columns or ""
    )
    if names is None:
        names = None if first == 0 else range(first, first + n)
    else:
        names = tuple(names if are_words else map(int, names))
    return dataclasses.replace(_from_edges(n, edges), names=names, notes=tuple(notes), check=False)
