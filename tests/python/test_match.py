# SPDX-License-Identifier: Apache-2.0
"""match(), lottery() and verify_matching(), by the form of their input."""

import pickle
import random

import numpy as np
import oracles
import pytest
import refusals
import taper
from taper import _markets

SEEDS = range(8)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n", [1, 2, 5, 30])
def test_tables(seed, n):
    first, second = oracles.random_tables(seed, n)
    expected = oracles.deferred_acceptance(oracles.as_names(first), oracles.as_names(second), {})
    for form in (
        list,
        np.array,
        lambda x: np.array(x, np.uint16),
        lambda x: np.array(x, np.uint32),
    ):
        matching = taper.match(form(first), form(second))
        assert matching.to_dict() == expected
    women = oracles.hospitals_propose(oracles.as_names(first), oracles.as_names(second), {})
    assert taper.match(first, second, proposer="second").to_dict() == women


@pytest.mark.parametrize(
    "engine", ["GS-Seq-CPU", "MW-Seq-CPU", "LA-Seq-CPU", "MW-Par-CPU", "Bamboo-SMP", "taper"]
)
def test_engines(engine):
    tables = oracles.random_tables(1, 40)
    expected = oracles.deferred_acceptance(*map(oracles.as_names, tables), {})
    matching = taper.match(*tables, engine=engine)
    assert matching.to_dict() == expected
    assert matching.report["proposals"] == matching.choices().sum()


@pytest.mark.parametrize("seed", SEEDS)
def test_tables_with_seats(seed):
    first, second = oracles.random_tables(seed, 7)
    seats = dict(enumerate([2, 0, 1, 3, 0, 1, 2]))
    expected = oracles.deferred_acceptance(*map(oracles.as_names, (first, second)), seats)
    assert taper.match(first, second, capacities=seats).to_dict() == expected
    arrays = np.array(first, np.uint16), np.array(second, np.uint16)
    assert taper.match(*arrays, capacities=list(seats.values())).to_dict() == expected
    market = taper.CompleteMarket(*arrays)
    assert taper.match(market, capacities=seats).to_dict() == expected


def test_tables_are_read_in_place():
    for dtype in (np.uint16, np.uint32):
        first, second = (np.array(table, dtype) for table in oracles.random_tables(2, 9))
        market = taper.match(first, second).market
        assert market.first is first and market.second is second
    # others are converted: another type, another order, a part of an array
    wide = np.zeros((9, 18), np.uint16)
    wide[:, ::2] = first
    for other in (first.astype(np.int64), np.asfortranarray(first), wide[:, ::2]):
        market = taper.match(other, second).market
        assert market.first is not other and (market.first == first).all()
        assert market.first.flags.c_contiguous


def test_read_only_arrays():
    first, second = (np.array(table, np.uint16) for table in oracles.random_tables(2, 9))
    first.flags.writeable = False
    assert taper.verify_matching(taper.match(first, second))


@pytest.mark.parametrize("seed", SEEDS)
def test_names(seed):
    first, second, seats = oracles.random_market(seed)
    matching = taper.match(first, second, capacities=seats)
    assert matching.to_dict() == oracles.deferred_acceptance(first, second, seats)
    assert dict(matching) == {r: h for r, h in matching.to_dict().items() if h is not None}
    assert len(matching) == len(dict(matching)) == 6 - len(matching.unmatched)
    for hospital in second:
        assert set(matching.members(hospital)) == {r for r, h in matching if h == hospital}
    for resident, choice in zip(first, matching.choices()):
        assert choice == (
            0 if matching[resident] is None else first[resident].index(matching[resident]) + 1
        )
    other = taper.match(first, second, capacities=seats, proposer="second")
    assert other.to_dict() == oracles.hospitals_propose(first, second, seats)


@pytest.mark.parametrize("seed", SEEDS)
def test_csr_arrays_and_lists_of_numbers(seed):
    first, second, seats = oracles.random_market(seed)
    expected = oracles.deferred_acceptance(first, second, seats)
    expected = [-1 if h is None else int(h[1:]) for h in expected.values()]
    rows = [[int(name[1:]) for name in choices] for choices in first.values()]
    columns = [[int(name[1:]) for name in choices] for choices in second.values()]
    capacities = list(seats.values())
    assert taper.match(rows, columns, capacities=capacities).partner_of.tolist() == expected

    def csr(lists):
        return np.cumsum([0] + [len(row) for row in lists]), np.concatenate(
            [*map(np.array, lists)]
        ).astype(int)

    assert (
        taper.match(csr(rows), csr(columns), capacities=capacities).partner_of.tolist() == expected
    )
    offsets, ids = csr(rows)
    owners = np.repeat(np.arange(len(rows)), np.diff(offsets))
    keys = [columns[h].index(r) for r, h in zip(owners, ids)]
    market = taper.Market(offsets, ids, keys, capacities)
    assert taper.match(market).partner_of.tolist() == expected
    scores = taper.Market(offsets, ids, seats=capacities, scores=[-key for key in keys])
    assert taper.match(scores).partner_of.tolist() == expected


def test_markets_are_read_in_place():
    offsets, hospitals = np.array([0, 2, 3]), np.array([0, 1, 0], np.int32)
    keys, seats = np.array([1, 0, 0], np.uint32), np.array([1, 1], np.uint32)
    market = taper.Market(offsets, hospitals, keys, seats)
    assert market.offsets is offsets and market.keys is keys and market.seats is seats
    assert np.shares_memory(market.hospitals, hospitals)
    assert taper.match(market).partner_of.tolist() == [1, 0]


def test_rectangular_tables():
    matching = taper.match(np.array([[0, 1], [0, 1], [1, 0]]), np.array([[0, 1, 2], [2, 1, 0]]))
    assert matching.partner_of.tolist() == [0, -1, 1]


def test_ties():
    residents = {"Ada": ["City"], "Ben": ["City"]}
    hospitals = {"City": [["Ben", "Ada"]]}
    assert taper.match(residents, hospitals).to_dict() == {"Ada": "City", "Ben": None}
    winners = {
        taper.match(residents, hospitals, lottery="single", seed=seed).members("City")
        for seed in range(20)
    }
    assert winners == {("Ada",), ("Ben",)}
    for matching in ({"Ada": "City"}, {"Ben": "City"}):
        assert taper.verify_matching(matching, residents, hospitals)
    # a set is a tie too, and so is a tuple that is no name
    for tie in ({"Ben", "Ada"}, ("Ben", "Ada")):
        assert taper.verify_matching({"Ben": "City"}, residents, {"City": [tie]})
    assert taper.match({("a", 1): ["x"]}, {"x": [("a", 1)]}).to_dict() == {("a", 1): "x"}
    # a tuple or an empty one is a list without ties too
    market = taper.match({"a": ("x",), "b": ()}, {"x": ("a",)}).market
    assert market.tiers is None and market.offsets.tolist() == [0, 1, 1]
    # a set has no order of its own, so its entries are in that of the other side
    names = [f"n{i}" for i in range(20)]
    tied = taper.match({"a": ["n7", set(names) - {"n7"}]}, {name: ["a"] for name in names}).market
    assert tied.hospitals.tolist() == [7, *range(7), *range(8, 20)]
    assert tied.tiers.tolist() == [0] + 19 * [1]
    # of the first side
    tiers = taper.match({"Ada": [["x", "y"]]}, {"x": ["Ada"], "y": ["Ada"]}).market.tiers
    assert tiers.tolist() == [0, 0]


def test_lottery():
    students = {name: ["Hill", "Park"] for name in "abc"}
    drawn = taper.lottery(students, draws=3000, capacities={"Hill": 1, "Park": 1}, seed=4)
    for name in students:
        chances = drawn.of(name)
        assert set(chances) == {"Hill", "Park", None} and abs(sum(chances.values()) - 1) < 1e-9
        assert all(abs(p - 1 / 3) < 0.05 for p in chances.values())
    assert drawn.counts.sum() == 2 * 3000
    assert repr(drawn) == "Lottery(3,000 draws of Market(3 first, 2 second, 6 entries))"
    alone = taper.match(students, lottery="multiple", capacities={"Hill": 3, "Park": 0})
    assert set(alone.to_dict().values()) == {"Hill"}
    numbered = taper.match([[0], [0]], lottery="single")
    assert sorted(numbered.partner_of.tolist()) == [-1, 0]


@pytest.mark.parametrize("kind", ["single", "multiple"])
def test_lotteries_in_blocks_are_those_of_single_calls(kind):
    students = {name: ["Hill", "Park"] for name in "abcd"}
    seats = {"Hill": 1, "Park": 2}
    draws = 200  # several blocks
    drawn = taper.lottery(students, draws=draws, capacities=seats, lottery=kind, seed=9)
    singles = [
        taper.match(students, capacities=seats, lottery=kind, seed=9 + i) for i in range(draws)
    ]
    for name in students:
        for school in ("Hill", "Park", None):
            assert drawn.of(name)[school] == sum(m[name] == school for m in singles) / draws


def test_progress_of_a_lottery():
    students = {i: ["Hill", "Park"] for i in range(2000)}
    seen = []

    def watch(state):
        seen.append(state)
        if len(seen) == 2:
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        taper.lottery(students, draws=2**31, progress=watch)
    assert 0 < seen[0].count < seen[1].count < seen[1].total == 2**31
    assert str(taper.CountProgress(1.26, 2000, 30_000)) == "1.3 s  2,000 of 30,000"


def lists_with_ties(seed, agents):
    """A list of each of 20 agents: some of the names, with ties."""
    draw = random.Random(seed)
    rows = []
    for _ in range(20):
        names = draw.sample(agents, draw.randint(0, len(agents)))
        row = []
        while names:
            size = draw.choice([1, 1, 1, 2, 3])
            tie, names = names[:size], names[size:]
            row.append(tie if len(tie) > 1 or draw.random() < 0.2 else tie[0])
        rows.append(row)
    return rows


@pytest.mark.parametrize("seed", range(6))
def test_plain_lists_are_read_as_all_others(seed):
    agents = [f"a{i}" for i in range(9)]
    numbers = {agent: i for i, agent in enumerate(agents)}
    by_name = lists_with_ties(seed, agents)
    by_number = lists_with_ties(seed, list(range(9)))
    strict = [[choice for choice in row if type(choice) is str] for row in by_name]
    for rows, others in ((by_name, numbers), (by_number, 9), (strict, numbers)):
        read = taper._core.read_lists(rows, others)
        tuples, iterators = (_markets.SideLists("first", "second") for _ in range(2))
        tuples.read(range(len(rows)), [tuple(row) for row in rows], others)
        iterators.read(range(len(rows)), [iter(row) for row in rows], others)
        keys = others if isinstance(others, dict) else {i: i for i in range(others)}
        expected = _markets.SideLists("first", "second")._read_all(range(len(rows)), rows, keys)
        sides = [(side.offsets, side.ids, side.tiers) for side in (tuples, iterators)]
        for arrays in (read, *sides):
            for array, wanted in zip(arrays, expected):
                assert array.dtype == wanted.dtype and array.tolist() == wanted.tolist()


def test_lists_that_are_not_plain_are_left():
    numbers = {"a": 0, "b": 1}
    doubled = (["a", "a"], [["a", "a"]], [["a"], "a"])
    for row in (*doubled, ["c"], [[]], "ab", {"a"}, [{"a"}], [["a", ["b"]]], 5):
        assert taper._core.read_lists([["b"], row], numbers) is None
    for row in ([2], [-1], [2**70], [True], [0.0], [np.int64(0)], ["0"], [0, 0]):
        assert taper._core.read_lists([[1], row], 2) is None
    for last in ([1], [1, 2], [1, -1], [1, True], (1, 0), [0.0, 1], [2**70, 0]):
        assert taper._core.tables_of_lists([[0, 1], last], [[0, 1], [1, 0]]) is None
    assert taper._core.tables_of_lists([[0, 1]], [[0, 1], [1, 0]]) is None
    assert taper._core.tables_of_lists([], []) is None


def test_names_that_run_code():
    class Fails:
        def __hash__(self):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        taper.match({"a": [Fails()]}, {"x": ["a"]})

    row = []

    class Clears:
        def __hash__(self):
            return hash("x")

        def __eq__(self, other):
            row.clear()
            return other == "x"

    row += [Clears(), Clears(), "y"]
    assert taper.match({"a": row}, {"x": ["a"], "y": ["a"]}).to_dict() == {"a": "x"}


def test_mechanisms():
    # Ben lists City second; under immediate acceptance Cid, who lists it first, has the seat.
    residents = {"Ada": ["Park"], "Ben": ["Park", "City"], "Cid": ["City"]}
    hospitals = {"Park": ["Ada", "Ben"], "City": ["Ben", "Cid"]}
    assert taper.match(residents, hospitals)["Ben"] == "City"
    boston = taper.match(residents, hospitals, mechanism="immediate_acceptance")
    assert boston["Cid"] == "City"
    assert not taper.verify_matching(boston)
    parallel = taper.match(
        residents, hospitals, mechanism="parallel_mechanism", choices_per_round=2
    )
    assert parallel["Ben"] == "City"
    # Both trade the places that they are first at.
    traded = taper.match(
        {"a": ["x", "y"], "b": ["y", "x"]},
        {"x": ["b", "a"], "y": ["a", "b"]},
        mechanism="top_trading_cycles",
    )
    assert traded.to_dict() == {"a": "x", "b": "y"}
    tables = [[0, 1], [1, 0]], [[1, 0], [0, 1]]
    assert taper.match(*tables, mechanism="top_trading_cycles").partner_of.tolist() == [0, 1]


def test_one_mapping_and_files(tmp_path):
    both = {
        "doctors": {"Ada": ["City"], "Ben": ["City"]},
        "hospitals": {"City": ["Ben", "Ada"]},
        "capacities": {"City": 2},
    }
    matching = taper.match(both)
    assert matching.market.titles == ("doctors", "hospitals") and len(matching) == 2
    assert taper.match(both, proposer="hospitals").to_dict() == matching.to_dict()
    import json

    file = tmp_path / "market.json"
    file.write_text(json.dumps(both))
    assert taper.match(file).to_dict() == matching.to_dict()
    assert taper.match(str(file)).to_dict() == matching.to_dict()
    assert taper.match(file, capacities={"City": 1}).unmatched == ("Ada",)
    market = taper.read_market(file)
    assert market.names == (("Ada", "Ben"), ("City",))
    tables = tmp_path / "market.txt"
    tables.write_text("2\n0 1\n0 1\n1 0\n0 1\n")
    assert taper.match(tables).partner_of.tolist() == [1, 0]
    assert taper.match(tables, capacities=[2, 1]).partner_of.tolist() == [0, 0]
    tables.write_text("2\n1 2\n1 2\n2 1\n1 2\n")
    from_one = taper.match(tables)
    assert from_one.to_dict() == {1: 2, 2: 1} and from_one.partner_of.tolist() == [1, 0]


def test_one_sided_entries():
    residents, hospitals = {"Ada": ["City", "Mercy"]}, {"City": [], "Mercy": ["Ada"]}
    matching = taper.match(residents, hospitals)
    assert matching["Ada"] == "Mercy"
    assert "dropped 1 one-sided entry: 'Ada' of the first lists 'City'" in repr(matching)
    with pytest.raises(
        taper.Error, match="'Ada' of the first lists 'City', which does not list 'Ada'"
    ):
        taper.match(residents, hospitals, strict=True)


def test_empty_markets():
    for empty in ([], np.empty((0, 0), np.uint16)):
        assert taper.match(empty, empty).partner_of.tolist() == []
    assert taper.match({}, {}).to_dict() == {}
    assert taper.match({"a": []}, {}).to_dict() == {"a": None}
    assert taper.match({}, {"x": []}, capacities={"x": 0}).to_dict() == {}


@pytest.mark.parametrize("seed", SEEDS)
def test_verdicts(seed):
    first, second, seats = oracles.random_market(seed)
    generator = np.random.default_rng(seed)
    for _ in range(20):
        room = dict(seats)
        matching = {}
        for resident, choices in first.items():
            options = [h for h in choices if room[h] > 0] + [None]
            matching[resident] = options[generator.integers(len(options))]
            if matching[resident] is not None:
                room[matching[resident]] -= 1
        expected = oracles.blocking_pairs(first, second, seats, matching)
        verdict = taper.verify_matching(matching, first, second, capacities=seats, limit=100)
        assert verdict.fault is None and verdict.blocking_pairs == len(expected)
        assert sorted(verdict.pairs) == sorted(expected) and bool(verdict) == (not expected)


def test_verdicts_of_tables():
    first, second = oracles.random_tables(5, 6)
    lists = [oracles.as_names(table) for table in (first, second)]
    for seed in range(20):
        ids = np.random.default_rng(seed).permutation(6)
        expected = oracles.blocking_pairs(*lists, {}, dict(enumerate(ids.tolist())))
        verdict = taper.verify_matching(ids, first, second, limit=100)
        assert sorted(verdict.pairs) == sorted(expected) and verdict.blocking_pairs == len(expected)
    assert taper.verify_matching(ids, first, second, limit=0).pairs == ()


def test_faults():
    residents = {"Ada": ["City"], "Ben": ["City"], "Cid": []}
    hospitals = {"City": ["Ben", "Ada"], "Park": []}
    tables = [[0, 1], [0, 1]], [[1, 0], [0, 1]]
    for arguments, fault in (
        (
            ({"Ada": "City", "Ben": "City"}, residents, hospitals),
            "'City' of second has more partners than seats",
        ),
        (
            ({"Cid": "Park"}, residents, hospitals),
            "'Cid' of first has a partner that is not in its list",
        ),
        (([0, 0], *tables), "1 of first has a partner that an earlier agent has"),
        (([0, -1], *tables), "1 of first has no partner"),
    ):
        verdict = taper.verify_matching(*arguments)
        assert verdict.fault == fault and not verdict and verdict.blocking_pairs == 0


WRONG = {
    "second side missing": (lambda: taper.match({"a": ["x"]}), "the second side are missing"),
    "second side missing, numbers": (lambda: taper.match([[0]]), "the second side are missing"),
    "unknown name": (
        lambda: taper.match({"a": ["City"]}, {"Cty": ["a"]}),
        "'City' is no agent of second; did you mean 'Cty'?",
    ),
    "twice": (
        lambda: taper.match({"a": ["x", "x"]}, {"x": ["a"]}),
        "first, 'a', entry 2: 'x' is there already",
    ),
    "text for a list": (
        lambda: taper.match({"a": "x"}, {"x": ["a"]}),
        "first, 'a': expected a list, found 'x'",
    ),
    "empty tie": (lambda: taper.match({"a": [[]]}, {"x": ["a"]}), "expected a tie of some agents"),
    "unhashable": (lambda: taper.match({"a": [{}]}, {"x": ["a"]}), "expected an agent, found {}"),
    "no lists": (lambda: taper.match(5, 5), "first: expected a list, found 5"),
    "mapping and list": (
        lambda: taper.match({"a": ["x"]}, [["a"]]),
        "expected a mapping from names",
    ),
    "from 1": (
        lambda: taper.match([[1, 2], [2, 1]], [[1, 2], [2, 1]]),
        "ids count from 0, so 2 of them end at 1",
    ),
    "negative": (
        lambda: taper.match([[0, -1], [1, 0]], [[0, 1], [1, 0]]),
        "first, row 0: .* found at entry 1 -1",
    ),
    "no permutation": (
        lambda: taper.match([[0, 0], [1, 0]], [[0, 1], [1, 0]]),
        "row 0: .* entry 1 0, which is there already",
    ),
    "second row": (
        lambda: taper.match(np.eye(2, dtype=np.uint16), np.zeros((2, 2), np.uint16)),
        "second, row 0",
    ),
    "dimensions": (
        lambda: taper.match(np.zeros((2, 2, 2), int), [[0]]),
        "first: expected an array of 2 dimensions, found 3",
    ),
    "floats": (lambda: taper.match(np.eye(2), np.eye(2)), "expected integers, found dtype float64"),
    "ragged": (
        lambda: taper.match([[0, 5]], [[0], [0]]),
        "first, 0, entry 2: 5 is no agent of second",
    ),
    "capacity name": (
        lambda: taper.match({"a": ["x"]}, {"x": ["a"]}, capacities={"y": 1}),
        "capacities: 'y' is no agent",
    ),
    "capacity value": (
        lambda: taper.match({"a": ["x"]}, {"x": ["a"]}, capacities={"x": -1}),
        "expected a number from 0, found -1",
    ),
    "capacity count": (
        lambda: taper.match([[0]], [[0]], capacities=[1, 2]),
        "expected 1 numbers, one per agent",
    ),
    "proposer": (
        lambda: taper.match([[0]], [[0]], proposer="men"),
        "expected 'first' or 'second', found 'men'",
    ),
    "mechanism": (
        lambda: taper.match([[0]], [[0]], mechanism="boston"),
        "mechanism: expected one of",
    ),
    "lottery": (
        lambda: taper.match([[0]], [[0]], lottery="x"),
        "lottery: expected one of None, single, multiple",
    ),
    "engine": (lambda: taper.match([[0]], [[0]], engine="GS"), "engine"),
    "engine type": (
        lambda: taper.match([[0]], [[0]], engine=5),
        "engine: expected a text, found 5",
    ),
    "huge ids": (
        lambda: taper.match([[2**70]], [[0]]),
        "first, 0, entry 1: 1180591620717411303424 is no agent",
    ),
    "engine of short lists": (
        lambda: taper.match({"a": []}, {}, engine="taper"),
        "only complete lists",
    ),
    "option": (
        lambda: taper.match([[0]], [[0]], schedul="serial"),
        "unknown option 'schedul'; did you mean 'schedule'",
    ),
    "option of the other solver": (
        lambda: taper.match([[0]], [[0]], seed=1),
        "unknown option 'seed'",
    ),
    "option value": (
        lambda: taper.match([[0]], [[0]], schedule="fast"),
        "schedule: expected one of serial, parallel",
    ),
    "option type": (
        lambda: taper.match([[0]], [[0]], tiers=1),
        "tiers: expected True or False, found 1",
    ),
    "option range": (
        lambda: taper.match([[0]], [[0]], tail_threshold=-2),
        "tail_threshold: expected an integer from -1",
    ),
    "option too large": (
        lambda: taper.match([[0]], [[0]], tail_threshold=2**70),
        "tail_threshold: expected an integer",
    ),
    "backend": (lambda: taper.match([[0]], [[0]], backend="rocm"), "no backend 'rocm'"),
    "backend type": (lambda: taper.match([[0]], [[0]], backend=1), "backend: expected a name"),
    "threads": (lambda: taper.match([[0]], [[0]], threads=-1), "threads: expected a number from 1"),
    "proposer of a mechanism": (
        lambda: taper.match({"a": []}, {}, proposer="second", mechanism="immediate_acceptance"),
        "residents propose",
    ),
    "draws": (lambda: taper.lottery({"a": ["x"]}, draws=0), "draws: expected a number from 1"),
    "offsets": (
        lambda: taper.Market([0, 2, 1], [0]),
        "offsets: expected numbers that begin with 0",
    ),
    "id": (
        lambda: taper.Market([0, 1], [3], seats=[1]),
        "expected an id below 1, the number of seats",
    ),
    "duplicate": (
        lambda: taper.Market([0, 2], [0, 0]),
        "the list of agent 0 has at entry 1 0, which is there already",
    ),
    "keys": (
        lambda: taper.Market([0, 1], [0], [1, 2]),
        "keys: expected 1 numbers, one per entry, found 2",
    ),
    "keys and scores": (
        lambda: taper.Market([0, 1], [0], [1], scores=[1]),
        "expected keys or scores",
    ),
    "scores": (
        lambda: taper.Market([0, 1], [0], scores=[float("nan")]),
        "scores: expected 1 finite numbers",
    ),
    "tiers": (lambda: taper.Market([0, 1], [0], tiers=[1]), "tiers: expected classes"),
    "large id": (
        lambda: taper.Market([0, 1], [2**40]),
        "hospitals: expected integers from 0 to 4294967295",
    ),
    "names": (
        lambda: taper.CompleteMarket([[0]], [[0]], names=(("a", "b"), None)),
        "names: expected 1 of a side, found 2",
    ),
    "shape": (lambda: taper.CompleteMarket([[0, 1]], [[0]]), "expected two tables of n x n ids"),
    "matching": (
        lambda: taper.verify_matching([0], [[0, 1], [0, 1]], [[1, 0], [0, 1]]),
        "matching: expected 2 numbers",
    ),
    "matching range": (
        lambda: taper.verify_matching([0, 2], [[0, 1], [0, 1]], [[1, 0], [0, 1]]),
        "from 0 to 1, or -1",
    ),
    "matching name": (
        lambda: taper.verify_matching({"a": "y"}, {"a": ["x"]}, {"x": ["a"]}),
        "matching: 'y' is no agent of second",
    ),
    "matching alone": (lambda: taper.verify_matching([0]), "expected a Matching, or"),
    "limit": (
        lambda: taper.verify_matching(taper.match([[0]], [[0]]), limit=-1),
        "limit: expected a number from 0",
    ),
    "file": (
        lambda: taper.read_market("/missing/file"),
        "/missing/file: cannot be opened: No such file",
    ),
    "files": (lambda: taper.read_market(), "expected one file or two"),
    "format": (
        lambda: taper.read_market("x", format="jsn"),
        "unknown format 'jsn'; did you mean 'json'",
    ),
    "base": (lambda: taper.read_market("x", base=2), "base: expected one of auto, 0, 1"),
}


test_wrong_input = refusals.test_of(WRONG)


def test_pickles():
    for matching in (
        taper.match({"Ada": ["City"]}, {"City": ["Ada"]}),
        taper.match([[0, 1], [1, 0]], [[0, 1], [1, 0]]),
    ):
        assert matching["Ada" if matching.market.names[0] else 0] is not None  # fills a cache
        copy = pickle.loads(pickle.dumps(matching))
        assert repr(copy) == repr(matching) and copy.report == matching.report
        assert copy.to_dict() == matching.to_dict()
    assert pickle.loads(pickle.dumps(taper.verify_matching(matching))) == taper.verify_matching(
        matching
    )
    chances = taper.lottery({"Ana": ["Hill"], "Bo": ["Hill"]}, draws=100)
    copy = pickle.loads(pickle.dumps(chances))
    assert copy.of("Ana") == chances.of("Ana") and repr(copy) == repr(chances)
    with pytest.raises(AttributeError):
        matching.backend = "other"


def test_shown_forms():
    names = [f"a{i}" for i in range(30)]
    matching = taper.match({a: ["x"] for a in names}, {"x": names}, capacities={"x": 20})
    assert repr(matching) == "Matching(20 of 30 first: a0 - x, a1 - x, a2 - x, a3 - x, ...)"
    html = matching._repr_html_()
    assert html.count("<tr>") == 11 and "and 20 more" in html
    assert "&lt;b&gt;" in taper.match({"<b>": []}, {})._repr_html_()
    chances = taper.lottery({"<a>": [], **{a: ["x", "y"] for a in names}}, draws=100)
    html = chances._repr_html_()
    assert html.count("<tr>") == 11 and "and 50 more" in html and "Lottery(100 draws" in html
    assert f"<td>a0</td><td>x</td><td>{chances.of('a0')['x']:.4f}</td>" in html
    verdict = taper.verify_matching({0: None, 1: None}, [[0, 1], [1, 0]], [[0, 1], [1, 0]])
    assert "not stable: 0 of first has no partner" in verdict._repr_html_()
    lists = {"a": ["x", "y"], "b": ["x"]}, {"x": ["a", "b"], "y": ["a"]}
    verdict = taper.verify_matching({"a": "y", "b": "x"}, *lists)
    html = verdict._repr_html_()
    assert "not stable: 1 blocking pair" in html and "<td>a</td><td>x</td>" in html
    assert "<p>stable</p>" in taper.verify_matching(taper.match(*lists))._repr_html_()


def test_frames():
    pandas = pytest.importorskip("pandas")
    residents = pandas.DataFrame({1: ["City", "City"], 2: ["Mercy", None]}, index=["Ada", "Ben"])
    hospitals = pandas.DataFrame({1: ["Ben", "Ada"], 2: ["Ada", None]}, index=["City", "Mercy"])
    matching = taper.match(residents, hospitals)
    assert matching.to_dict() == {"Ada": "Mercy", "Ben": "City"}
    seats = pandas.Series({"City": 2})
    assert taper.match(residents, hospitals, capacities=seats).to_dict() == {
        "Ada": "City",
        "Ben": "City",
    }
    table = pandas.DataFrame(
        {
            "student": ["Ana", "Ana", "Bo", "Cai"],
            "school": ["Hill", "Park", "Hill", "Hill"],
            "rank": [1, 2, 1, 1],
            "priority": [3, 1, 2, 1],
            "seats": [2, 1, None, None],
        }
    )
    matching = taper.match(table)
    assert matching.to_dict() == {"Ana": "Park", "Bo": "Hill", "Cai": "Hill"}
    assert matching.market.titles == ("student", "school")
    frame = matching.to_frame()
    assert frame.values.tolist() == [["Ana", "Park", 2], ["Bo", "Hill", 1], ["Cai", "Hill", 1]]
    assert taper.verify_matching(matching).to_frame().empty
    assert len(taper.lottery({"a": ["x"]}, draws=1).to_frame()) == 1
    for wrong in (lambda: taper.match(table, [[0]]), lambda: taper.match(pandas.DataFrame())):
        with pytest.raises(taper.Error):
            wrong()
