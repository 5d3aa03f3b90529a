# SPDX-License-Identifier: Apache-2.0
"""Arrays by DLPack and __cuda_array_interface__, without a GPU: made-up objects offer host memory
as a GPU's, and a build without CUDA solves there."""

import ctypes
import gc
import pickle

import numpy as np
import offers
import pytest
import refusals
import taper
from offers import Dlpack, Interface, pointer_of
from taper import _arrays, _core

STREAM = 7
N = 12


@pytest.fixture
def gpu(monkeypatch):
    """Host memory as the memory of GPU 0."""
    if _core.gpu() is not None:
        pytest.skip("this build has CUDA, whose GPU does not reach host memory")
    monkeypatch.setattr(_arrays, "gpu", lambda: (0, STREAM))
    before = set(offers.given)
    yield
    gc.collect()
    assert set(offers.given) == before, "a tensor was not given back"


def tables(dtype=np.uint16, n=N):
    market = taper.generate("market", "random", n, seed=3)
    return market.first.astype(dtype), market.second.astype(dtype)


@pytest.mark.parametrize("offer", [Dlpack, Interface])
@pytest.mark.parametrize("dtype", [np.uint16, np.uint32, np.int16, np.int32])
@pytest.mark.parametrize("proposer", ["first", "second"])
def test_match_of_tables(gpu, offer, dtype, proposer):
    first, second = tables(dtype)
    expected = taper.match(first, second, proposer=proposer)
    matching = taper.match(offer(first), offer(second), proposer=proposer)
    assert isinstance(matching.partner_of, taper.DeviceArray)
    assert matching.partner_of.dtype == np.int32 and matching.partner_of.shape == (N,)
    assert matching.partner_of.get().tolist() == expected.partner_of.tolist()
    assert pointer_of(matching.market.first) == first.ctypes.data  # no copy
    assert pointer_of(matching.market.second) == second.ctypes.data
    assert taper.verify_matching(matching).stable


def test_verdicts(gpu):
    first, second = tables()
    given = Dlpack(first), Dlpack(second)
    rotated = np.roll(taper.match(first, second).partner_of, 1)
    on_host = taper.verify_matching(rotated, first, second)
    verdict = taper.verify_matching(Dlpack(rotated), *given)
    assert not verdict.stable and verdict.blocking_pairs > 0
    assert verdict == on_host
    for wrong, fault in ((-1, "0 of first has no partner"), (N, "0 of first has no partner")):
        rotated[0] = wrong
        assert taper.verify_matching(Dlpack(rotated), *given).fault == fault
    rotated[0] = rotated[1]
    assert "an earlier agent has" in taper.verify_matching(Dlpack(rotated), *given).fault


def arrays(seed=1):
    """A market with short lists, ties and seats, and its arrays."""
    market = taper.generate(
        "hospitals", "uniform", residents=200, hospitals=40, seats=150, list_length=6, seed=seed
    )
    fields = ("offsets", "hospitals", "keys", "seats")
    return market, {name: getattr(market, name) for name in fields}


@pytest.mark.parametrize("offer", [Dlpack, Interface])
def test_match_of_markets(gpu, offer):
    market, fields = arrays()
    there = taper.Market(**{name: offer(array) for name, array in fields.items()})
    for name, array in fields.items():
        assert pointer_of(getattr(there, name)) == array.ctypes.data
    for options in ({}, {"proposer": "second"}, {"lottery": "single", "seed": 5}):
        expected = taper.match(market, **options)
        matching = taper.match(there, **options)
        assert matching.partner_of.get().tolist() == expected.partner_of.tolist()
    matching = taper.match(there)
    assert taper.verify_matching(matching).stable
    partners = matching.partner_of.get()
    partners[partners >= 0] = -1  # all are free
    verdict = taper.verify_matching(Dlpack(partners), there)
    assert verdict == taper.verify_matching(partners, market) and verdict.blocking_pairs > 0
    partners[3] = 39 if 39 not in market.hospitals[18:24] else 38
    assert "3 of first" in taper.verify_matching(Dlpack(partners), there).fault
    assert taper.match(there.to_host()).to_dict() == taper.match(market).to_dict()


def test_results_offer_both_protocols(gpu):
    first, second = tables()
    partner_of = taper.match(Dlpack(first), Dlpack(second)).partner_of
    assert partner_of.__dlpack_device__() == (2, 0) and partner_of.device == 0
    about = partner_of.__cuda_array_interface__
    assert about["typestr"] == "<i4" and about["shape"] == (N,) and about["version"] == 3
    assert offers.numpy_of(partner_of).tolist() == partner_of.get().tolist()
    for arguments, has_version in (
        ({}, False),
        ({"stream": 1}, False),
        ({"max_version": (0, 8)}, False),
        ({"max_version": (1, 2), "stream": 2, "dl_device": (2, 0), "copy": False}, True),
    ):
        capsule = partner_of.__dlpack__(**arguments)
        managed, versioned = offers.tensor_in(capsule)
        assert versioned == has_version
        tensor = managed.tensor
        assert tensor.data == about["data"][0] and tensor.byte_offset == 0
        assert (tensor.device.type, tensor.device.id) == (2, 0)
        assert (tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes) == (0, 32, 1)
        assert tensor.ndim == 1 and tensor.shape[0] == N and tensor.strides[0] == 1
    for wrong in ({"dl_device": (1, 0)}, {"copy": True}):
        with pytest.raises(BufferError):
            partner_of.__dlpack__(**wrong)


def test_a_consumer_keeps_the_memory(gpu):
    first, second = tables()
    partner_of = taper.match(Dlpack(first), Dlpack(second)).partner_of
    values = partner_of.get().tolist()

    class Proxy:
        def __init__(self, capsule):
            self.capsule = capsule

        def __dlpack_device__(self):
            return (2, 0)

        def __dlpack__(self, **_):
            return self.capsule

    proxy = Proxy(partner_of.__dlpack__(max_version=(1, 0)))
    other = _arrays.taken(proxy, "array")
    del partner_of
    gc.collect()
    assert other.get().tolist() == values
    with pytest.raises(taper.Error, match="array: .* found one that was used already"):
        _arrays.taken(proxy, "array")


def test_inputs_live_as_long_as_the_market(gpu):
    first, second = tables()
    before = len(offers.given)
    matching = taper.match(Dlpack(first), Dlpack(second, old=True))
    gc.collect()
    assert len(offers.given) == before + 2  # the market's
    partner_of = matching.partner_of
    del matching
    gc.collect()
    assert len(offers.given) == before
    assert sorted(partner_of.get().tolist()) == list(range(N))
    owner = Interface(first)
    before = ctypes.c_ssize_t.from_address(id(owner)).value
    kept = _arrays.taken(owner, "array")
    assert ctypes.c_ssize_t.from_address(id(owner)).value == before + 1
    del kept
    assert ctypes.c_ssize_t.from_address(id(owner)).value == before


def test_streams(gpu):
    first, _ = tables()
    offer, old, managed = Dlpack(first), Dlpack(first, old=True), Dlpack(first, (13, 0))
    for given in (offer, old, managed):
        _arrays.taken(given, "array")
    partner_of = taper.match(managed, managed, check=False).partner_of
    assert partner_of.__dlpack_device__() == (2, 0)  # ours is not managed
    del managed.calls[1:]
    versioned = {"stream": STREAM, "max_version": (1, 0)}
    assert offer.calls == managed.calls == [versioned]
    assert old.calls == [versioned, {"stream": STREAM}]
    for stream in (None, 1, 2, 12345):
        _arrays.taken(Interface(first, stream=stream), "array")


def test_host_arrays_by_dlpack_are_read_in_place():
    before = set(offers.given)
    first, second = tables(np.uint32)
    for device, inside in (((1, 0), (1, 0)), ((3, 0), (1, 0))):
        a, b = Dlpack(first, device, inside=inside), Dlpack(second, device, old=True)
        matching = taper.match(a, b)
        assert a.calls == [{"max_version": (1, 0)}] and b.calls[-1] == {}  # no stream
        assert matching.market.first.ctypes.data == first.ctypes.data
        assert matching.partner_of.tolist() == taper.match(first, second).partner_of.tolist()
    view = _arrays.taken(Dlpack(first[::2, 1:5], (1, 0)), "array")
    assert view.tolist() == first[::2, 1:5].tolist() and not view.flags.writeable
    part = _arrays.taken(Dlpack(first[3:], (1, 0), offset=8), "array")
    assert part.ctypes.data == first[3:].ctypes.data
    edges = np.array([[0, 1], [1, 2]], np.uint32)
    assert taper.vertex_cover(Dlpack(edges, (1, 0))).vertices == (1,)
    left = np.array([[1.0, 2.0]])
    assert taper.multiply(Dlpack(left, (1, 0)), left.T).tolist() == [[5.0]]
    del matching, a, b, view, part
    gc.collect()
    assert set(offers.given) == before
    real = np.ascontiguousarray(first)
    if hasattr(real, "__dlpack__"):  # NumPy 1.22 and later
        class Array:
            __dlpack__, __dlpack_device__ = real.__dlpack__, real.__dlpack_device__

        assert _arrays.taken(Array(), "array").ctypes.data == real.ctypes.data


def test_pickles_and_shown_forms(gpu):
    first, second = tables()
    matching = taper.match(Dlpack(first), Dlpack(second))
    copy = pickle.loads(pickle.dumps(matching))
    assert copy.partner_of.get().tolist() == matching.partner_of.get().tolist()
    assert pointer_of(copy.market.first) != pointer_of(matching.market.first)
    assert copy.market.first.get().tolist() == first.tolist()
    assert copy.report == matching.report and taper.verify_matching(copy).stable
    assert repr(matching) == f"Matching({N} first, on GPU 0)" == repr(copy)
    assert repr(matching.partner_of) == f"DeviceArray(int32, shape ({N},), on GPU 0)"
    assert "on GPU 0" in matching._repr_html_() and len(matching.partner_of) == N
    on_host = matching.to_host()
    assert on_host.to_dict() == taper.match(first, second).to_dict()
    assert on_host.to_host() is on_host and on_host.choices().min() >= 1
    with pytest.raises(TypeError, match="is on a GPU"):
        np.asarray(matching.partner_of)


def test_empty_arrays(gpu):
    nothing = np.empty((0, 0), np.uint16)
    assert taper.match(Dlpack(nothing), Dlpack(nothing)).partner_of.get().size == 0
    about = Interface(nothing, data=(0, False))
    assert taper.match(about, about).partner_of.__cuda_array_interface__["data"][0] == 0
    none = Dlpack(np.empty(0, np.uint32))
    market = taper.Market(Dlpack(np.zeros(1, np.int64)), none, none, none)
    assert taper.match(market).partner_of.shape == (0,)


def test_what_reads_on_the_host_is_refused(gpu):
    first, second = tables()
    given = Dlpack(first), Dlpack(second)
    matching = taper.match(*given)
    _, fields = arrays()
    market = taper.Market(**{name: Dlpack(array) for name, array in fields.items()})
    for call in (
        lambda: matching[0],
        lambda: len(matching),
        lambda: list(matching),
        matching.to_dict,
        matching.to_frame,
        matching.choices,
        lambda: matching.unmatched,
        lambda: taper.match(*given, lottery="single"),
        lambda: taper.lottery(*given, draws=2),
        lambda: taper.lottery(market, draws=2).of(0),
        lambda: taper.lottery(market, draws=2).probabilities,
        taper.lottery(market, draws=2).to_frame,
        lambda: taper.all_stable_matchings(*given),
        lambda: taper.all_stable_matchings(market),
    ):
        with pytest.raises(taper.Error, match="expected a market in host memory, found one on a"):
            call()


@pytest.mark.parametrize("offer", [Dlpack, Interface])
def test_lotteries(gpu, offer):
    market, fields = arrays()
    there = taper.Market(**{name: offer(array) for name, array in fields.items()})
    for options in ({"draws": 1}, {"draws": 3000, "seed": 5}, {"draws": 7, "lottery": "multiple"}):
        expected = taper.lottery(market, **options)
        found = taper.lottery(there, **options)
        assert isinstance(found.counts, taper.DeviceArray)
        assert found.counts.get().tolist() == expected.counts.tolist()
        assert pointer_of(found.market.keys) == fields["keys"].ctypes.data
        assert found.to_host().of(3) == expected.of(3)
    copy = pickle.loads(pickle.dumps(found))
    assert copy.counts.get().tolist() == found.counts.get().tolist()
    seen = []
    taper.lottery(there, draws=300_000, progress=seen.append)
    assert all(state.total == 300_000 for state in seen)
    refused("draws: expected a number from 1", lambda: taper.lottery(there, draws=0))
    refused("unknown option 'sed'", lambda: taper.lottery(there, draws=2, sed=1))


@pytest.mark.parametrize("offer", [Dlpack, Interface])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products(gpu, offer, dtype):
    random = np.random.default_rng(3)
    a, b, c, out = (
        random.integers(-9, 9, shape).astype(dtype)
        for shape in ((20, 30), (30, 11), (20, 11), (20, 11))
    )
    there = [offer(array) for array in (a, b, c)]
    product = taper.multiply(*there[:2])
    assert isinstance(product, taper.DeviceArray) and product.dtype == dtype
    assert product.get().tolist() == (a @ b).tolist() and product.shape == (20, 11)
    product = taper.multiply(*there[:2], c=there[2], alpha=2, beta=-3)
    assert product.get().tolist() == (2 * (a @ b) - 3 * c).tolist()
    assert c.tolist() == there[2].array.tolist()  # as it was
    product, report = taper.multiply(*there[:2], out=offer(out), report=True)
    assert pointer_of(product) == out.ctypes.data and out.tolist() == (a @ b).tolist()
    assert report["operations"] == 2 * 20 * 30 * 11 and report["backend"]
    taper.multiply(*there[:2], c=offer(out), out=offer(out), beta=1)
    assert out.tolist() == (2 * (a @ b)).tolist()
    empty = offer(np.empty((0, 5), dtype))
    assert taper.multiply(empty, offer(np.ones((5, 3), dtype))).shape == (0, 3)
    assert (taper.multiply(offer(np.empty((2, 0), dtype)), empty).get() == np.zeros((2, 5))).all()


def test_wrong_products_are_refused(gpu):
    a = np.ones((3, 3))
    there, single = Dlpack(a), Dlpack(a.astype(np.float32))
    frozen = Interface(a.copy(), data=(a.ctypes.data, True))
    for message, call in {
        "b: expected an array on the GPU, where others are, found ndarray": lambda: taper.multiply(
            there, a
        ),
        "b: expected float64, which a has, found float32": lambda: taper.multiply(there, single),
        "a: expected float32 or float64, found int64; convert it": lambda: taper.multiply(
            Dlpack(a.astype(np.int64)), there
        ),
        "a: expected an array of 2 dimension": lambda: taper.multiply(Dlpack(a[0]), there),
        "a: expected an array that is contiguous by rows": lambda: taper.multiply(
            Dlpack(a[:, 1:]), there
        ),
        r"expected m x k, k x n and m x n, found a \(3, 3\), b \(2, 3\)": lambda: taper.multiply(
            there, Dlpack(a[1:])
        ),
        "out: expected an array on the GPU": lambda: taper.multiply(there, there, out=a.copy()),
        r"out: expected the shape \(3, 3\), found": lambda: taper.multiply(
            there, there, out=Dlpack(a[:2])
        ),
        "out: expected float64, found float32": lambda: taper.multiply(there, there, out=single),
        "out: expected an array that may be written": lambda: taper.multiply(
            there, there, out=frozen
        ),
        "C overlaps|shares|overlap": lambda: taper.multiply(there, there, out=there),
        "the engine .* has no such option": lambda: taper.multiply(there, there, block=4),
    }.items():
        refused(message, call)
    refused("a: expected an array on the GPU", lambda: taper.multiply(a, there))


class Csr:
    """What a CSR matrix of CuPy has."""

    format = "csr"

    def __init__(self, offsets, entries, offer):
        self.indptr, self.indices = offer(offsets), offer(entries)
        self.shape = (len(offsets) - 1,) * 2


@pytest.mark.parametrize("offer", [Dlpack, Interface])
@pytest.mark.parametrize("mode", ["taper", "component_search"])
def test_covers(gpu, offer, mode):
    graph = taper.generate("graph", "gnp", 90, degree=5, seed=2)
    edges = graph.edge_array().tolist()
    minimum = taper.vertex_cover(graph).size
    for offsets in (graph.offsets, graph.offsets.astype(np.int32)):
        for entries in (graph.entries, graph.entries.astype(np.int32)):
            there = taper.Graph(offer(offsets), offer(entries))
            assert pointer_of(there.offsets) == offsets.ctypes.data
            assert (there.vertices, there.edges) == (90, graph.edges)
            for given in (there, Csr(offsets, entries, offer)):
                cover = taper.vertex_cover(given, mode=mode)
                assert isinstance(cover.in_cover, taper.DeviceArray)
                assert cover.in_cover.dtype == np.uint8 and cover.size == minimum
                marks = cover.in_cover.get()
                assert marks.sum() == minimum and all(marks[u] or marks[v] for u, v in edges)
    on_host = cover.to_host()
    assert len(on_host.vertices) == minimum == len(cover) and on_host.to_host() is on_host
    assert repr(cover) == f"Cover({minimum} vertices, the minimum, on GPU 0)"
    assert "on GPU 0" in cover._repr_html_()
    copy = pickle.loads(pickle.dumps(cover))
    assert copy.in_cover.get().tolist() == marks.tolist() and copy.size == minimum
    assert not taper.vertex_cover(there, k=minimum - 1, mode=mode).found
    empty = taper.Graph(offer(np.zeros(1, np.int64)), offer(np.empty(0, np.int32)))
    assert taper.vertex_cover(empty).in_cover.shape == (0,)


def test_wrong_graphs_are_refused(gpu):
    offsets, entries = np.array([0, 1, 2]), np.array([1, 0], np.int32)
    there = taper.Graph(Dlpack(offsets), Dlpack(entries))

    def graph(offsets=offsets, entries=entries, **more):
        return lambda: taper.Graph(Dlpack(offsets), Dlpack(entries), **more)

    simple = "expected a simple graph: offsets that begin with 0, do not fall, and end with 2"
    for message, call in {
        simple: graph(entries=np.array([1, 1], np.int32)),
        simple + ",": graph(entries=np.array([1, -1], np.int32)),
        simple + ", the": graph(np.array([0, 3, 2])),
        "offsets: expected int64 or int32, found float64": graph(np.zeros(3)),
        "entries: expected int32 or uint32, found int64": graph(entries=offsets[:2]),
        "entries: expected an array on the GPU": lambda: taper.Graph(Dlpack(offsets), entries),
        "takes offsets and entries, and no others": graph(names=("a", "b")),
        "in host memory, found one on a GPU; to_host": lambda: taper.vertex_cover(there).vertices,
        "expected a graph in host memory, found": lambda: taper.clique(there),
        "expected a graph in host memory, found one": lambda: taper.independent_set(there),
        "expected a graph in host memory, found one on": lambda: taper.maximal_cliques(there),
        "expected a graph in host memory": taper.vertex_cover(there).to_frame,
        "searched on all threads; leave it out": lambda: taper.vertex_cover(there, threads=1),
    }.items():
        refused(message, call)
    assert taper.clique(there.to_host()).size == 2


def refused(message, call):
    with pytest.raises(taper.Error, match=message) as caught:
        call()
    assert "\n" not in str(caught.value) and ".cpp" not in str(caught.value)


def test_wrong_arrays_are_refused(gpu):
    first, second = tables()
    wide = first.astype(np.int64)
    other = Dlpack(second)

    def match(array):
        return lambda: taper.match(array, other)

    bad = first.copy()
    bad[2, 5] = bad[2, 4]
    for message, array in {
        r"first: expected int32 or int16 or uint32 or uint16, found int64; convert": Dlpack(wide),
        "first: expected .* found float32": Dlpack(first.astype(np.float32)),
        "first: expected integers or real numbers, found entries of type 5": Dlpack(
            first.astype(np.complex64)
        ),
        "first: expected an array that is contiguous by rows": Dlpack(np.asfortranarray(first)),
        "contiguous by rows, found other strides; copy it": Interface(first.T),
        "first: expected an array of 2 dimension": Dlpack(first[0]),
        r"two tables of n x n ids, found \(12, 11\)": Dlpack(np.ascontiguousarray(first[:, 1:])),
        "two tables of one type that numbers 12 agents": Dlpack(first.astype(np.uint32)),
        "first, row 2: expected a permutation of 0 to 11, found at entry 5": Interface(bad),
        "first: expected an array on the GPU, where others are, found ndarray": first,
        r"is on GPU 1, and taper runs on GPU 0; move it there, or call taper.init\(device=1\)": (
            Dlpack(first, (2, 1))
        ),
        "or of a GPU with CUDA, found one on a device of type 10 of DLPack": Dlpack(first, (10, 0)),
        "name different devices": Dlpack(first, inside=(1, 0)),
        "expected version 1 of DLPack, found 2": Dlpack(first, major=2),
        "without a mask": Interface(first, mask=first),
        "the stream in __cuda_array_interface__ is 0": Interface(first, stream=0),
        "in the order of bytes of this machine, found the type '>u2'": Interface(
            first.astype(">u2")
        ),
        "expected shape, typestr, data, strides and stream": Interface(first, shape="all"),
    }.items():
        refused(message, match(array))
    assert taper.match(Dlpack(first), other, check=False).partner_of.shape == (N,)
    given = Dlpack(first), other
    refused("capacities: expected none", lambda: taper.match(*given, capacities=[1] * N))
    refused("offsets: .* in host memory", lambda: taper.match((other, other), (other, other)))


def test_wrong_markets_are_refused(gpu):
    _, fields = arrays()

    def market(**changed):
        offered = {name: Dlpack(array) for name, array in fields.items()}
        return lambda: taper.Market(**{**offered, **changed})

    twice = fields["hospitals"].copy()
    twice[7] = twice[6]
    negative = fields["keys"].astype(np.int32)
    negative[3] = -1
    for message, changed in {
        "offsets: expected int64, found uint32": {"offsets": Dlpack(twice)},
        "keys: expected an array on the GPU, where others are, found none": {"keys": None},
        "seats: expected an array on the GPU, .* found ndarray": {"seats": fields["seats"]},
        "agent 1: expected offsets .* each once": {"hospitals": Dlpack(twice)},
        "keys: expected numbers from 0, found negative": {"keys": Dlpack(negative)},
        "a key per entry": {"keys": Dlpack(fields["keys"][:-1])},
        "takes offsets, hospitals, keys and seats, and no others": {"tiers": Dlpack(twice)},
    }.items():
        refused(message, market(**changed))


class Failing(Dlpack):
    def __init__(self, error):
        super().__init__(np.zeros((1, 1), np.uint16), (1, 0))
        self.error = error

    def __dlpack__(self, **_):
        raise self.error


def test_errors_of_libraries():
    failing = Failing(BufferError("no\nx"))
    refused("__dlpack__.. of the array failed: no$", lambda: taper.match(failing, [[0]]))
    with pytest.raises(KeyboardInterrupt):
        taper.match(Failing(KeyboardInterrupt()), [[0]])
    wrong = Failing(None)
    wrong.device = "cpu"
    refused("two numbers from __dlpack_device__", lambda: taper.match(wrong, wrong))


def test_a_build_without_cuda():
    if _core.gpu() is not None:
        pytest.skip("this build has CUDA")
    array = np.zeros((1, 1), np.uint16)
    for given in (Dlpack(array), Interface(array)):
        refused(
            "first: the array is on a GPU, and this build of taper has no CUDA; copy it to the "
            "host, as by array.get",
            lambda: taper.match(given, given),
        )
    refused(
        "^a: the array is on a GPU, and this build of taper has no CUDA; copy it to the host",
        lambda: taper.multiply(Dlpack(np.zeros((1, 1))), [[1.0]]),
    )


GIVEN = Dlpack(np.zeros((2, 2), np.uint32))

test_functions_of_the_host = refusals.test_of(
    {
        name: (call, f"{name}: expected an array in host memory, found one on a GPU; copy it")
        for name, call in {
            "graph": lambda: taper.vertex_cover(GIVEN),
            "lists": lambda: taper.roommates(GIVEN),
            "weights": lambda: taper.clique([(0, 1)], weights=GIVEN),
            "capacities": lambda: taper.match({0: [0]}, {0: [0]}, capacities=GIVEN),
        }.items()
    }
)
