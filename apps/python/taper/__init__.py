# SPDX-License-Identifier: Apache-2.0
"""Taper in Python: stable matchings, minimum vertex covers and matrix products on Kokkos.

    match, verify_matching, lottery, all_stable_matchings, roommates   markets
    vertex_cover                                                       graphs
    multiply                                                           matrices
    read_market, read_graph, generate                                  input
    run, info, init                                                    experiments, and the process

Agents and vertices without names count from 0. All errors of input are taper.Error, a ValueError.
Kokkos starts at the first call that needs it, and ends with the interpreter. While a solver works,
other threads of Python run, and Ctrl-C raises KeyboardInterrupt. See docs/python.md.
"""

from ._errors import Error
from ._graphs import Cover, Graph, SearchProgress, read_graph, vertex_cover
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

__all__ = [
    "CompleteMarket",
    "Count",
    "Cover",
    "Error",
    "Graph",
    "Lottery",
    "Market",
    "Matching",
    "Results",
    "Roommates",
    "SearchProgress",
    "StableMatchings",
    "Verdict",
    "all_stable_matchings",
    "generate",
    "info",
    "init",
    "lottery",
    "match",
    "multiply",
    "read_graph",
    "read_market",
    "roommates",
    "run",
    "verify_matching",
    "vertex_cover",
]
