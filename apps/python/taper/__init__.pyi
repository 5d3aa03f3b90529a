# SPDX-License-Identifier: Apache-2.0
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Optional, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

_File = Union[str, os.PathLike[str]]
_Array = Any  # an ArrayLike, or an array of DLPack or __cuda_array_interface__
_Lists = Any  # mappings, arrays, lists of lists, DataFrames, markets or files: see match()
_Weights = Union[Mapping[Any, int], ArrayLike, str, None]
_Capacities = Union[Mapping[Any, int], ArrayLike, None]
_Mechanism = Literal[
    "deferred_acceptance", "immediate_acceptance", "parallel_mechanism", "top_trading_cycles"
]
_LotteryKind = Literal["single", "multiple"]

class Error(ValueError): ...

class DeviceArray:
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> np.dtype[Any]: ...
    @property
    def ndim(self) -> int: ...
    @property
    def size(self) -> int: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def device(self) -> int: ...
    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...
    def __len__(self) -> int: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...
    def __dlpack__(
        self,
        *,
        stream: Optional[int] = ...,
        max_version: Optional[tuple[int, int]] = ...,
        dl_device: Optional[tuple[int, int]] = ...,
        copy: Optional[bool] = ...,
    ) -> Any: ...
    def get(self) -> NDArray[Any]: ...

class CompleteMarket:
    first: Union[NDArray[np.unsignedinteger[Any]], DeviceArray]
    second: Union[NDArray[np.unsignedinteger[Any]], DeviceArray]
    titles: tuple[str, str]
    names: tuple[Optional[tuple[Any, ...]], Optional[tuple[Any, ...]]]
    notes: tuple[str, ...]
    def __init__(
        self,
        first: _Array,
        second: _Array,
        titles: tuple[str, str] = ...,
        names: tuple[Any, Any] = ...,
        notes: tuple[str, ...] = ...,
        check: bool = ...,
    ) -> None: ...
    @property
    def sizes(self) -> tuple[int, int]: ...
    @property
    def on_gpu(self) -> bool: ...
    def to_host(self) -> CompleteMarket: ...

class Market:
    offsets: Union[NDArray[np.int64], DeviceArray]
    hospitals: Union[NDArray[np.uint32], DeviceArray]
    keys: Union[NDArray[np.uint32], DeviceArray]
    seats: Union[NDArray[np.uint32], DeviceArray]
    tiers: Optional[NDArray[np.uint32]]
    titles: tuple[str, str]
    names: tuple[Optional[tuple[Any, ...]], Optional[tuple[Any, ...]]]
    notes: tuple[str, ...]
    def __init__(
        self,
        offsets: _Array,
        hospitals: _Array,
        keys: Optional[_Array] = ...,
        seats: Optional[_Array] = ...,
        tiers: Optional[ArrayLike] = ...,
        titles: tuple[str, str] = ...,
        names: tuple[Any, Any] = ...,
        notes: tuple[str, ...] = ...,
        scores: Optional[ArrayLike] = ...,
        check: bool = ...,
    ) -> None: ...
    @property
    def sizes(self) -> tuple[int, int]: ...
    @property
    def on_gpu(self) -> bool: ...
    def to_host(self) -> Market: ...

class Matching:
    partner_of: Union[NDArray[np.int32], DeviceArray]
    market: Union[CompleteMarket, Market]
    report: dict[str, Any]
    seconds: float
    backend: str
    def to_host(self) -> Matching: ...
    def __getitem__(self, name: Any) -> Any: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[tuple[Any, Any]]: ...
    def members(self, name: Any) -> tuple[Any, ...]: ...
    @property
    def unmatched(self) -> tuple[Any, ...]: ...
    def to_dict(self) -> dict[Any, Any]: ...
    def choices(self) -> NDArray[np.int64]: ...
    def to_frame(self) -> Any: ...

class Verdict:
    stable: bool
    fault: Optional[str]
    blocking_pairs: int
    pairs: tuple[tuple[Any, Any], ...]
    def __bool__(self) -> bool: ...
    def to_frame(self) -> Any: ...

class Lottery:
    market: Market
    draws: int
    counts: Union[NDArray[np.uint32], DeviceArray]
    def to_host(self) -> Lottery: ...
    @property
    def probabilities(self) -> NDArray[np.float64]: ...
    def of(self, name: Any) -> dict[Any, float]: ...
    def to_frame(self) -> Any: ...

class Count(NamedTuple):
    matchings: int
    exact: bool

class StableMatchings:
    market: Union[CompleteMarket, Market]
    report: dict[str, int]
    def __iter__(self) -> StableMatchings: ...
    def __next__(self) -> Matching: ...
    def count(self, limit: int = ...) -> Count: ...
    def best(
        self,
        objective: Literal[
            "egalitarian", "minimum_regret", "sex_equal", "man_optimal", "woman_optimal"
        ] = ...,
        **options: Any,
    ) -> Matching: ...

class Roommates:
    solvable: bool
    partner_of: Optional[NDArray[np.int32]]
    parties: tuple[tuple[Any, ...], ...]
    names: Optional[tuple[Any, ...]]
    report: dict[str, int]
    def __bool__(self) -> bool: ...
    def __getitem__(self, name: Any) -> Any: ...
    def to_dict(self) -> dict[Any, Any]: ...
    def to_frame(self) -> Any: ...

class Graph:
    offsets: Union[NDArray[np.int64], DeviceArray]
    entries: Union[NDArray[np.uint32], DeviceArray]
    loops: NDArray[np.uint32]
    names: Optional[Sequence[Any]]
    notes: tuple[str, ...]
    def __init__(
        self,
        offsets: _Array,
        entries: _Array,
        loops: ArrayLike = ...,
        names: Optional[Sequence[Any]] = ...,
        notes: tuple[str, ...] = ...,
        check: bool = ...,
    ) -> None: ...
    @property
    def on_gpu(self) -> bool: ...
    def to_host(self) -> Graph: ...
    @property
    def vertices(self) -> int: ...
    @property
    def edges(self) -> int: ...
    def name(self, vertex: int) -> Any: ...
    def edge_array(self) -> NDArray[np.uint32]: ...

class Cover:
    in_cover: Union[NDArray[np.bool_], DeviceArray]
    size: int
    lower_bound: int
    stopped: bool
    found: bool
    graph: Graph
    report: dict[str, Any]
    seconds: float
    backend: str
    def to_host(self) -> Cover: ...
    @property
    def is_minimum(self) -> bool: ...
    @property
    def vertices(self) -> tuple[Any, ...]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __contains__(self, name: Any) -> bool: ...
    def to_frame(self) -> Any: ...

class SearchProgress(NamedTuple):
    seconds: float
    nodes: int
    best: Optional[int]
    lower_bound: int

class _HeaviestSet:
    in_set: NDArray[np.bool_]
    size: int
    weight: int
    upper_bound: int
    stopped: bool
    graph: Graph
    report: dict[str, Any]
    seconds: float
    backend: str
    @property
    def is_maximum(self) -> bool: ...
    @property
    def vertices(self) -> tuple[Any, ...]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __contains__(self, name: Any) -> bool: ...
    def to_frame(self) -> Any: ...

class Clique(_HeaviestSet): ...
class IndependentSet(_HeaviestSet): ...

class MaximalCliques:
    count: int
    largest: int
    largest_count: int
    stopped: bool
    offsets: NDArray[np.int64]
    members: NDArray[np.uint32]
    graph: Graph
    report: dict[str, Any]
    seconds: float
    backend: str
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[tuple[Any, ...]]: ...
    @overload
    def __getitem__(self, i: int) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, i: slice) -> tuple[tuple[Any, ...], ...]: ...
    def to_frame(self) -> Any: ...

class SetProgress(NamedTuple):
    seconds: float
    nodes: int
    best: Optional[int]
    upper_bound: Optional[int]

class CountProgress(NamedTuple):
    seconds: float
    count: int
    total: Optional[int]

class Results:
    folder: str
    content: dict[str, Any]
    complete: bool
    @property
    def cases(self) -> list[dict[str, Any]]: ...
    def to_frame(self) -> Any: ...

def match(
    first: _Lists,
    second: _Lists = ...,
    *,
    capacities: _Capacities = ...,
    proposer: str = ...,
    mechanism: _Mechanism = ...,
    lottery: Optional[_LotteryKind] = ...,
    engine: Optional[str] = ...,
    strict: bool = ...,
    check: bool = ...,
    backend: Optional[str] = ...,
    threads: Optional[int] = ...,
    **options: Any,
) -> Matching: ...
def verify_matching(
    matching: Union[Matching, Mapping[Any, Any], _Array],
    first: _Lists = ...,
    second: _Lists = ...,
    *,
    capacities: _Capacities = ...,
    strict: bool = ...,
    limit: int = ...,
) -> Verdict: ...
def lottery(
    first: _Lists,
    second: _Lists = ...,
    *,
    draws: int,
    capacities: _Capacities = ...,
    lottery: _LotteryKind = ...,
    mechanism: _Mechanism = ...,
    strict: bool = ...,
    backend: Optional[str] = ...,
    threads: Optional[int] = ...,
    progress: Union[bool, Callable[[CountProgress], object], None] = ...,
    **options: Any,
) -> Lottery: ...
def all_stable_matchings(
    first: _Lists, second: _Lists = ..., *, strict: bool = ...
) -> StableMatchings: ...
def roommates(lists: _Lists) -> Roommates: ...
def vertex_cover(
    graph: Any,
    *,
    k: Optional[int] = ...,
    mode: Literal["taper", "component_search", "published", "yamout"] = ...,
    time_limit: Optional[float] = ...,
    loops: Literal["force", "drop", "error"] = ...,
    backend: Optional[str] = ...,
    threads: Optional[int] = ...,
    progress: Union[bool, Callable[[SearchProgress], object], None] = ...,
    **options: Any,
) -> Cover: ...
def clique(
    graph: Any,
    weights: _Weights = ...,
    *,
    bound: Literal["maxsat", "recolouring", "colouring"] = ...,
    time_limit: Optional[float] = ...,
    threads: Optional[int] = ...,
    progress: Union[bool, Callable[[SetProgress], object], None] = ...,
) -> Clique: ...
def independent_set(
    graph: Any,
    weights: _Weights = ...,
    *,
    loops: Literal["force", "drop", "error"] = ...,
    time_limit: Optional[float] = ...,
    threads: Optional[int] = ...,
    progress: Union[bool, Callable[[SetProgress], object], None] = ...,
) -> IndependentSet: ...
def maximal_cliques(
    graph: Any,
    *,
    limit: int = ...,
    time_limit: Optional[float] = ...,
    threads: Optional[int] = ...,
    progress: Union[bool, Callable[[CountProgress], object], None] = ...,
) -> MaximalCliques: ...
@overload
def multiply(
    a: _Array,
    b: _Array,
    *,
    c: Optional[_Array] = ...,
    alpha: float = ...,
    beta: Optional[float] = ...,
    out: Optional[_Array] = ...,
    engine: str = ...,
    backend: Optional[str] = ...,
    threads: Optional[int] = ...,
    report: Literal[False] = ...,
    **options: Any,
) -> Union[NDArray[np.floating[Any]], DeviceArray]: ...
@overload
def multiply(
    a: _Array, b: _Array, *, report: Literal[True], **options: Any
) -> tuple[Union[NDArray[np.floating[Any]], DeviceArray], dict[str, Any]]: ...
def read_market(
    *files: _File,
    format: str = ...,
    preferences: Literal["order", "rank"] = ...,
    base: Union[Literal["auto"], int] = ...,
    columns: Optional[Mapping[str, str]] = ...,
    scores: Literal["higher", "lower"] = ...,
    seats: Optional[_File] = ...,
    strict: bool = ...,
) -> Union[CompleteMarket, Market]: ...
def read_graph(file: _File, *, format: str = ..., columns: Optional[str] = ...) -> Graph: ...
def generate(
    what: Literal["market", "hospitals", "graph", "matrix"],
    family: str,
    *size: int,
    seed: int = ...,
    **parameters: Any,
) -> Any: ...
def run(
    config: Union[Mapping[str, Any], _File],
    *settings: str,
    resume: bool = ...,
    progress: Union[bool, Callable[[CountProgress], object], None] = ...,
) -> Results: ...
def info() -> dict[str, Any]: ...
def init(threads: Optional[int] = ..., device: Optional[int] = ...) -> None: ...
