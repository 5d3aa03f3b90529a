# SPDX-License-Identifier: Apache-2.0
"""Taper in Python: stable matchings, vertex covers, cliques and matrix products on Kokkos.

    match, verify_matching, lottery, all_stable_matchings, roommates   markets
    vertex_cover, independent_set, clique, maximal_cliques             graphs
    multiply                                                           matrices
    read_market, read_graph, generate                                  input
    run, info, init                                                    experiments, and the process

Agents and vertices without names count from 0. All errors of input are taper.Error, a ValueError.
Kokkos starts at the first call that needs it, and ends with the interpreter. While a solver works,
other threads of Python run, and Ctrl-C raises KeyboardInterrupt. See docs/python.md.
"""

from ._arrays import DeviceArray
from ._cliques import (
    Clique,
    IndependentSet,
    MaximalCliques,
    clique,
    independent_set,
    maximal_cliques,
)
from ._errors import Error
from ._graphs import Cover, Graph, read_graph, vertex_cover
from ._markets import CompleteMarket, Market, read_market
from ._matching import (
    Count,
    Lottery,
    Matching,
    Roommates,
    StableMatchings,
    Verdict,
    all_stable_matchings,
    lottery,
    match,
    roommates,
    verify_matching,
)
from ._matrices import multiply
from ._process import Results, generate, info, init, run
from ._progress import CountProgress, SearchProgress, SetProgress

__all__ = [
    "Clique",
    "CompleteMarket",
    "Count",
    "CountProgress",
    "Cover",
    "DeviceArray",
    "Error",
    "Graph",
    "IndependentSet",
    "Lottery",
    "Market",
    "Matching",
    "MaximalCliques",
    "Results",
    "Roommates",
    "SearchProgress",
    "SetProgress",
    "StableMatchings",
    "Verdict",
    "all_stable_matchings",
    "clique",
    "generate",
    "independent_set",
    "info",
    "init",
    "lottery",
    "match",
    "maximal_cliques",
    "multiply",
    "read_graph",
    "read_market",
    "roommates",
    "run",
    "verify_matching",
    "vertex_cover",
]
