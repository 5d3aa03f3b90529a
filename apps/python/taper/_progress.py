# SPDX-License-Identifier: Apache-2.0
"""What calls that take long have in common: time limits, and progress for people and programs."""

import contextlib
import sys
from typing import NamedTuple, Optional

import numpy as np

from ._errors import Error


class SearchProgress(NamedTuple):
    """What a progress callback of vertex_cover() gets. best: vertices of the best cover so far, or
    None."""

    seconds: float
    nodes: int
    best: Optional[int]
    lower_bound: int

    def __str__(self):
        best = "" if self.best is None else f"  best {self.best:,}"
        return f"{self.seconds:.1f} s  {self.nodes:,} nodes{best}  at least {self.lower_bound:,}"


class SetProgress(NamedTuple):
    """What a progress callback of clique() and independent_set() gets. best: the weight of the best
    set so far, without weights its size, or None. upper_bound: no set is heavier, or None."""

    seconds: float
    nodes: int
    best: Optional[int]
    upper_bound: Optional[int]

    def __str__(self):
        best = "" if self.best is None else f"  best {self.best:,}"
        bound = "" if self.upper_bound is None else f"  at most {self.upper_bound:,}"
        return f"{self.seconds:.1f} s  {self.nodes:,} nodes{best}{bound}"


class CountProgress(NamedTuple):
    """What a progress callback of maximal_cliques(), lottery() and run() gets. count: the cliques
    that are found, or the draws or cases that are done. total: all draws or cases; None for
    cliques."""

    seconds: float
    count: int
    total: Optional[int]

    def __str__(self):
        of = "" if self.total is None else f" of {self.total:,}"
        return f"{self.seconds:.1f} s  {self.count:,}{of}"


def checked_time_limit(time_limit):
    """Seconds as the core takes them; 0: no limit. Raises Error."""
    if time_limit is None:
        return 0.0
    is_number = isinstance(time_limit, (int, float, np.integer, np.floating))
    if not is_number or isinstance(time_limit, bool) or not time_limit > 0:  # nor NaN
        raise Error(f"time_limit: expected seconds above 0, found {time_limit!r}")
    return min(float(time_limit), 1e9)


def checked_progress(progress):
    """Raises Error unless it is None, a bool or a callable."""
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise Error(f"progress: expected True or a callable, found {progress!r}")


@contextlib.contextmanager
def ticking(progress, state_of):
    """Yields what the core calls during its work, or None. state_of(*numbers): what a callback
    gets; its text is the line that progress=True prints."""
    printed = False

    def tick(*numbers):
        nonlocal printed
        state = state_of(*numbers)
        if progress is not True:
            progress(state)
            return
        print(f"\r{state} ", end="", file=sys.stderr, flush=True)
        printed = True

    try:
        yield tick if progress else None
    finally:
        if printed:
            print(file=sys.stderr)
