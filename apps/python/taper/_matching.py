# SPDX-License-Identifier: Apache-2.0
"""Two-sided matchings: match, verify_matching, lottery, all_stable_matchings; and roommates."""

import dataclasses
import re
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

import numpy as np

from . import _core
from ._arrays import DeviceArray, as_type, integers, on_host, require_device_array, taken
from ._errors import Error
from ._markets import (
    CompleteMarket,
    Market,
    SideLists,
    lists_of_both,
    market_of,
    require_host,
    to_sparse,
)
from ._progress import CountProgress, checked_progress, ticking
from ._results import call_options, counted, frame, html_table, require_texts

UNMATCHED = -1


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Matching:
    """A matching: the partner of each agent of the first side. What match() returns.

    partner_of[i]: the agent of the second side that agent i of the first has, or -1. matching[name]
    is the partner by name, or None. report: the counters of the solver.

    If the market is on a GPU, partner_of is a DeviceArray. Methods that read the partners on the
    host then raise Error; to_host() copies the matching.
    """

    partner_of: np.ndarray
    market: Any
    report: dict
    seconds: float
    backend: str

    def to_host(self):
        """The matching in host memory: itself, or a copy, also of its market, if it is on a GPU."""
        if not isinstance(self.partner_of, DeviceArray):
            return self
        return dataclasses.replace(
            self, partner_of=self.partner_of.get(), market=self.market.to_host()
        )

    @property
    def _partners(self):
        require_host(self.market)
        return self.partner_of

    def __getitem__(self, name):
        partner = self._partners[self.market.index(0, name)]
        return None if partner == UNMATCHED else self.market.name(1, partner)

    def __len__(self):
        """The number of pairs."""
        return int((self._partners != UNMATCHED).sum())

    def __iter__(self):
        """The pairs, by name, in the order of the first side."""
        for agent, partner in zip(self.market.agents(0), self._partners.tolist()):
            if partner != UNMATCHED:
                yield agent, self.market.name(1, partner)

    def members(self, name):
        """The agents of the first side that this agent of the second has, as a tuple."""
        agents = np.flatnonzero(self._partners == self.market.index(1, name))
        return tuple(self.market.name(0, agent) for agent in agents)

    @property
    def unmatched(self):
        """The agents of the first side without a partner."""
        return tuple(self.market.name(0, a) for a in np.flatnonzero(self._partners == UNMATCHED))

    def to_dict(self):
        """The partner, or None, of each agent of the first side."""
        return {
            agent: None if partner == UNMATCHED else self.market.name(1, partner)
            for agent, partner in zip(self.market.agents(0), self._partners.tolist())
        }

    def choices(self):
        """Which choice, from 1, each agent of the first side has; 0: none."""
        return np.array(
            [
                0 if partner == UNMATCHED else self.market.rank(0, agent, partner)
                for agent, partner in enumerate(self._partners.tolist())
            ],
            np.int64,
        )

    def to_frame(self):
        """A pandas DataFrame with a row per agent of the first side: agent, partner, choice."""
        first, second = self.market.titles
        partners = self.to_dict()
        return frame(
            {first: list(partners), second: list(partners.values()), "choice": self.choices()}
        )

    def __repr__(self):
        first, second = self.market.titles
        agents = self.market.sizes[0]
        if self.market.on_gpu:
            return f"Matching({agents:,} {first}, on GPU {self.partner_of.device})"
        shown = ", ".join(f"{agent} - {partner}" for agent, partner in list(_some(self, 4)))
        more = ", ..." if len(self) > 4 else ""
        notes = "".join(f"; {note}" for note in self.market.notes)
        return f"Matching({len(self):,} of {agents:,} {first}: {shown}{more}{notes})"

    def _repr_html_(self):
        if self.market.on_gpu:
            return html_table(repr(self), [], [], 0)
        partners = list(_some(self.to_dict().items(), 10))
        rows = [(agent, "" if partner is None else partner) for agent, partner in partners]
        return html_table(repr(self), self.market.titles, rows, len(self._partners))


def _some(values, count):
    for _, value in zip(range(count), values):
        yield value


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What verify_matching() found. It is true if the matching is stable.

    fault: why it is no matching; None if it is one. blocking_pairs: how many pairs prefer each
    other to what they have. pairs: the first of them, by name.
    """

    stable: bool
    fault: Optional[str]
    blocking_pairs: int
    pairs: tuple

    def __bool__(self):
        return self.stable

    def to_frame(self):
        """A pandas DataFrame with a row per blocking pair in `pairs`."""
        return frame(
            {"first": [pair[0] for pair in self.pairs], "second": [pair[1] for pair in self.pairs]}
        )

    def _repr_html_(self):
        found = self.fault or counted(self.blocking_pairs, "blocking pair")
        title = "stable" if self.stable else f"not stable: {found}"
        return html_table(title, ["first", "second"], self.pairs[:10], self.blocking_pairs)


def match(
    first,
    second=None,
    *,
    capacities=None,
    proposer="first",
    mechanism="deferred_acceptance",
    lottery=None,
    engine=None,
    strict=False,
    check=True,
    backend=None,
    threads=None,
    **options,
):
    """Finds the stable matching that is best for the proposing side.

    first, second: the preference lists of both sides, the best first. Either
      - mappings from names to lists of names; a list or a set within a list is a tie;
      - arrays or lists of lists of numbers from 0; row i is the list of agent i;
      - pairs (offsets, ids) of arrays in CSR format;
      - pandas DataFrames, as `taper match` reads tables;
      - one Market, CompleteMarket, file, or mapping {title: {name: list}, title: {name: list}}.
      Tables, and a Market of arrays, may be on a GPU: see docs/python_gpu.md.
    capacities: seats of the second side, a mapping from names or a number per agent; else one each.
    proposer: "first", "second", or the title of a side.
    mechanism: "deferred_acceptance", "immediate_acceptance", "parallel_mechanism" or
      "top_trading_cycles"; the last three need not be stable.
    lottery: how to break ties of the second side: None, by the order of the input; "single", one
      draw for all; "multiple", one draw each. The option seed= chooses the draw. With a lottery
      `second` may be left out: all tie.
    engine: of complete lists, an engine of the documents such as "GS-Seq-CPU".
    strict: raise an Error for one-sided entries, instead of dropping them with a note.
    check: whether tables are checked for permutations. Without it, wrong ones may end the process.
    backend, threads: where to run, as `taper match`. Other options: docs/markets.md and
      docs/stable_marriage.md, such as schedule= and seed=.

    Returns a Matching. Raises Error. Ctrl-C stops the solver.

    Equal sides with complete lists and one seat each, as arrays or lists of numbers, are solved by
    the engines of stable marriage, and all others by those of hospitals and residents. C-contiguous
    arrays of uint16 or uint32 are read in place. Arrays on a GPU stay there, and partner_of is
    there too.

    >>> import taper
    >>> residents = {"Ada": ["City", "Mercy"], "Ben": ["City"], "Chloe": ["City", "Mercy"]}
    >>> hospitals = {"City": ["Chloe", "Ada", "Ben"], "Mercy": ["Ada", "Chloe"]}
    >>> taper.match(residents, hospitals, capacities={"City": 2})
    Matching(2 of 3 first: Ada - City, Chloe - City)
    >>> taper.match([[0, 1], [0, 1]], [[1, 0], [0, 1]]).partner_of
    array([1, 0], dtype=int32)
    """
    _checked_words(
        mechanism=(mechanism, _MECHANISMS), lottery=(lottery, (None, "single", "multiple"))
    )
    require_texts(engine=engine or "", proposer=proposer)
    market = market_of(
        first,
        second,
        capacities=capacities,
        strict=strict,
        all_tie=lottery is not None,
        check=check,
    )
    at = call_options(backend, threads)
    side = market.side(proposer)
    simple = mechanism == _MECHANISMS[0] and lottery is None
    if isinstance(market, CompleteMarket) and simple:
        engine = engine or _engine_for(market, options)
        if side == 1:
            options["proposer"] = "women"
        solve = _core.match_on_device if market.on_gpu else _core.match_tables
        partner_of, report, seconds, ran = solve(market.first, market.second, engine, options, *at)
        return Matching(partner_of, market, report, seconds, ran)
    if engine is not None:
        raise Error(
            "engine: only complete lists of equal sides, as arrays or lists of numbers, have "
            "engines"
        )
    if isinstance(market, CompleteMarket):
        market = to_sparse(market)
    options.update(
        proposer=("residents", "hospitals")[side], mechanism=mechanism, lottery=lottery or "by_id"
    )
    if market.on_gpu:
        partner_of, *about = _core.match_market_on_device(market.arrays(), options, *at)
        return Matching(partner_of, market, *about)
    partner_of, report, seconds, ran = _core.match_market(market.arrays(), options, *at)
    return Matching(partner_of.view(np.int32), market, report, seconds, ran)


def _engine_for(market, options):
    """The default engine. In a small market threads cost more than they gain."""
    is_small = len(market.first) <= 64 and not options and not market.on_gpu
    return "GS-Seq-CPU" if is_small else "taper"


_MECHANISMS = (
    "deferred_acceptance",
    "immediate_acceptance",
    "parallel_mechanism",
    "top_trading_cycles",
)


def _checked_words(**words):
    for name, (word, known) in words.items():
        if word not in known:
            raise Error(f"{name}: expected one of {', '.join(map(str, known))}, found {word!r}")


def verify_matching(matching, first=None, second=None, *, capacities=None, strict=False, limit=10):
    """Checks whether a matching is stable, without the solver.

    matching: a Matching; or, for the market of the other arguments (see match()), a mapping from
      names to partners or None, or the number of the partner, or -1, of each agent of the first
      side. limit: how many blocking pairs to return.

    Returns a Verdict, which is true if the matching is stable. With ties, weakly. Raises Error.

    >>> import taper
    >>> residents = {"Ada": ["City", "Mercy"], "Ben": ["City"]}
    >>> hospitals = {"City": ["Ada", "Ben"], "Mercy": ["Ada"]}
    >>> taper.verify_matching({"Ada": "Mercy", "Ben": "City"}, residents, hospitals)
    Verdict(stable=False, fault=None, blocking_pairs=1, pairs=(('Ada', 'City'),))
    """
    if first is None:
        if not isinstance(matching, Matching):
            raise Error("expected a Matching, or a matching and the lists of both sides")
        market, ids = matching.market, matching.partner_of
    else:
        market = market_of(first, second, capacities=capacities, strict=strict, all_tie=True)
        ids = _partner_ids(matching, market)
    if not isinstance(limit, (int, np.integer)) or not 0 <= limit < 2**63:
        raise Error(f"limit: expected a number from 0, found {limit!r}")
    if market.on_gpu:
        fault, count, pairs = _verified_on_gpu(market, ids, limit)
    elif isinstance(market, CompleteMarket):
        dtype = market.first.dtype
        ids = np.where(ids == UNMATCHED, np.iinfo(dtype).max, ids).astype(dtype)
        bad, count, pairs = _core.verify_tables(market.first, market.second, ids, limit)
        fault = None if bad is None else _fault_of_table(market, ids, bad)
    else:
        unsigned = np.ascontiguousarray(ids, np.int32).view(np.uint32)
        fault, count, pairs = _core.verify_market(market.arrays(), unsigned, limit)
        fault = _fault_in_names(market, fault) or None
    named = tuple((market.name(0, a), market.name(1, b)) for a, b in pairs)
    return Verdict(fault is None and count == 0, fault, count, named)


def _verified_on_gpu(market, ids, limit):
    """The fault, the number of blocking pairs, and the first of them."""
    if isinstance(market, Market):
        fault, count, pairs = _core.verify_market_on_device(market.arrays(), ids, limit)
        return _fault_in_names(market, fault) or None, count, pairs
    bad, count, pairs = _core.verify_on_device(market.first, market.second, ids, limit)
    return None if bad is None else _fault_of_table(market, ids.get(), bad), count, pairs


def _partner_ids(matching, market):
    """The numbers of the partners. Raises Error."""
    first, second = market.titles
    agents, others = market.sizes
    if market.on_gpu:
        ids = matching.partner_of if isinstance(matching, Matching) else taken(matching, "matching")
        require_device_array(ids, "matching", 1, np.dtype("int32"))
        if len(ids) != agents:
            raise Error(
                f"matching: expected {agents:,} numbers, one per agent of {first}, found "
                f"{len(ids):,}"
            )
        return ids
    if isinstance(matching, Matching):
        matching = matching.to_dict()
    if not isinstance(matching, Mapping):
        ids = integers(matching, "matching")
        if len(ids) != agents:
            raise Error(
                f"matching: expected {agents:,} numbers, one per agent of {first}, found "
                f"{len(ids):,}"
            )
        if len(ids) and not (UNMATCHED <= int(ids.min()) and int(ids.max()) < others):
            raise Error(f"matching: expected agents of {second} from 0 to {others - 1}, or -1")
        return ids.astype(np.int32)
    ids = np.full(agents, UNMATCHED, np.int32)
    for agent, partner in matching.items():
        for side, name in ((0, agent), (1, partner)):
            if side == 1 and partner is None:
                continue
            try:
                found = market.index(side, name)
            except (KeyError, TypeError):
                raise Error(f"matching: {name!r} is no agent of {market.titles[side]}") from None
            if side == 0:
                at = found
            else:
                ids[at] = found
    return ids


def _fault_of_table(market, ids, bad):
    agent = market.name(0, bad)
    if not 0 <= ids[bad] < len(market.second):
        return f"{agent!r} of {market.titles[0]} has no partner"
    return f"{agent!r} of {market.titles[0]} has a partner that an earlier agent has"


def _fault_in_names(market, fault):
    """A fault of the core, "resident 3 has ...", with the agent's name and title."""
    found = re.match(r"(resident|hospital) (\d+) (.*)$", fault)
    if found is None:
        return fault
    side = ("resident", "hospital").index(found[1])
    words = {
        "hospital that": "partner that",
        "more residents than seats": "more partners than seats",
    }
    text = found[3]
    for theirs, ours in words.items():
        text = text.replace(theirs, ours)
    return f"{market.name(side, int(found[2]))!r} of {market.titles[side]} {text}"


# Lotteries ---------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Lottery:
    """How often each agent of the first side gets what, in many draws. What lottery() returns.

    counts: per entry of the market's lists, the draws in which the agent has that partner. It is a
    DeviceArray if the market is on a GPU. All that reads the counts on the host then raises Error;
    to_host() copies the lottery.
    """

    market: Market
    draws: int
    counts: np.ndarray

    def to_host(self):
        """The lottery in host memory: itself, or a copy, also of its market, if it is on a GPU."""
        if not self.market.on_gpu:
            return self
        counts = self.counts.get().view(np.uint32)
        return dataclasses.replace(self, market=self.market.to_host(), counts=counts)

    @property
    def probabilities(self):
        """counts / draws, per entry."""
        require_host(self.market)
        return self.counts / self.draws

    def of(self, name):
        """The probability of each partner in the list of an agent, and of None."""
        require_host(self.market)
        agent = self.market.index(0, name)
        entries = range(int(self.market.offsets[agent]), int(self.market.offsets[agent + 1]))
        result = {
            self.market.name(1, self.market.hospitals[e]): float(self.counts[e] / self.draws)
            for e in entries
        }
        result[None] = float((self.draws - sum(int(self.counts[e]) for e in entries)) / self.draws)
        return result

    def to_frame(self):
        """A pandas DataFrame with a row per entry: agent, partner, probability."""
        require_host(self.market)
        market = self.market
        agents = np.repeat(np.arange(market.sizes[0]), np.diff(market.offsets))
        return frame(
            {
                market.titles[0]: [market.name(0, agent) for agent in agents],
                market.titles[1]: [market.name(1, other) for other in market.hospitals],
                "probability": self.probabilities,
            }
        )

    def __repr__(self):
        return f"Lottery({counted(self.draws, 'draw')} of {self.market!r})"

    def _repr_html_(self):
        if self.market.on_gpu:
            return html_table(repr(self), [], [], 0)
        market = self.market
        ends = market.offsets[1:]
        rows = [
            (
                market.name(0, int(np.searchsorted(ends, entry, side="right"))),
                market.name(1, market.hospitals[entry]),
                f"{self.counts[entry] / self.draws:.4f}",
            )
            for entry in range(min(10, len(market.hospitals)))
        ]
        return html_table(
            repr(self), [*market.titles, "probability"], rows, len(market.hospitals)
        )


def lottery(
    first,
    second=None,
    *,
    draws,
    capacities=None,
    lottery="single",
    mechanism="deferred_acceptance",
    strict=False,
    backend=None,
    threads=None,
    progress=None,
    **options,
):
    """Draws many lotteries among tied agents, and counts the outcomes of the first side.

    Arguments: as match(); draws: how many. Draw i has the seed `seed` + i. A Market of arrays may be
    on a GPU: see docs/python_gpu.md.
    progress: True prints a line; a callable gets a CountProgress, four times per second.

    Returns a Lottery. Raises Error. Ctrl-C stops the draws.

    >>> import taper
    >>> school = taper.lottery({"Ana": ["Hill"], "Bo": ["Hill"]}, draws=1000)
    >>> 0.4 < school.of("Ana")["Hill"] < 0.6
    True
    """
    _checked_words(
        mechanism=(mechanism, _MECHANISMS[:3]), lottery=(lottery, ("single", "multiple"))
    )
    if (
        isinstance(draws, bool)
        or not isinstance(draws, (int, np.integer))
        or not 1 <= draws < 2**32
    ):
        raise Error(f"draws: expected a number from 1 to {2**32 - 1:,}, found {draws!r}")
    checked_progress(progress)
    market = market_of(first, second, capacities=capacities, strict=strict, all_tie=True)
    market = market if isinstance(market, Market) else to_sparse(market)
    options.update(mechanism=mechanism, lottery=lottery)
    at = call_options(backend, threads)

    def state_of(elapsed, done):
        return CountProgress(elapsed, done, int(draws))

    draw = _core.draw_market_on_device if market.on_gpu else _core.draw_market
    with ticking(progress, state_of) as tick:
        counts = draw(market.arrays(), draws, options, *at, tick)
    return Lottery(market, int(draws), counts)


# All stable matchings ----------------------------------------------------------------------------


class Count(NamedTuple):
    """A number of stable matchings. exact: False if there may be more."""

    matchings: int
    exact: bool


class StableMatchings:
    """An iterator over all stable matchings of a market. What all_stable_matchings() returns.

    The first one is the best for the first side. report: the counters of the preparation, such as
    the number of rotations.
    """

    def __init__(self, market):
        self.market = market
        self._walk = _core.walk(*lists_of_both(market))
        self.report = self._walk.report()

    def __iter__(self):
        return self

    def __next__(self):
        partner_of = self._walk.next()
        if partner_of is None:
            raise StopIteration
        return Matching(partner_of, self.market, {}, 0.0, "")

    def count(self, limit=0):
        """The number of stable matchings, without listing them.

        limit: how many sets of rotations to visit at most; 0: all. Returns a Count."""
        if (
            isinstance(limit, bool)
            or not isinstance(limit, (int, np.integer))
            or not 0 <= limit < 2**63
        ):
            raise Error(f"limit: expected a number from 0, found {limit!r}")
        return Count(*_core.count(self._walk, limit))

    def best(self, objective="egalitarian", **options):
        """The best stable matching by "egalitarian", "minimum_regret", "sex_equal", "man_optimal"
        or "woman_optimal". Its report has its costs, and whether it is proved to be the best."""
        partner_of, report = _core.best(self._walk, {"objective": objective, **options})
        return Matching(partner_of, self.market, report, 0.0, "")

    def __repr__(self):
        return (
            f"StableMatchings({counted(self.report['rotations'], 'rotation')} of {self.market!r})"
        )


def all_stable_matchings(first, second=None, *, strict=False):
    """Iterates over all stable matchings of a market with one seat per agent and without ties.

    Arguments: as match(). Returns a StableMatchings.

    >>> import taper
    >>> men = {"Al": ["Di", "Eve"], "Bob": ["Eve", "Di"]}
    >>> women = {"Di": ["Bob", "Al"], "Eve": ["Al", "Bob"]}
    >>> for matching in taper.all_stable_matchings(men, women):
    ...     print(matching.to_dict())
    {'Al': 'Di', 'Bob': 'Eve'}
    {'Al': 'Eve', 'Bob': 'Di'}
    """
    return StableMatchings(market_of(first, second, strict=strict))


# Roommates ---------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Roommates:
    """A stable matching of agents that rank each other, or the proof that there is none.

    solvable: whether there is one. partner_of: the partner of each agent, or -1; None if there is
    no stable matching. parties: without one, the odd parties of a stable partition, by name; each
    agent prefers the next one of its party to the one before.
    """

    solvable: bool
    partner_of: Optional[np.ndarray]
    parties: tuple
    names: Optional[tuple]
    report: dict

    def __bool__(self):
        return self.solvable

    def _name(self, agent):
        return int(agent) if self.names is None else self.names[agent]

    def to_dict(self):
        """The partner, or None, of each agent. Raises Error if there is no stable matching."""
        if self.partner_of is None:
            raise Error("no matching is stable; see parties")
        return {
            self._name(a): None if b == UNMATCHED else self._name(b)
            for a, b in enumerate(self.partner_of.tolist())
        }

    def __getitem__(self, name):
        return self.to_dict()[name]

    def to_frame(self):
        """A pandas DataFrame with a row per agent: agent, partner."""
        partners = self.to_dict()
        return frame({"agent": list(partners), "partner": list(partners.values())})

    def __repr__(self):
        if not self.solvable:
            parties = ", ".join(map(str, self.parties))
            return f"Roommates(no matching is stable; odd parties: {parties})"
        pairs = [(a, b) for a, b in enumerate(self.partner_of.tolist()) if a < b]
        shown = ", ".join(f"{self._name(a)} - {self._name(b)}" for a, b in pairs[:4])
        more = ", ..." if len(pairs) > 4 else ""
        return f"Roommates({counted(len(pairs), 'pair')}: {shown}{more})"

    def _repr_html_(self):
        if not self.solvable:
            return html_table(
                repr(self), ["odd party"], [(", ".join(map(str, p)),) for p in self.parties], 0
            )
        return html_table(
            repr(self),
            ["agent", "partner"],
            list(_some(self.to_dict().items(), 10)),
            len(self.partner_of),
        )


def roommates(lists):
    """Finds a stable matching of agents that rank each other, or proves that there is none.

    lists: a mapping from names to lists of names, the best first, of any length; or a list of lists
    or an array of numbers from 0. A pair can be matched if both list each other.

    Returns a Roommates. Raises Error.

    >>> import taper
    >>> taper.roommates({"Ada": ["Bob", "Eve"], "Bob": ["Eve", "Ada"], "Eve": ["Ada", "Bob"]})
    Roommates(no matching is stable; odd parties: ('Ada', 'Bob', 'Eve'))
    >>> taper.roommates([[1, 2, 3], [0, 2, 3], [3, 0, 1], [2, 0, 1]])
    Roommates(2 pairs: 0 - 1, 2 - 3)
    """
    if isinstance(lists, Mapping):
        names = tuple(lists)
        rows = list(lists.values())
    else:
        names = None
        lists = on_host(lists, "lists")
        rows = integers(lists, "lists", 2).tolist() if isinstance(lists, np.ndarray) else lists
        if isinstance(rows, (str, bytes)) or not hasattr(rows, "__len__"):
            raise Error(
                f"expected a mapping from names to lists, or a list of lists, found {rows!r}"
            )
    side = SideLists("agents", "agents")
    others = len(rows) if names is None else {name: i for i, name in enumerate(names)}
    side.read(names or range(len(rows)), list(rows), others)
    owners = np.repeat(np.arange(len(rows)), np.diff(side.offsets))
    own = np.flatnonzero(owners == side.ids)
    if len(own):
        agent = int(owners[own[0]])
        raise Error(
            f"agents, {agent if names is None else names[agent]!r}: the agent is in its own list"
        )
    if len(side.tiers):
        raise Error("agents: expected lists without ties")
    partner_of, successor, report = _core.roommates(side.offsets, side.ids.view(np.int32))
    parties = () if partner_of is not None else _odd_parties(successor.tolist(), names)
    return Roommates(partner_of is not None, partner_of, parties, names, report)


def _odd_parties(successor, names):
    """The cycles of an odd number of three or more agents."""
    parties, seen = [], set()
    for start in range(len(successor)):
        party = []
        at = start
        while at not in seen:
            seen.add(at)
            party.append(at if names is None else names[at])
            at = successor[at]
        if len(party) >= 3 and len(party) % 2 == 1:
            parties.append(tuple(party))
    return tuple(parties)
