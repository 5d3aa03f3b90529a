# SPDX-License-Identifier: Apache-2.0
"""Markets: what `match`, `verify_matching`, `lottery` and `all_stable_matchings` take."""

import dataclasses
import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Optional

import numpy as np

from . import _core
from ._arrays import DeviceArray, as_type, integers, on_host, require_device_array, taken
from ._errors import Error
from ._results import counted, paths, require_texts

NO_TIES = np.empty(0, np.uint32)
MAX_AGENTS = 2**31 - 1


class _Sides:
    """What both kinds of markets have: two sides of agents with titles and names."""

    def agents(self, side):
        """The names of the agents of side 0 or 1, or their numbers from 0."""
        names = self.names[side]
        return range(self.sizes[side]) if names is None else names

    def name(self, side, agent):
        """The name of one agent, or its number."""
        names = self.names[side]
        return int(agent) if names is None else names[agent]

    def index(self, side, name):
        """The number of an agent. Raises KeyError."""
        if self.names[side] is None:
            if isinstance(name, (int, np.integer)) and 0 <= name < self.sizes[side]:
                return int(name)
            raise KeyError(name)
        indices = self.__dict__.get("_indices")
        if indices is None:
            indices = {}
            object.__setattr__(self, "_indices", indices)
        if side not in indices:
            indices[side] = {agent: i for i, agent in enumerate(self.names[side])}
        return indices[side][name]

    def side(self, title):
        """0 or 1 for a title, `first` or `second`. Raises Error."""
        for names in (self.titles, ("first", "second")):
            if title in names:
                return names.index(title)
        raise Error(f"proposer: expected {self.titles[0]!r} or {self.titles[1]!r}, found {title!r}")

    def __getstate__(self):
        return {key: value for key, value in self.__dict__.items() if key != "_indices"}

    def __setstate__(self, state):
        self.__dict__.update(state)


def _sizes_of(parts):
    return len(parts["offsets"]) - 1, len(parts["seats"])


def _checked_names(names, sizes):
    if names is None:
        return None, None
    both = tuple(side if side is None or isinstance(side, range) else tuple(side) for side in names)
    for side, size in zip(both, sizes):
        if side is not None and len(side) != size:
            raise Error(f"names: expected {size:,} of a side, found {len(side):,}")
    return both


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class CompleteMarket(_Sides):
    """A market of two sides of the same size, in which each agent ranks all of the other side.

    Row i of a table is the list of agent i: ids of the other side from 0, the best first.

    >>> import taper
    >>> market = taper.CompleteMarket([[0, 1], [1, 0]], [[1, 0], [0, 1]])
    >>> market
    CompleteMarket(2 first, 2 second)
    """

    first: np.ndarray
    second: np.ndarray
    titles: tuple = ("first", "second")
    names: tuple = (None, None)
    notes: tuple = ()
    check: dataclasses.InitVar[bool] = True

    def __post_init__(self, check):
        first, second = self.first, self.second
        if not _are_tables(first, second):
            first, second = taken(first, self.titles[0]), taken(second, self.titles[1])
            if isinstance(first, DeviceArray) or isinstance(second, DeviceArray):
                self._keep_on_gpu(first, second, check)
                return
            first, second = integers(first, self.titles[0], 2), integers(second, self.titles[1], 2)
        n = len(first)
        if first.shape != (n, n) or second.shape != (n, n):
            raise Error(f"expected two tables of n x n ids, found {first.shape} and {second.shape}")
        dtype = first.dtype if _are_tables(first, second) and n < _IDS[first.dtype] else None
        if dtype is None:
            dtype = np.uint16 if n <= 65_535 else np.uint32
            for table, title in zip((first, second), self.titles):
                # As unsigned numbers, negative ones are large.
                if table.view(f"u{table.itemsize}").max(initial=0) >= max(n, 1):
                    row, entry = np.argwhere((table < 0) | (table >= n))[0]
                    _bad_entry(title, table, row, entry)
        object.__setattr__(self, "first", np.ascontiguousarray(first, dtype))
        object.__setattr__(self, "second", np.ascontiguousarray(second, dtype))
        if self.names != (None, None):
            object.__setattr__(self, "names", _checked_names(self.names, self.sizes))
        if check:
            for table, title in zip((self.first, self.second), self.titles):
                bad = _core.bad_entry(table)
                if bad is not None:
                    _bad_entry(title, table, *bad)

    def _keep_on_gpu(self, first, second, check):
        """Sets the tables, which are on the GPU. Raises Error."""
        for table, title in zip((first, second), self.titles):
            require_device_array(table, title, 2, *_GPU_IDS)
        n = len(first)
        if first.shape != (n, n) or second.shape != (n, n):
            raise Error(f"expected two tables of n x n ids, found {first.shape} and {second.shape}")
        if first.dtype.itemsize != second.dtype.itemsize or n >= 256**first.dtype.itemsize:
            raise Error(
                f"expected two tables of one type that numbers {n:,} agents, found {first.dtype} "
                f"and {second.dtype}"
            )
        for field, table, title in zip(("first", "second"), (first, second), self.titles):
            bad = _core.bad_entry_on_device(table) if check else None
            if bad is not None:
                _fail_entry(title, n, *bad)
            object.__setattr__(self, field, table)
        object.__setattr__(self, "names", _checked_names(self.names, self.sizes))

    @property
    def on_gpu(self):
        """Whether the tables are on a GPU."""
        return isinstance(self.first, DeviceArray)

    def to_host(self):
        """The market in host memory: itself, or a copy if it is on a GPU."""
        if not self.on_gpu:
            return self
        unsigned = np.dtype(f"u{self.first.dtype.itemsize}")
        tables = (table.get().view(unsigned) for table in (self.first, self.second))
        return CompleteMarket(*tables, self.titles, self.names, self.notes, check=False)

    @property
    def sizes(self):
        return len(self.first), len(self.second)

    def lists(self, side):
        """The list of each agent of a side, as arrays of ids."""
        return (self.first, self.second)[side]

    def rank(self, side, agent, other):
        """The place, from 1, of `other` in the list of an agent."""
        require_host(self)
        return int(np.flatnonzero(self.lists(side)[agent] == other)[0]) + 1

    def __repr__(self):
        n = len(self.first)
        return f"CompleteMarket({n:,} {self.titles[0]}, {n:,} {self.titles[1]})"


_IDS = {np.dtype(np.uint16): 2**16, np.dtype(np.uint32): 2**32}  # how many a type has
_GPU_IDS = tuple(map(np.dtype, ("int32", "int16", "uint32", "uint16")))  # read as unsigned


def _are_tables(first, second):
    """Whether both are arrays of one type of ids."""
    return (
        type(first) is np.ndarray
        and type(second) is np.ndarray
        and first.dtype == second.dtype
        and first.dtype in _IDS
        and first.ndim == second.ndim == 2
    )


def require_host(market):
    """Raises Error for a market on a GPU."""
    if market.on_gpu:
        raise Error(
            "expected a market in host memory, found one on a GPU; to_host() of the market or the "
            "matching copies it"
        )


def _bad_entry(title, table, row, entry):
    _fail_entry(title, table.shape[1], row, entry, int(table[row, entry]))


def _fail_entry(title, n, row, entry, found):
    what = (
        f"{found}, which is there already"
        if 0 <= found < n
        else f"{found}; ids count from 0, so {n} of them end at {n - 1}"
    )
    raise Error(
        f"{title}, row {row}: expected a permutation of 0 to {n - 1}, found at entry {entry} {what}"
    )


_MARKET_FIELDS = ("offsets", "hospitals", "keys", "seats", "tiers")
_GPU_TYPES = (np.dtype("int32"), np.dtype("uint32")), (np.dtype("int64"),)  # of ids, of offsets


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Market(_Sides):
    """A market with lists of any length, ties and seats, in CSR arrays.

    The list of agent r of the first side is hospitals[offsets[r]:offsets[r + 1]], the best first:
    ids of the second side from 0. For each entry, keys says what the agent of the second side
    thinks of the other: lower is better, equal is a tie. Or give scores: higher is better. Without
    either all tie. seats: of each agent of the second side; without it one each. tiers: for each
    entry its tie class in the list of the first side, from 0; without it no ties.

    >>> import taper
    >>> taper.Market(offsets=[0, 2, 3], hospitals=[0, 1, 0], scores=[50, 70, 80], seats=[1, 1])
    Market(2 first, 2 second, 3 entries)
    """

    offsets: np.ndarray
    hospitals: np.ndarray
    keys: Optional[np.ndarray] = None
    seats: Optional[np.ndarray] = None
    tiers: Optional[np.ndarray] = None
    titles: tuple = ("first", "second")
    names: tuple = (None, None)
    notes: tuple = ()
    scores: dataclasses.InitVar[Optional[np.ndarray]] = None
    check: dataclasses.InitVar[bool] = True

    def __post_init__(self, scores, check):
        given = {field: taken(getattr(self, field), field) for field in _MARKET_FIELDS}
        if any(isinstance(array, DeviceArray) for array in given.values()):
            self._keep_on_gpu(given, scores, check)
            return
        for field, array in given.items():
            object.__setattr__(self, field, array)
        arrays = {}
        arrays["offsets"] = as_type(integers(self.offsets, "offsets"), np.int64, "offsets")
        arrays["hospitals"] = as_type(integers(self.hospitals, "hospitals"), np.uint32, "hospitals")
        entries = len(arrays["hospitals"])
        if self.keys is not None and scores is not None:
            raise Error("expected keys or scores, found both")
        if scores is not None:
            values = np.asarray(scores, float)
            if values.shape != (entries,) or not np.isfinite(values).all():
                raise Error(f"scores: expected {entries:,} finite numbers, one per entry")
            keys = np.unique(-values, return_inverse=True)[1].astype(np.uint32)
        elif self.keys is None:
            keys = np.zeros(entries, np.uint32)
        else:
            keys = as_type(integers(self.keys, "keys"), np.uint32, "keys")
        if self.seats is None:
            count = int(arrays["hospitals"].max()) + 1 if entries else 0
            seats = np.ones(count, np.uint32)
        else:
            seats = as_type(integers(self.seats, "seats"), np.uint32, "seats")
        arrays.update(keys=keys, seats=seats)
        tiers = self.tiers
        if tiers is not None and len(tiers) == 0 < entries:
            tiers = None
        if tiers is not None:
            tiers = as_type(integers(tiers, "tiers"), np.uint32, "tiers")
        arrays["tiers"] = tiers
        for field, array in arrays.items():
            object.__setattr__(self, field, array)
        object.__setattr__(self, "names", _checked_names(self.names, self.sizes))
        if check:
            self._check()

    def _keep_on_gpu(self, given, scores, check):
        """Sets the arrays, which are on the GPU. Raises Error."""
        if scores is not None or given["tiers"] is not None:
            raise Error("a market on a GPU takes offsets, hospitals, keys and seats, and no others")
        del given["tiers"]
        for field, array in given.items():
            require_device_array(array, field, 1, *_GPU_TYPES[field == "offsets"])
            object.__setattr__(self, field, array)
        entries = len(self.hospitals)
        if len(self.keys) != entries or len(self.offsets) == 0 or max(self.sizes) > MAX_AGENTS:
            raise Error(
                f"expected agents + 1 offsets, at most {MAX_AGENTS:,} agents per side, and a key "
                f"per entry; found {len(self.offsets):,} offsets, {entries:,} entries and "
                f"{len(self.keys):,} keys"
            )
        object.__setattr__(self, "names", _checked_names(self.names, self.sizes))
        if not check:
            return
        agent = _core.bad_list_on_device(self.arrays())
        if agent is not None:
            raise Error(
                f"agent {agent}: expected offsets that begin with 0, do not fall, and end with the "
                f"number of entries, {entries:,}, and a list of ids below {len(self.seats):,}, the "
                "number of seats, each once"
            )
        for field in ("keys", "seats"):
            array = given[field]
            if array.dtype.kind == "i" and _core.count_negative_on_device(array) > 0:
                raise Error(f"{field}: expected numbers from 0, found negative ones")

    @property
    def on_gpu(self):
        """Whether the arrays are on a GPU."""
        return isinstance(self.offsets, DeviceArray)

    def to_host(self):
        """The market in host memory: itself, or a copy if it is on a GPU."""
        if not self.on_gpu:
            return self
        arrays = (getattr(self, field).get() for field in ("offsets", "hospitals", "keys", "seats"))
        about = {"titles": self.titles, "names": self.names, "notes": self.notes}
        return Market(*arrays, **about, check=False)

    def _check(self):
        for field in ("keys", "tiers"):
            array = getattr(self, field)
            if array is not None and len(array) != len(self.hospitals):
                raise Error(
                    f"{field}: expected {len(self.hospitals):,} numbers, one per entry, found "
                    f"{len(array):,}"
                )
        if max(self.sizes) > MAX_AGENTS or len(self.offsets) == 0:
            raise Error(
                "offsets: expected agents + 1 numbers that begin with 0, and at most "
                f"{MAX_AGENTS:,} agents per side"
            )
        fault = _core.list_fault(self.offsets, self.hospitals, len(self.seats))
        if fault is not None:
            kind, agent, entry = fault
            if kind == "offsets":
                raise Error(
                    "offsets: expected numbers that begin with 0, do not fall, and end with the "
                    f"number of entries, {len(self.hospitals):,}; see agent {agent}"
                )
            found = int(self.hospitals[self.offsets[agent] + entry])
            raise Error(
                f"hospitals: the list of agent {agent} has at entry {entry} "
                + (
                    f"{found}, which is there already"
                    if kind == "duplicate"
                    else f"{found}; expected an id below {len(self.seats):,}, the number of seats"
                )
            )
        if self.tiers is not None and len(self.tiers):
            first = np.zeros(len(self.tiers), bool)
            first[self.offsets[:-1][np.diff(self.offsets) > 0]] = True
            rise = np.diff(self.tiers.astype(np.int64), prepend=0)
            if (self.tiers[first] != 0).any() or ((rise < 0) | (rise > 1))[~first].any():
                raise Error("tiers: expected classes 0, 1, 2, ... that do not fall within a list")

    @property
    def sizes(self):
        return len(self.offsets) - 1, len(self.seats)

    def rank(self, side, agent, other):
        """The place, from 1, of `other` in the list of an agent of the first side."""
        if side != 0:
            raise ValueError("only the first side has lists")
        require_host(self)
        begin, end = self.offsets[agent], self.offsets[agent + 1]
        at = int(np.flatnonzero(self.hospitals[begin:end] == other)[0])
        return at + 1 if self.tiers is None else int(self.tiers[begin + at]) + 1

    def arrays(self):
        """The arrays as the core takes them."""
        if self.on_gpu:
            return _core.DeviceMarket(self.offsets, self.hospitals, self.keys, self.seats)
        tiers = NO_TIES if self.tiers is None else self.tiers
        return _core.Arrays(self.offsets, self.hospitals, self.keys, self.seats, tiers)

    def __repr__(self):
        first, second = self.sizes
        entries = counted(len(self.hospitals), "entry", "entries")
        return f"Market({first:,} {self.titles[0]}, {second:,} {self.titles[1]}, {entries})"


def from_core(parts):
    """The market that the core has read or joined. Numbers from 1 in a file become names."""
    if parts["base"] == 1:
        sizes = (len(parts["tables"][0]),) * 2 if "tables" in parts else _sizes_of(parts)
        parts["names"] = tuple(
            range(1, size + 1) if names is None else names
            for names, size in zip(parts["names"], sizes)
        )
    if "tables" in parts:
        return CompleteMarket(
            *parts["tables"],
            titles=parts["titles"],
            names=parts["names"],
            notes=tuple(parts["notes"]),
            check=False,
        )
    return Market(
        parts["offsets"],
        parts["hospitals"],
        parts["keys"],
        parts["seats"],
        parts["tiers"] if len(parts["tiers"]) else None,
        titles=parts["titles"],
        names=parts["names"],
        notes=tuple(parts["notes"]),
        check=False,
    )


def read_market(
    *files,
    format="auto",
    preferences="order",
    base="auto",
    columns=None,
    scores="higher",
    seats=None,
    strict=False,
):
    """Reads a market from one file with both sides, or from two with one each.

    The forms are those of `taper match`: JSON, YAML, CSV, lists of numbers, PrefLib and others.
    columns: {"resident": TITLE, ...} for tables. seats: a file with seats. strict: raise an Error
    for entries that the other agent does not have, instead of dropping them with a note.

    Returns a CompleteMarket or a Market. Raises Error with the file, the line and what was
    expected.
    """
    if not 1 <= len(files) <= 2:
        raise Error(f"expected one file or two, found {len(files)}")
    options = {
        "format": format,
        "preferences": preferences,
        "base": str(base),
        "columns": ",".join(f"{role}={title}" for role, title in (columns or {}).items()),
        "scores": scores,
        "strict": bool(strict),
    }
    require_texts(**{name: text for name, text in options.items() if name != "strict"})
    for name, words in {
        "preferences": ("order", "rank"),
        "base": ("auto", "0", "1"),
        "scores": ("higher", "lower"),
    }.items():
        if options[name] not in words:
            raise Error(f"{name}: expected one of {', '.join(words)}, found {options[name]!r}")
    if seats is not None:
        options["seats"] = os.fspath(seats)
    return _noted(_core.read_market(paths(files), options))


def _noted(parts):
    count, example = parts.get("one_sided", (0, ""))
    if count:
        parts["notes"].append(_one_sided_note(count, example))
    return from_core(parts)


def _one_sided_note(count, example):
    example = example.removeprefix("market: ") if hasattr(example, "removeprefix") else example
    return f"dropped {counted(count, 'one-sided entry', 'one-sided entries')}: {example}"


# Input of functions ------------------------------------------------------------------------------


def market_of(first, second=None, *, capacities=None, strict=False, all_tie=False, check=True):
    """The market that the arguments of a function mean. Raises Error.

    all_tie: without a second side, all agents of the first tie at each of the second.
    """
    if capacities is None and _are_tables(first, second):  # the way of least overhead
        n = len(first)
        if first.shape == (n, n) == second.shape:
            return CompleteMarket(first, second, check=check)
    if type(first) is list and type(second) is list and capacities is None:
        tables = _core.tables_of_lists(first, second)
        if tables is not None:
            return CompleteMarket(*tables, check=check)
    if isinstance(first, (CompleteMarket, Market)):
        if second is not None:
            raise Error("expected a market alone, found a market and a second argument")
        return _with_capacities(first, capacities)
    if isinstance(first, (str, os.PathLike)):
        files = (first,) if second is None else (first, second)
        return _with_capacities(read_market(*files, strict=strict), capacities)
    if _is_frame(first) or _is_frame(second):
        return _with_capacities(_market_of_frames(first, second, strict), capacities)
    titles = ("first", "second")
    if second is None and isinstance(first, Mapping):
        first, second, capacities, titles = _parts_of_mapping(first, capacities, all_tie)
    if isinstance(first, Mapping):
        return _named_market(first, second, capacities, titles, strict)
    if second is None and not all_tie:
        raise Error(
            "the lists of the second side are missing; a lottery needs none: lottery='single'"
        )
    return _numbered_market(first, second, capacities, strict, check)


def _parts_of_mapping(both, capacities, all_tie):
    """The sides of a mapping {title: {name: list}, ..., "capacities": {name: seats}}."""
    sides = {key: side for key, side in both.items() if key != "capacities"}
    if len(sides) == 2 and all(isinstance(side, Mapping) for side in sides.values()):
        if capacities is not None and "capacities" in both:
            raise Error("expected capacities once, found them in the market and beside it")
        titles = tuple(str(title) for title in sides)
        return *sides.values(), both.get("capacities", capacities), titles
    if not all_tie:
        raise Error(
            "the lists of the second side are missing: expected two arguments, or a mapping with "
            "two mappings from names to lists; a lottery needs none: lottery='single'"
        )
    return both, None, capacities, ("first", "second")


def _iterated(lists, where):
    if isinstance(lists, (str, bytes)) or not isinstance(lists, Iterable):
        raise Error(f"{where}: expected a list, found {lists!r}")
    return list(lists)


def _flat_list(lists, where, others):
    """The entries of one list with their tie classes. A list, a set, or a tuple that is no name is
    a tie."""
    tier = -1
    for entry, choice in enumerate(_iterated(lists, where), 1):
        tier += 1
        is_tie = isinstance(choice, (list, set, frozenset, np.ndarray))
        if is_tie or (isinstance(choice, tuple) and choice not in others):
            if len(choice) == 0:
                raise Error(f"{where}, entry {entry}: expected a tie of some agents, found none")
            if isinstance(choice, (set, frozenset)):  # which have no order
                choice = sorted(choice, key=lambda tied: (others.get(tied, -1), str(tied)))
            for tied in choice:
                yield entry, tied, tier
        else:
            yield entry, choice, tier


class SideLists:
    """The lists of one side as arrays: offsets, ids, and the tie class of each id; without ties no
    classes."""

    def __init__(self, title, others_title):
        self.title, self.others_title = title, others_title
        self.offsets, self.ids, self.tiers = np.zeros(1, np.int64), NO_TIES, NO_TIES

    def read(self, agents, rows, others):
        """Sets the lists of all agents. others: a dict from the names in them to numbers; or how
        many there are, if the lists have numbers."""
        parts = _core.read_lists(rows, others)
        if parts is None:  # there are sets, iterables, or faults
            if isinstance(others, int):
                others = {i: i for i in range(others)}
            parts = self._read_all(agents, rows, others)
        self.offsets, self.ids, self.tiers = parts

    def _read_all(self, agents, rows, others):
        offsets, ids, tiers = [0], [], []
        for agent, choices in zip(agents, rows):
            plain = _ids_of_strict_list(choices, others)
            if plain is None:
                found, classes = self._read(f"{self.title}, {agent!r}", choices, others)
            else:
                found, classes = plain, range(len(plain))
            ids += found
            tiers += classes
            offsets.append(len(ids))
        owners = np.repeat(np.arange(len(rows)), np.diff(offsets))
        strict = np.arange(len(ids)) - np.array(offsets)[owners]
        classes = np.array(tiers, np.uint32)
        has_ties = (classes != strict).any()
        return (
            np.array(offsets, np.int64),
            np.array(ids, np.uint32),
            classes if has_ties else NO_TIES,
        )

    def _read(self, where, choices, others):
        """The ids and the tie classes of a list. Raises Error."""
        ids, tiers, seen = [], [], set()
        for entry, choice, tier in _flat_list(choices, where, others):
            place = f"{where}, entry {entry}"
            try:
                found = others.get(choice)
            except TypeError:
                raise Error(f"{place}: expected an agent, found {choice!r}") from None
            if found is None:
                raise Error(
                    f"{place}: {choice!r} is no agent of {self.others_title}{_near(choice, others)}"
                )
            if found in seen:
                raise Error(f"{place}: {choice!r} is there already")
            seen.add(found)
            ids.append(found)
            tiers.append(tier)
        return ids, tiers

    def to_core(self, names):
        return _core.Lists(self.title, names, self.offsets, self.ids, self.tiers)


def _ids_of_strict_list(choices, others):
    """The numbers of a list of known names without ties and repetitions; None for others."""
    if type(choices) is not list:
        return None
    try:
        ids = list(map(others.__getitem__, choices))
    except (KeyError, TypeError):
        return None
    return ids if len(set(ids)) == len(ids) else None


def _near(name, others):
    near = difflib.get_close_matches(str(name), [str(other) for other in others], 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _seats_of(capacities, names, count, title):
    """The seats of the second side: a mapping from names, or a number per agent."""
    seats = np.ones(count, np.uint32)
    if capacities is None:
        return seats
    if isinstance(capacities, Mapping) or hasattr(capacities, "to_dict"):
        given = capacities if isinstance(capacities, Mapping) else capacities.to_dict()
        indices = {name: i for i, name in enumerate(range(count) if names is None else names)}
        for name, number in given.items():
            if name not in indices:
                raise Error(f"capacities: {name!r} is no agent of {title}{_near(name, indices)}")
            if not _is_integer(number) or not 0 <= number < 2**32:
                raise Error(f"capacities: {name!r}: expected a number from 0, found {number!r}")
            seats[indices[name]] = number
        return seats
    array = as_type(integers(capacities, "capacities"), np.uint32, "capacities")
    if len(array) != count:
        raise Error(
            f"capacities: expected {count:,} numbers, one per agent of {title}, found "
            f"{len(array):,}"
        )
    return array


def _is_integer(number):
    return isinstance(number, (int, np.integer)) and not isinstance(number, bool)


def _named_market(first, second, capacities, titles, strict):
    names_of_first = tuple(first)
    if second is not None and not isinstance(second, Mapping):
        raise Error(
            f"{titles[1]}: expected a mapping from names to lists, found {type(second).__name__}"
        )
    if second is None:
        return _tied_market(first, capacities, titles)
    names_of_second = tuple(second)
    indices = [
        {name: i for i, name in enumerate(names)} for names in (names_of_first, names_of_second)
    ]
    sides = []
    for lists, title, others_title, others in (
        (first, titles[0], titles[1], indices[1]),
        (second, titles[1], titles[0], indices[0]),
    ):
        side = SideLists(title, others_title)
        side.read(lists, list(lists.values()), others)
        sides.append(side)
    seats = _seats_of(capacities, names_of_second, len(names_of_second), titles[1])
    return _joined(sides, (names_of_first, names_of_second), seats, strict)


def _joined(sides, names, seats, strict):
    def join(texts, strict):
        return _core.join(*(side.to_core(of) for side, of in zip(sides, texts)), seats, strict)

    parts = join((None, None), False)
    if parts["one_sided"][0]:  # the note or the error has names
        texts = [None if of is None else [str(name) for name in of] for of in names]
        parts = join(texts, bool(strict))
    parts["names"] = names
    return _noted(parts)


def _tied_market(first, capacities, titles):
    """Lists of the first side alone: all tie at each agent of the second."""
    if isinstance(capacities, Mapping):
        names = tuple(capacities)
    else:
        named = {}
        for agent, choices in first.items():
            for _, choice, _ in _flat_list(choices, f"{titles[0]}, {agent!r}", {}):
                named.setdefault(choice, len(named))
        names = tuple(named)
    side = SideLists(*titles)
    side.read(first, list(first.values()), {name: i for i, name in enumerate(names)})
    return Market(
        side.offsets,
        side.ids,
        None,
        _seats_of(capacities, names, len(names), titles[1]),
        side.tiers if len(side.tiers) else None,
        titles=titles,
        names=(tuple(first), names),
    )


def _is_csr(lists):
    """Whether this is a pair (offsets, ids) of arrays."""
    return (
        isinstance(lists, tuple)
        and len(lists) == 2
        and all(isinstance(part, np.ndarray) and part.ndim == 1 for part in lists)
    )


def _numbered_side(lists, title, other_title, others):
    """The lists of agents with numbers: CSR arrays, or an iterable of lists."""
    side = SideLists(title, other_title)
    if _is_csr(lists):
        offsets = as_type(integers(lists[0], f"{title}, offsets"), np.int64, f"{title}, offsets")
        ids = as_type(integers(lists[1], f"{title}, ids"), np.uint32, f"{title}, ids")
        fault = _core.list_fault(offsets, ids, others)
        if fault is not None or len(offsets) == 0:
            kind, agent, entry = fault or ("offsets", 0, 0)
            reason = {
                "offsets": "expected offsets that begin with 0, do not fall, and end with the "
                "number of ids",
                "range": f"expected ids below {others:,}, the agents of {other_title}",
                "duplicate": "an id is there twice",
            }[kind]
            raise Error(f"{title}, list {agent}, entry {entry}: {reason}")
        side.offsets, side.ids = offsets, ids
        return side
    rows = [row.tolist() if isinstance(row, np.ndarray) else row for row in lists]
    side.read(range(len(rows)), rows, others)
    return side


def _sides_taken(side, title):
    """As taken(); the two parts of CSR arrays are joined on the host."""
    if isinstance(side, tuple) and len(side) == 2:
        return on_host(side[0], f"{title}, offsets"), on_host(side[1], f"{title}, ids")
    return taken(side, title)


def _numbered_market(first, second, capacities, strict, check):
    first, second = _sides_taken(first, "first"), _sides_taken(second, "second")
    if isinstance(first, DeviceArray) or isinstance(second, DeviceArray):
        if capacities is not None:
            raise Error("capacities: expected none with tables on a GPU; give a Market with seats")
        return CompleteMarket(first, second, check=check)
    for side, title in ((first, "first"), (second, "second")):
        if isinstance(side, np.ndarray) and side.ndim != 2:
            raise Error(f"{title}: expected an array of 2 dimensions, found {side.ndim}")
    tables = _as_tables(first), _as_tables(second)
    complete = all(table is not None for table in tables) and tables[0].shape == tables[1].shape
    if complete and tables[0].shape[0] == tables[0].shape[1]:
        market = CompleteMarket(*tables, check=check)
        if capacities is None:
            return market
        seats = _seats_of(capacities, None, len(tables[1]), "second")
        if (seats == 1).all():
            return market
    lists = []
    for side, table, title in zip((first, second), tables, ("first", "second")):
        if side is None:
            lists.append(None)
        elif _is_csr(side):
            lists.append(side)
        else:
            lists.append(_iterated(side if table is None else table, title))
    if lists[1] is None:
        named = _tied_market(
            dict(enumerate(lists[0])), capacities_by_number(capacities), ("first", "second")
        )
        return dataclasses.replace(named, names=(None, named.names[1]), scores=None)
    sizes = [len(side[0]) - 1 if _is_csr(side) else len(side) for side in lists]
    sides = [
        _numbered_side(lists[0], "first", "second", sizes[1]),
        _numbered_side(lists[1], "second", "first", sizes[0]),
    ]
    seats = _seats_of(capacities, None, sizes[1], "second")
    return _joined(sides, (None, None), seats, strict)


def capacities_by_number(capacities):
    """Capacities of numbered agents as a mapping."""
    if capacities is None or isinstance(capacities, Mapping):
        return capacities
    return dict(enumerate(integers(capacities, "capacities").tolist()))


def _as_tables(lists):
    """Lists of one length as an array of two dimensions; None for others."""
    if isinstance(lists, np.ndarray):
        return lists if lists.ndim == 2 else None
    if lists is None or _is_csr(lists) or isinstance(lists, (str, bytes, Mapping)):
        return None
    if hasattr(lists, "__array__"):
        array = np.asarray(lists)
        return array if array.ndim == 2 else None
    if not isinstance(lists, Sequence):
        return None
    if len(lists) == 0:
        return np.empty((0, 0), np.uint16)
    if not all(isinstance(row, (list, tuple)) and len(row) == len(lists[0]) for row in lists):
        return None
    try:
        array = np.array(lists)
    except ValueError:  # a tie among numbers
        return None
    return array.reshape(len(lists), -1) if array.ndim == 2 and array.dtype.kind in "iu" else None


# pandas ------------------------------------------------------------------------------------------


def _is_frame(value):
    return hasattr(value, "to_csv") and hasattr(value, "columns")


def _market_of_frames(first, second, strict):
    """A market in one DataFrame or two, by the reader of tables."""
    texts = []
    for table, side in ((first, "resident"), (second, "hospital")):
        if table is None:
            continue
        if not _is_frame(table):
            raise Error(f"expected two DataFrames, found {type(table).__name__}")
        texts.append(_csv_of(table, side))
    options = {"format": "csv", "strict": bool(strict)}
    return _noted(_core.parse_market("DataFrame", texts, options))


def _csv_of(table, side):
    """The text of a DataFrame. An index that is not the default one has the agents of the side.
    Columns with numbers as titles are choices."""
    numbers = [column for column in table.columns if _is_integer(column)]
    if numbers:
        first = min(numbers)
        table = table.rename(columns={column: f"choice{column - first + 1}" for column in numbers})
    has_agents = type(table.index).__name__ != "RangeIndex"
    if has_agents and table.index.name is None:
        table = table.rename_axis(side)
    for column in table.columns:  # integers that a missing one has made floating-point
        if table[column].dtype.kind == "f" and (table[column].dropna() % 1 == 0).all():
            table = table.assign(**{column: table[column].astype("Int64")})
    return table.to_csv(index=has_agents)


def _with_capacities(market, capacities):
    if capacities is None:
        return market
    count = market.sizes[1]
    seats = _seats_of(capacities, market.names[1], count, market.titles[1])
    if isinstance(market, CompleteMarket):
        if (seats == 1).all():
            return market
        market = to_sparse(market)
    return dataclasses.replace(market, seats=seats, scores=None)


def to_sparse(market):
    """A CompleteMarket as a Market."""
    require_host(market)
    if isinstance(market, Market):
        return market
    n = len(market.first)
    places = np.empty((n, n), np.uint32)
    np.put_along_axis(
        places, market.second.astype(np.int64), np.arange(n, dtype=np.uint32)[None, :], axis=1
    )
    hospitals = market.first.astype(np.uint32)
    keys = places[hospitals, np.arange(n)[:, None]]
    return Market(
        np.arange(n + 1, dtype=np.int64) * n,
        hospitals.ravel(),
        keys.ravel(),
        np.ones(n, np.uint32),
        titles=market.titles,
        names=market.names,
        notes=market.notes,
        check=False,
    )


def lists_of_both(market):
    """The lists of both sides of a one-to-one market without ties, as offsets and ids of 32 bits.
    Raises Error."""
    require_host(market)
    if isinstance(market, CompleteMarket):
        n = len(market.first)
        offsets = np.arange(n + 1, dtype=np.int64) * n
        return tuple(
            part
            for table in (market.first, market.second)
            for part in (offsets, table.ravel().astype(np.int32))
        )
    residents = np.repeat(np.arange(market.sizes[0], dtype=np.int32), np.diff(market.offsets))
    order = np.lexsort((market.keys, market.hospitals))
    hospitals, keys = market.hospitals[order], market.keys[order]
    tied = (np.diff(hospitals.astype(np.int64)) == 0) & (np.diff(keys.astype(np.int64)) == 0)
    if market.tiers is not None or tied.any():
        raise Error("expected lists without ties: break them first, or use match()")
    if (market.seats != 1).any():
        raise Error("expected one seat per agent: only match() takes capacities")
    offsets = np.searchsorted(hospitals, np.arange(market.sizes[1] + 1)).astype(np.int64)
    return market.offsets, market.hospitals.astype(np.int32), offsets, residents[order]
