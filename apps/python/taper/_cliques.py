# SPDX-License-Identifier: Apache-2.0
"""Maximum cliques and independent sets, with and without weights, and all maximal cliques."""

import dataclasses
from collections.abc import Mapping

import numpy as np

from . import _core
from ._arrays import integers
from ._errors import Error
from ._graphs import Graph, VertexSet, graph_of, looped_vertices, vertex_cover
from ._progress import CountProgress, SetProgress, checked_progress, checked_time_limit, ticking
from ._results import call_options, counted, frame, html_table

NO_WEIGHTS = np.empty(0, np.int64)
MAX_WEIGHT_SUM = 2**63 - 1


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class _HeaviestSet(VertexSet):
    in_set: np.ndarray
    size: int
    weight: int
    upper_bound: int
    stopped: bool
    graph: Graph
    report: dict
    seconds: float
    backend: str

    _marks = "in_set"

    @property
    def is_maximum(self):
        """Whether it is proved that no other set is heavier."""
        return self.weight == self.upper_bound

    def __repr__(self):
        weight = "" if self.weight == self.size else f" of weight {self.weight:,}"
        proof = "the maximum" if self.is_maximum else f"at most {self.upper_bound:,}"
        return self._shown(f"{weight}, {proof}")


class Clique(_HeaviestSet):
    """A clique: each two of its vertices are adjacent. What clique() returns.

    in_set: per vertex, whether it is in the clique. size: the vertices. weight: the sum of their
    weights; without weights the size. upper_bound: no clique is heavier. stopped: a time limit
    ended the search.
    """


class IndependentSet(_HeaviestSet):
    """An independent set: no two of its vertices are adjacent. What independent_set() returns.

    in_set: per vertex, whether it is in the set. size: the vertices. weight: the sum of their
    weights; without weights the size. upper_bound: no independent set is heavier. stopped: a time
    limit ended the search.
    """


def clique(graph, weights=None, *, bound="maxsat", time_limit=None, threads=None, progress=None):
    """Finds a maximum clique: the most vertices of which each two are adjacent. With weights: a
    clique of maximum weight.

    graph: as vertex_cover() takes it. Edges from a vertex to itself do not count.
    weights: integers from 0, with a sum below 2^63: a mapping from the names of all vertices, an
      array with one per vertex, or the name of an attribute of a NetworkX graph's nodes. Vertices
      of weight 0 are in no clique.
    bound: how a node of the search bounds cliques, "maxsat", "recolouring" or "colouring": see
      docs/clique.md.
    time_limit: seconds; the result is then the best clique so far, and an upper bound.
    threads: of the host, which searches; else all.
    progress: True prints a line; a callable gets a SetProgress, four times per second.

    Returns a Clique. Raises Error. Ctrl-C stops the search.

    >>> import taper
    >>> kite = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 1)]
    >>> taper.clique(kite).size
    3
    >>> taper.clique(kite, weights=[1, 1, 1, 9])
    Clique(3 vertices of weight 11, the maximum: 1, 2, 3)
    """
    whole, seconds, threads = _arguments(graph, time_limit, threads, progress)
    values = None if weights is None else _weights_of(weights, graph, whole)

    def state_of(elapsed, nodes, best):
        return SetProgress(elapsed, nodes, best, None)

    with ticking(progress, state_of) as tick:
        found = _core.clique(
            whole.offsets,
            whole.entries,
            NO_WEIGHTS if values is None else values,
            {"bound": bound},
            seconds,
            threads,
            tick,
        )
    return _result(Clique, "clique", whole, *found)


def independent_set(
    graph, weights=None, *, loops="force", time_limit=None, threads=None, progress=None
):
    """Finds a maximum independent set: the most vertices of which no two are adjacent. With
    weights: an independent set of maximum weight.

    graph: as vertex_cover() takes it.
    weights: as clique() takes them; the search is that of docs/weighted_sets.md. Without weights,
      the search finds a minimum vertex cover, and the set has the other vertices.
    loops: for an edge from a vertex to itself: "force" the vertex out of the set, "drop" the edge,
      or "error".
    time_limit: seconds; the result is then the best set so far, and an upper bound.
    threads: of the host, which searches; else all.
    progress: True prints a line; a callable gets a SetProgress, four times per second.

    Returns an IndependentSet. Raises Error. Ctrl-C stops the search.

    >>> import taper
    >>> ring = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]
    >>> taper.independent_set(ring).size
    2
    >>> taper.independent_set(ring, weights=[5, 1, 1, 1, 1]).weight
    6
    """
    if weights is None:
        return _without_cover(graph, loops, time_limit, threads, progress)
    whole, seconds, threads = _arguments(graph, time_limit, threads, progress)
    values = _weights_of(weights, graph, whole).copy()
    values[looped_vertices(whole, loops)] = 0  # in no set
    with ticking(progress, SetProgress) as tick:
        found = _core.weighted_set(whole.offsets, whole.entries, values, seconds, threads, tick)
    return _result(IndependentSet, "set", whole, *found)


def _without_cover(graph, loops, time_limit, threads, progress):
    """The vertices outside a minimum cover, an IndependentSet."""
    whole = graph_of(graph)
    n = whole.vertices

    def watch(state):
        best = None if state.best is None else n - state.best
        tick(state.seconds, state.nodes, best, n - state.lower_bound)

    checked_progress(progress)
    with ticking(progress, SetProgress) as tick:
        cover = vertex_cover(
            whole,
            loops=loops,
            time_limit=time_limit,
            backend="host",
            threads=threads,
            progress=tick and watch,
        )
    size, bound = n - cover.size, n - cover.lower_bound
    return IndependentSet(
        ~cover.in_cover,
        size,
        size,
        bound,
        cover.stopped,
        whole,
        cover.report,
        cover.seconds,
        cover.backend,
    )


def _arguments(graph, time_limit, threads, progress):
    """The graph, the seconds and the threads of a call. Raises Error."""
    seconds = checked_time_limit(time_limit)
    checked_progress(progress)
    threads = call_options(None, threads)[1]
    return graph_of(graph), seconds, threads


def _result(kind, what, graph, marks, stopped, report, seconds, backend):
    """The result of a search; `what`: of which the report speaks."""
    return kind(
        marks.view(bool),
        report[f"{what}_size"],
        report[f"{what}_weight"],
        report["upper_bound"],
        stopped,
        graph,
        report,
        seconds,
        backend,
    )


def _weights_of(weights, given, graph):
    """The weights as int64, one per vertex. Raises Error."""
    names = range(graph.vertices) if graph.names is None else graph.names
    if isinstance(weights, str):
        weights = _attributes(weights, given)
    elif hasattr(weights, "to_dict"):
        weights = weights.to_dict()
    if isinstance(weights, Mapping):
        listed = [weights.get(name) for name in names]
        for name, weight in zip(names, listed):
            if weight is None:
                raise Error(f"weights: vertex {name!r} has none")
            if isinstance(weight, bool) or not isinstance(weight, (int, np.integer)):
                raise Error(
                    f"weights: vertex {name!r}: expected an integer from 0, found {weight!r}"
                )
        if len(weights) > len(listed):
            known = set(names)
            unknown = next(name for name in weights if name not in known)
            raise Error(f"weights: {unknown!r} is no vertex of the graph")
        array = np.array(listed, object)
    else:
        array = integers(weights, "weights")
        if len(array) != graph.vertices:
            raise Error(
                f"weights: expected {graph.vertices:,} numbers, one per vertex, found "
                f"{len(array):,}"
            )
    if len(array) and array.min() < 0:
        vertex = int(array.argmin())
        raise Error(
            f"weights: vertex {names[vertex]!r}: expected an integer from 0, found {array[vertex]}"
        )
    if len(array) and int(array.max()) > MAX_WEIGHT_SUM // len(array):
        total = sum(array.tolist())
        if total > MAX_WEIGHT_SUM:
            raise Error(f"weights: expected a sum up to {MAX_WEIGHT_SUM:,}, found {total:,}")
    return np.ascontiguousarray(array, np.int64)


def _attributes(name, graph):
    """An attribute of the nodes of a NetworkX graph, where they have it. Raises Error."""
    try:
        return {
            vertex: attributes[name]
            for vertex, attributes in graph.nodes.items()
            if name in attributes
        }
    except (AttributeError, TypeError):
        raise Error(
            f"weights: expected a mapping or an array, since only graphs of NetworkX have "
            f"attributes such as {name!r}"
        ) from None


# Maximal cliques ---------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class MaximalCliques:
    """Maximal cliques, each a tuple of vertices by name. What maximal_cliques() returns.

    count: the number of maximal cliques. largest: the vertices of the largest one. largest_count:
    the number of cliques of this size. stopped: a time limit ended the search; there may be more.
    offsets, members: the vertices of the i-th listed clique are
    members[offsets[i]:offsets[i + 1]].
    """

    count: int
    largest: int
    largest_count: int
    stopped: bool
    offsets: np.ndarray
    members: np.ndarray
    graph: Graph
    report: dict
    seconds: float
    backend: str

    def __len__(self):
        """The number of listed cliques."""
        return len(self.offsets) - 1

    def __getitem__(self, i):
        if isinstance(i, slice):
            return tuple(self[j] for j in range(*i.indices(len(self))))
        if not -len(self) <= i < len(self):
            raise IndexError(f"clique {i} of {len(self)}")
        i %= len(self)
        vertices = self.members[self.offsets[i] : self.offsets[i + 1]]
        return tuple(self.graph.name(v) for v in vertices)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def to_frame(self):
        """A pandas DataFrame with a row per vertex of each listed clique: clique, vertex."""
        cliques = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        return frame({"clique": cliques, "vertex": [self.graph.name(v) for v in self.members]})

    def __repr__(self):
        listed = "" if len(self) == self.count else f", {len(self):,} of them listed"
        more = "at least " if self.stopped else ""
        vertices = counted(self.largest, "vertex", "vertices")
        return f"MaximalCliques({more}{self.count:,}, the largest of {vertices}{listed})"

    def _repr_html_(self):
        rows = [(", ".join(map(str, vertices)),) for vertices in self[:10]]
        return html_table(repr(self), ["clique"], rows, len(self))


def maximal_cliques(graph, *, limit=1_000_000, time_limit=None, threads=None, progress=None):
    """Lists and counts the maximal cliques: those that are part of no other clique.

    graph: as vertex_cover() takes it. Edges from a vertex to itself do not count.
    limit: how many to list at most. All are counted; 0 counts alone, which takes less time.
    time_limit: seconds; the result then has those that were found.
    threads: of the host, which searches; else all.
    progress: True prints a line; a callable gets a CountProgress, four times per second.

    Returns a MaximalCliques. Raises Error. Ctrl-C stops the search.

    >>> import taper
    >>> cliques = taper.maximal_cliques([(0, 1), (1, 2), (2, 0), (2, 3), (3, 1)])
    >>> cliques.count, list(cliques)
    (2, [(0, 1, 2), (1, 2, 3)])
    """
    is_number = isinstance(limit, (int, np.integer)) and not isinstance(limit, bool)
    if not is_number or not 0 <= limit < 2**63:
        raise Error(f"limit: expected a number from 0, found {limit!r}")
    whole, seconds, threads = _arguments(graph, time_limit, threads, progress)

    def state_of(elapsed, found):
        return CountProgress(elapsed, found, None)

    with ticking(progress, state_of) as tick:
        lists, stopped, report, seconds, ran = _core.maximal_cliques(
            whole.offsets, whole.entries, int(limit), seconds, threads, tick
        )
    counts = (report[key] for key in ("cliques", "largest", "largest_count"))
    return MaximalCliques(*counts, stopped, *lists, whole, report, seconds, ran)
