# SPDX-License-Identifier: Apache-2.0
"""Arrays of CuPy, PyTorch and JAX on a GPU, without copies. Needs a GPU, and a package that was
built with CUDA: python -m pytest -q -rs tests/python/gpu_arrays.py"""

import gc
import os
import pickle
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import taper
from taper import _core

try:
    HAS_GPU = _core.gpu() is not None
except taper.Error as error:  # a build with CUDA on a machine without a GPU
    pytest.skip(str(error), allow_module_level=True)
if not HAS_GPU:
    pytest.skip("this build has no CUDA", allow_module_level=True)

N = 200


class Cupy:
    """What the tests need of a library."""

    def __init__(self):
        self.library = pytest.importorskip("cupy")

    def put(self, array):
        return self.library.asarray(array)

    def take(self, array):
        return self.library.asarray(array)

    def pointer(self, array):
        return array.data.ptr

    def host(self, array):
        return array.get()

    def convert(self, array, name):
        return array.astype(name)

    def turned(self, array):
        return array.T

    def stream(self):
        return self.library.cuda.Stream(non_blocking=True)

    def in_stream(self, stream):
        return stream

    def wait(self):
        self.library.cuda.Device().synchronize()

    def fill_late(self, target, source):
        """Writes to the target after a while, on the stream of this thread."""
        work = self.library.ones((4096, 4096), "float32")
        for _ in range(40):
            work = work @ work * 0
        target += work[0, 0].astype(target.dtype)
        target[...] = source


class Torch:
    def __init__(self):
        self.library = pytest.importorskip("torch")

    def put(self, array):
        return self.library.from_numpy(np.ascontiguousarray(array)).cuda()

    def take(self, array):
        return self.library.from_dlpack(array)

    def pointer(self, array):
        return array.data_ptr()

    def host(self, array):
        return array.cpu().numpy()

    def convert(self, array, name):
        return array.to(getattr(self.library, name))

    def turned(self, array):
        return array.t()

    def stream(self):
        return self.library.cuda.Stream()

    def in_stream(self, stream):
        return self.library.cuda.stream(stream)

    def wait(self):
        self.library.cuda.synchronize()

    def fill_late(self, target, source):
        self.library.cuda._sleep(500_000_000)
        target.copy_(source)


@pytest.fixture(params=[Cupy, Torch])
def lib(request):
    return request.param()


class InterfaceOnly:
    """What Numba and others offer: no DLPack."""

    def __init__(self, array, **changed):
        self.kept = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changed}


def pointer_of(array):
    return array.__cuda_array_interface__["data"][0]


def free_bytes():
    """Of the GPU, after all that is not used any more has been given back."""
    gc.collect()
    if "torch" in sys.modules:
        sys.modules["torch"].cuda.synchronize()
        sys.modules["torch"].cuda.empty_cache()
    if "cupy" in sys.modules:
        sys.modules["cupy"].get_default_memory_pool().free_all_blocks()
    (free,) = (bytes for name, _, bytes in taper.info()["backends"] if name == "cuda")
    return free


def tables(n=N, dtype=np.uint16, seed=3):
    market = taper.generate("market", "random", n, seed=seed)
    return market.first.astype(dtype), market.second.astype(dtype)


@pytest.mark.parametrize("n", [0, 1, 2, 64, 65, N, 2000])
@pytest.mark.parametrize("dtype", [np.uint16, np.int16, np.uint32, np.int32])
def test_tables(lib, n, dtype):
    first, second = tables(max(n, 1), dtype)
    first, second = first[:n, :n], second[:n, :n]
    expected = taper.match(first, second)
    a, b = lib.put(first), lib.put(second)
    for proposer in ("first", "second"):
        matching = taper.match(a, b, proposer=proposer)
        assert matching.backend == "cuda" and isinstance(matching.partner_of, taper.DeviceArray)
        if n > 0:
            assert pointer_of(matching.market.first) == lib.pointer(a)
            assert pointer_of(matching.market.second) == lib.pointer(b)
        partners = lib.take(matching.partner_of)
        if n > 0:
            assert lib.pointer(partners) == pointer_of(matching.partner_of)
        host = taper.match(first, second, proposer=proposer, backend="host")
        assert lib.host(partners).tolist() == host.partner_of.tolist()
        assert taper.verify_matching(matching).stable
    assert taper.match(a, b).to_host().to_dict() == expected.to_dict()


def test_options(lib):
    first, second = map(lib.put, tables())
    for options in (
        {"schedule": "serial"},
        {"schedule": "parallel"},
        {"tail": "host"},
        {"engine": "taper"},
        {"backend": "cuda"},
        {"backend": "device"},
    ):
        assert taper.verify_matching(taper.match(first, second, **options)).stable, options


def test_verdicts(lib):
    first, second = tables()
    partners = np.roll(taper.match(first, second).partner_of, 1)
    expected = taper.verify_matching(partners, first, second, limit=100)
    there = [lib.put(array) for array in (partners, first, second)]
    assert expected.blocking_pairs > 0
    assert taper.verify_matching(*there, limit=100) == expected
    partners[5] = partners[6]
    assert taper.verify_matching(lib.put(partners), *there[1:]).fault is not None
    partners[5] = -1
    assert "has no partner" in taper.verify_matching(lib.put(partners), *there[1:]).fault


def market_arrays(**sizes):
    sizes = {"residents": 20_000, "hospitals": 500, "seats": 18_000, "list_length": 8, **sizes}
    market = taper.generate("hospitals", "uniform", **sizes)
    arrays = {f: getattr(market, f) for f in ("offsets", "hospitals", "keys", "seats")}
    arrays["keys"] = arrays["keys"] >> 1  # for on_gpu()
    return taper.Market(**arrays), arrays


def on_gpu(lib, array):
    """PyTorch knows few operations of uint32, but int32 holds numbers below 2^31 as well."""
    return lib.put(array.view(np.int32) if array.dtype == np.uint32 else array)


def test_markets(lib):
    market, arrays = market_arrays()
    there = {field: on_gpu(lib, array) for field, array in arrays.items()}
    gpu = taper.Market(**there)
    for field, array in there.items():
        assert pointer_of(getattr(gpu, field)) == lib.pointer(array)
    for options in (
        {},
        {"proposer": "second"},
        {"lottery": "single", "seed": 4},
        {"lottery": "multiple"},
        {"mechanism": "immediate_acceptance"},
    ):
        matching = taper.match(gpu, **options)
        host = taper.match(market, backend="host", **options)
        partners = lib.host(lib.take(matching.partner_of))
        assert partners.tolist() == host.partner_of.tolist(), options
        expected = taper.verify_matching(host, limit=50)
        assert taper.verify_matching(matching, limit=50) == expected
    assert taper.match(gpu).to_host().to_dict() == taper.match(market).to_dict()
    none = np.full(20_000, -1, np.int32)
    assert taper.verify_matching(lib.put(none), gpu) == taper.verify_matching(none, market)


def test_lists_are_checked(lib):
    _, arrays = market_arrays()
    for field, entry, value in (
        ("hospitals", 9, arrays["hospitals"][8]),
        ("hospitals", 9, 500),
        ("offsets", 3, 10**9),
        ("keys", 0, 2**31),
        ("seats", 0, 2**32 - 1),
    ):
        wrong = {name: array.copy() for name, array in arrays.items()}
        wrong[field][entry] = value
        with pytest.raises(taper.Error):
            taper.Market(**{name: on_gpu(lib, array) for name, array in wrong.items()})
    first, second = tables()
    first[7, 3] = first[7, 2]
    with pytest.raises(taper.Error, match="first, row 7: expected a permutation"):
        taper.match(lib.put(first), lib.put(second))


def test_no_copy_is_made(lib):
    n = 16_384
    first, second = map(lib.put, tables(n))
    taper.match(*map(lib.put, tables()))  # starts what stays
    before = free_bytes()
    market = taper.CompleteMarket(first, second, check=False)
    assert before - free_bytes() < 2**20
    matching = taper.match(market)
    after = free_bytes()
    assert before - after < 2**26 < first.nbytes  # the partners, and what Kokkos keeps
    copies = [lib.take(matching.partner_of) for _ in range(100)]
    assert after - free_bytes() < 2**20
    del market, matching, copies
    assert free_bytes() >= after


def test_calls_leave_no_memory(lib):
    first, second = map(lib.put, tables())
    taper.match(first, second)
    before = free_bytes()
    for _ in range(500):
        kept = lib.take(taper.match(first, second).partner_of)
    del kept
    assert before - free_bytes() < 2**22


def test_memory_lives_as_long_as_it_is_used(lib):
    first, second = tables()
    expected = taper.match(first, second).partner_of.tolist()
    market = taper.CompleteMarket(lib.put(first), lib.put(second))  # the only users
    noise = [lib.put(np.full((N, N), 7, np.uint16)) for _ in range(20)]
    partners = lib.take(taper.match(market).partner_of)
    del market
    gc.collect()
    more = [taper.match(lib.put(first), lib.put(second)).partner_of for _ in range(20)]
    assert lib.host(partners).tolist() == expected
    assert all(array.get().tolist() == expected for array in more)
    assert len(noise) == 20


def test_streams(lib):
    """The arrays are written late, on streams that do not wait for others."""
    first, second = tables(1000)
    expected = taper.match(first, second).partner_of.tolist()
    sources = lib.put(first), lib.put(second)
    for _ in range(3):
        late = [lib.put(np.zeros_like(first)) for _ in range(2)]
        lib.wait()
        with lib.in_stream(lib.stream()):
            for target, source in zip(late, sources):
                lib.fill_late(target, source)
            partners = taper.match(*late).partner_of
            assert lib.host(lib.take(partners)).tolist() == expected


def test_streams_of_the_interface():
    lib = Cupy()
    first, second = tables(1000)
    sources = lib.put(first), lib.put(second)
    late = [lib.put(np.zeros_like(first)) for _ in range(2)]
    lib.wait()
    with lib.stream() as stream:
        for target, source in zip(late, sources):
            lib.fill_late(target, source)
        given = [InterfaceOnly(array, version=3, stream=stream.ptr) for array in late]
        partners = taper.match(*given).partner_of
    assert partners.get().tolist() == taper.match(first, second).partner_of.tolist()
    for stream in (None, 1, 2):
        given = [InterfaceOnly(array, version=3, stream=stream) for array in sources]
        assert taper.match(*given).partner_of.get().tolist() == partners.get().tolist()


def test_interface_without_dlpack(lib):
    first, second = tables(dtype=np.int32)
    given = [InterfaceOnly(lib.put(array)) for array in (first, second)]
    matching = taper.match(*given)
    assert pointer_of(matching.market.first) == pointer_of(given[0])
    assert matching.partner_of.get().tolist() == taper.match(first, second).partner_of.tolist()
    in_host_memory = InterfaceOnly(given[0].kept, data=(first.ctypes.data, False))
    with pytest.raises(taper.Error, match="is of no GPU"):
        taper.match(in_host_memory, given[1])


def test_read_only_arrays():
    lib = Cupy()
    first, second = map(lib.put, tables())
    given = [InterfaceOnly(a, data=(a.data.ptr, True)) for a in (first, second)]
    matching = taper.match(*given)
    with pytest.raises(BufferError):
        matching.market.first.__dlpack__()
    assert taper.verify_matching(matching).stable


def test_managed_memory():
    lib = Cupy()
    cupy = lib.library
    with cupy.cuda.using_allocator(cupy.cuda.MemoryPool(cupy.cuda.malloc_managed).malloc):
        given = [lib.put(array) for array in tables()]
        assert taper.verify_matching(taper.match(*given)).stable


def test_pinned_memory_is_the_hosts():
    torch = pytest.importorskip("torch")
    first, second = tables(dtype=np.int32)
    pinned = [torch.from_numpy(array).pin_memory() for array in (first, second)]
    assert isinstance(taper.match(*pinned).partner_of, np.ndarray)
    on_host = torch.from_numpy(first.view(np.uint32)), torch.from_numpy(second.view(np.uint32))
    matching = taper.match(*on_host)
    assert matching.market.first.ctypes.data == first.ctypes.data


def test_jax():
    jax = pytest.importorskip("jax")
    if not any(device.platform == "gpu" for device in jax.devices()):
        pytest.skip("JAX sees no GPU")
    first, second = tables(dtype=np.int32)
    matching = taper.match(jax.device_put(first), jax.device_put(second))
    assert matching.partner_of.get().tolist() == taper.match(first, second).partner_of.tolist()
    partners = jax.dlpack.from_dlpack(matching.partner_of)
    assert np.asarray(partners).tolist() == matching.partner_of.get().tolist()


def test_wrong_arrays(lib):
    first, second = tables()
    a, b = lib.put(first), lib.put(second)
    wide = lib.convert(lib.put(first.astype(np.int32)), "int64")
    for message, call in {
        "found int64; convert it on the GPU": lambda: taper.match(wide, wide),
        "contiguous by rows": lambda: taper.match(lib.turned(a), b),
        "second: expected an array on the GPU, .* found ndarray": lambda: taper.match(a, second),
        "first: expected an array on the GPU, .* found ndarray": lambda: taper.match(first, b),
        "two tables of n x n ids": lambda: taper.match(a, b[:-1]),
        "leave out backend": lambda: taper.match(a, b, backend="host"),
        "needs a host backend": lambda: taper.match(
            taper.Market(**{f: on_gpu(lib, x) for f, x in market_arrays()[1].items()}),
            mechanism="top_trading_cycles",
        ),
        "expected a market in host memory": lambda: taper.match(a, b, lottery="single"),
        "a: expected float32 or float64": lambda: taper.multiply(a, b),
        "graph: expected an array in host memory": lambda: taper.vertex_cover(a),
    }.items():
        with pytest.raises(taper.Error, match=message) as caught:
            call()
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products(lib, dtype):
    random = np.random.default_rng(3)
    a, b, c = (
        random.integers(-9, 9, shape).astype(dtype) for shape in ((300, 200), (200, 70), (300, 70))
    )
    there = [lib.put(array) for array in (a, b, c)]
    for engine in ("automatic", "register_blocked", "team_tiled"):
        product, report = taper.multiply(
            *there[:2], c=there[2], alpha=2, engine=engine, report=True
        )
        assert isinstance(product, taper.DeviceArray) and report["backend"] == "cuda"
        assert lib.host(lib.take(product)).tolist() == (2 * (a @ b) + c).tolist(), engine
    out = lib.put(np.zeros_like(c))
    product = taper.multiply(*there[:2], out=out)
    assert pointer_of(product) == lib.pointer(out)
    assert lib.host(out).tolist() == (a @ b).tolist()
    for message, call in {
        "contiguous by rows": lambda: taper.multiply(lib.turned(there[0]), there[0]),
        "b: expected an array on the GPU": lambda: taper.multiply(there[0], b),
        "which a has": lambda: taper.multiply(
            there[0], lib.put(b.astype(np.float64 if dtype == np.float32 else np.float32))
        ),
        "leave out backend and engine": lambda: taper.multiply(*there[:2], engine="IKJ"),
        "needs matrices in host memory": lambda: taper.multiply(*there[:2], engine="streamed"),
    }.items():
        with pytest.raises(taper.Error, match=message):
            call()


def test_a_product_makes_no_copy(lib):
    n = 8192
    a = lib.put(np.ones((n, n), np.float32))
    taper.multiply(a, a)  # starts what stays
    before = free_bytes()
    product = taper.multiply(a, a)
    assert before - free_bytes() < 4 * n * n + 2**26
    assert lib.host(lib.take(product)).ravel()[:3].tolist() == [n] * 3
    del product
    assert free_bytes() >= before - 2**20


@pytest.mark.parametrize("mode", ["taper", "component_search"])
def test_covers(lib, mode):
    graph = taper.generate("graph", "gnp", 90, degree=5, seed=2)
    minimum = taper.vertex_cover(graph).size
    for offsets in (graph.offsets, graph.offsets.astype(np.int32)):
        there = taper.Graph(lib.put(offsets), on_gpu(lib, graph.entries))
        cover = taper.vertex_cover(there, mode=mode)
        assert cover.size == minimum and isinstance(cover.in_cover, taper.DeviceArray)
        marks = lib.host(lib.take(cover.in_cover))
        assert marks.sum() == minimum
        assert all(marks[u] or marks[v] for u, v in graph.edge_array().tolist())
        assert cover.to_host().size == len(cover.to_host().vertices)
    with pytest.raises(taper.Error, match="expected a simple graph"):
        taper.Graph(lib.put(graph.offsets), on_gpu(lib, graph.entries[::-1].copy()))
    with pytest.raises(taper.Error, match="expected a graph in host memory"):
        taper.clique(there)


def test_a_sparse_matrix_of_cupy():
    lib = Cupy()
    sparse = pytest.importorskip("cupyx.scipy.sparse")
    graph = taper.generate("graph", "gnp", 90, degree=5, seed=2)
    entries = lib.put(graph.entries.astype(np.int32))
    matrix = sparse.csr_matrix(
        (lib.library.ones(len(entries), "float32"), entries, lib.put(graph.offsets.astype("i4"))),
        shape=(90, 90),
    )
    cover = taper.vertex_cover(matrix)
    assert cover.size == taper.vertex_cover(graph).size
    assert pointer_of(cover.graph.entries) == lib.pointer(matrix.indices)


def test_lotteries(lib):
    market, arrays = market_arrays()
    there = taper.Market(**{f: on_gpu(lib, array) for f, array in arrays.items()})
    for options in ({"draws": 1}, {"draws": 300, "seed": 5}, {"draws": 7, "lottery": "multiple"}):
        found = taper.lottery(there, **options)
        expected = taper.lottery(market, backend="host", **options)
        counts = lib.host(lib.take(found.counts))
        assert counts.tolist() == expected.counts.tolist()
        assert found.to_host().of(3) == expected.of(3)


def test_ctrl_c_ends_a_solve(lib):
    first, second = map(lib.put, tables(8000))
    taper.match(first, second)
    ends = []
    for _ in range(3):
        timer = threading.Timer(0.3, os.kill, (os.getpid(), 2))
        timer.start()
        begun = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            while True:
                taper.match(first, second)
        ends.append(time.monotonic() - begun)
    assert max(ends) < 5
    assert taper.verify_matching(taper.match(first, second)).stable


def test_another_gpu():
    torch = pytest.importorskip("torch")
    if torch.cuda.device_count() < 2:
        pytest.skip("one GPU")
    first, second = (torch.from_numpy(array).to("cuda:1") for array in tables())
    with pytest.raises(taper.Error, match=r"on GPU 1, and taper runs on GPU 0; .*init\(device=1\)"):
        taper.match(first, second)
    assert torch.cuda.current_device() == 0


def test_pickles(lib):
    first, second = tables()
    matching = taper.match(lib.put(first), lib.put(second))
    copy = pickle.loads(pickle.dumps(matching))
    assert copy.partner_of.__dlpack_device__() == matching.partner_of.__dlpack_device__()
    assert copy.partner_of.get().tolist() == matching.partner_of.get().tolist()
    assert copy.market.second.get().tolist() == second.tolist()
    assert taper.verify_matching(copy).stable
    assert lib.host(lib.take(copy.partner_of)).tolist() == copy.partner_of.get().tolist()


def test_threads(lib):
    first, second = tables(1000)
    expected = taper.match(first, second).partner_of.tolist()
    found = []

    def work():
        for _ in range(5):
            found.append(taper.match(lib.put(first), lib.put(second)).partner_of.get().tolist())

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 20 and all(partners == expected for partners in found)


@pytest.mark.parametrize("end", ["", "del taper, matching", "import os; os.kill(os.getpid(), 2)"])
def test_the_end_of_a_process(end):
    """Arrays that live on at the end are no error."""
    pytest.importorskip("torch")
    code = f"""
import torch, taper, numpy
market = taper.generate("market", "random", 100)
first, second = (torch.from_numpy(table.view(numpy.int16)).cuda() for table in
                 (market.first, market.second))
matching = taper.match(first, second)
partners = torch.from_dlpack(matching.partner_of)
capsule = matching.partner_of.__dlpack__()
print(int(partners.sum()))
{end}
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, timeout=120
    )
    assert done.stdout.split() == [str(99 * 50)], done.stderr
    assert (done.returncode == 0) == ("kill" not in end), done.stderr
    assert "terminate" not in done.stderr and "Kokkos" not in done.stderr
