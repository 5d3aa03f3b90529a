# SPDX-License-Identifier: Apache-2.0
"""Threads, forks, signals, the start and the end of Kokkos; generate(), run() and info()."""

import concurrent.futures
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import oracles
import pytest
import refusals
import taper

HARD = 'taper.generate("graph", "random_regular", 400, degree=9)'  # no mode solves it in a minute


def run_python(code, *, status=0, **options):
    """Runs a program in an interpreter of its own, and returns what it prints."""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, **options
    )
    assert done.returncode == status, done.stderr
    return done.stdout, done.stderr


def test_an_old_pybind11_refuses_numpy_2():
    code = "import numpy; numpy.__version__ = '2.0.0'; import taper"
    too_old = taper._core.pybind11_version < 0x020C0000
    _, error = run_python(code, status=1 if too_old else 0)
    assert ("ImportError: taper was built with a pybind11 before 2.12" in error) == too_old


def test_threads():
    graph = taper.generate("graph", "gnp", 60, degree=4)
    size = taper.vertex_cover(graph).size
    tables = oracles.random_tables(1, 200)
    expected = taper.match(*tables).partner_of.tolist()
    lists = {"a": ["b"], "b": ["a"]}
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        covers = [pool.submit(taper.vertex_cover, graph) for _ in range(10)]
        matchings = [pool.submit(taper.match, *tables) for _ in range(10)]
        others = [pool.submit(taper.roommates, lists) for _ in range(10)]
        assert all(cover.result().size == size for cover in covers)
        assert all(matching.result().partner_of.tolist() == expected for matching in matchings)
        assert all(other.result().to_dict() == {"a": "b", "b": "a"} for other in others)


def test_other_threads_run_during_a_solve():
    graph = eval(HARD)
    counter = [0]
    done = threading.Event()

    def count():
        while not done.is_set():
            counter[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    taper.vertex_cover(graph, time_limit=0.3)
    done.set()
    thread.join()
    assert counter[0] > 10


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_gets_an_error():
    code = """
import os, taper
taper.match([[0]], [[0]])
if os.fork() == 0:
    try:
        taper.match([[0]], [[0]])
    except taper.Error as error:
        print(error, flush=True)
    print(taper.roommates([[1], [0]]), flush=True)
else:
    os.wait()
    print(taper.match([[0]], [[0]]), flush=True)
"""
    out, err = run_python(code)
    assert "this process is a fork of one that has used taper" in out and "spawn" in out
    assert "Roommates(1 pair: 0 - 1)" in out and "Matching(1 of 1 first: 0 - 0)" in out
    assert err == ""


def test_a_fork_may_be_the_first_to_call():
    code = """
import os, taper
child = os.fork()
print(taper.match([[0]], [[0]]), flush=True)
if child:
    os.wait()
"""
    assert run_python(code)[0].count("Matching(1 of 1") == 2


def test_spawned_processes(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        """
import multiprocessing, taper
def size(n):
    return taper.vertex_cover(taper.generate("graph", "grid", n)).size
if __name__ == "__main__":
    assert size(9) == 4
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        print(pool.map(size, [4, 9]))
"""
    )
    done = subprocess.run(
        [sys.executable, str(program)], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "[2, 4]\n", done.stderr


def interrupt_soon(seconds=0.3):
    timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    return time.monotonic() + seconds


DENSE = 'taper.generate("graph", "gnp", 400, degree=360)'  # the same for cliques

SEARCHES = {
    "cover": f"taper.vertex_cover({HARD}, time_limit=60)",
    "component search": f'taper.vertex_cover({HARD}, mode="component_search", time_limit=60)',
    "independent set": f"taper.independent_set({HARD}, time_limit=60)",
    "weighted set": f"taper.independent_set({HARD}, range(1, 401), time_limit=60)",
    "clique": f"taper.clique({DENSE}, time_limit=60)",
    "weights": f"taper.clique({DENSE}, range(400), time_limit=60)",
    "maximal cliques": f"taper.maximal_cliques({DENSE}, limit=0, time_limit=60)",
    "lottery": 'taper.lottery({i: ["a", "b"] for i in range(2000)}, draws=2**31)',
    "count": "taper.all_stable_matchings(*oracles.irving_leather_market(64)).count()",
}


@pytest.mark.parametrize("search", SEARCHES)
def test_ctrl_c_stops_a_search(search):
    due = interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        eval(SEARCHES[search])
    # The next call waits for the end of the search, which is not that of the time limit.
    assert taper.vertex_cover([(0, 1)]).size == 1
    assert taper.all_stable_matchings([[0]], [[0]]).count() == (1, True)
    assert time.monotonic() - due < 30


def test_ctrl_c_ends_the_reading_of_a_market(tmp_path):
    """A writer whose table never ends sees that the reader has gone."""
    pipe = tmp_path / "market.csv"
    os.mkfifo(pipe)
    gone = []

    def write():
        with pytest.raises(BrokenPipeError), open(pipe, "w") as file:
            file.write("resident,hospital,rank\n")
            for rank in range(10**9):
                file.write(f"a,b{rank % 1000},{rank}\n" if rank < 1000 else f"a{rank},b,1\n")
        gone.append(True)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    interrupt_soon()
    with pytest.raises(KeyboardInterrupt):
        taper.read_market(pipe, format="csv")
    writer.join(timeout=30)
    assert gone == [True]


def cpu_seconds():
    times = os.times()
    return times.user + times.system


def product(n, **options):
    matrix = np.ones((n, n))
    return lambda: taper.multiply(matrix, matrix, **options)


def tables(n, **options):
    market = taper.generate("market", "solo", n)
    return lambda: taper.match(market, **options)


def lists(residents, **options):
    market = taper.generate(
        "hospitals",
        "uniform",
        residents=residents,
        hospitals=residents // 10,
        seats=residents,
        list_length=6,
    )
    return lambda: taper.match(market, **options)


SOLVES = {
    "plain loops": lambda: product(800, engine="serial", kernel="kahan"),
    "blocks": lambda: product(1000, engine="tiled", kernel="neumaier"),
    "recursion": lambda: product(1000, engine="fork_join", kernel="kahan"),
    "panels": lambda: product(3000, engine="packed"),
    "vendor": lambda: product(6000, engine="automatic"),
    "serial tables": lambda: tables(5000, engine="GS-Seq-CPU"),
    "parallel tables": lambda: tables(5000, schedule="parallel"),
    "chains": lambda: lists(2_000_000, wide="chains", schedule="parallel"),
    "rounds": lambda: lists(2_000_000, schedule="serial"),
    "cycles": lambda: lists(1_000_000, mechanism="top_trading_cycles"),
}


@pytest.mark.parametrize("solve", SOLVES)
def test_ctrl_c_ends_a_solve(solve):
    """The whole work of a call that is interrupted early costs much less than that of a whole call.
    The call after it waits for what is left."""
    call = SOLVES[solve]()
    begun, spent = time.monotonic(), cpu_seconds()
    call()
    wall, whole = time.monotonic() - begun, cpu_seconds() - spent
    spent = cpu_seconds()
    interrupt_soon(wall / 20)
    with pytest.raises(KeyboardInterrupt):
        call()
        time.sleep(60)
    assert taper.match([[1, 0], [0, 1]], [[0, 1], [0, 1]]).partner_of.tolist() == [1, 0]
    assert cpu_seconds() - spent < 0.6 * whole


def test_a_stopped_call_gives_its_memory_back():
    def resident_bytes():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    call = tables(6000, schedule="parallel")  # whose tables take 250 MB
    call()
    before = resident_bytes()
    for _ in range(3):
        interrupt_soon(0.2)
        with pytest.raises(KeyboardInterrupt):
            call()
            time.sleep(60)
    taper.match([[0]], [[0]])
    assert resident_bytes() - before < 2**25


def test_ctrl_c_leaves_work_that_cannot_be_stopped():
    interrupt_soon(0.1)
    with pytest.raises(KeyboardInterrupt):
        while True:
            taper.generate(
                "hospitals", "uniform", residents=10**6, hospitals=10**5, seats=10**6, list_length=9
            )
    # the next call waits for the one that was left
    assert taper.match([[0]], [[0]]).partner_of.tolist() == [0]


def test_a_handler_that_returns_does_not_end_a_call():
    calls = []
    old = signal.signal(signal.SIGALRM, lambda *_: calls.append(1))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        cover = taper.vertex_cover(eval(HARD), time_limit=0.5)
    finally:
        signal.signal(signal.SIGALRM, old)
    assert calls == [1] and cover.stopped and cover.seconds > 0.4


def test_ctrl_c_ends_a_program():
    code = f"import taper\ngraph = {HARD}\nprint('ready', flush=True)\ntaper.vertex_cover(graph)"
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert err.rstrip().endswith("KeyboardInterrupt") and child.returncode in (-signal.SIGINT, 130)


def test_a_second_ctrl_c_does_not_wait_for_work_that_was_left():
    code = """
import taper
print("ready", flush=True)
taper.generate("graph", "random_regular", 10_000_000, degree=9)
"""
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "ready\n"
    for _ in range(2):
        time.sleep(0.4)
        child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=60)
    assert "KeyboardInterrupt" in err and child.returncode == 130


def test_init():
    code = """
import taper
taper.init(threads=1)
print(taper.info()["host_threads"])
for arguments in ({"threads": 2}, {}):
    try:
        taper.init(**arguments)
        print("accepted")
    except taper.Error as error:
        print(error)
"""
    out, _ = run_python(code)
    assert out.splitlines()[0] == "1"
    assert out.splitlines()[1].startswith("taper has started already")
    for wrong in ({"threads": 0}, {"threads": True}, {"device": -1}, {"threads": "2"}):
        with pytest.raises(taper.Error, match=f"{next(iter(wrong))}: expected a number from"):
            taper.init(**wrong)


def test_bad_settings_of_kokkos():
    code = "import taper\ntry:\n  taper.info()\nexcept taper.Error as error:\n  print(error)"
    out, _ = run_python(code, env={**os.environ, "KOKKOS_NUM_THREADS": "many"})
    assert out.startswith("KOKKOS_NUM_THREADS=many: expected a decimal integer")


def test_an_interpreter_without_a_call_ends_quietly():
    assert run_python("import taper") == ("", "")
    assert run_python("import taper; taper.info(); taper.match([[0]], [[0]])") == ("", "")


def test_threads_of_a_call_and_of_an_experiment():
    here = int(taper.info()["host_threads"])
    for call in (
        lambda: taper.match([[0]], [[0]], threads=here + 1),
        lambda: taper.match({"a": []}, {}, threads=here + 1),
        lambda: taper.vertex_cover([(0, 1)], threads=here + 1),
        lambda: taper.multiply([[1.0]], [[1.0]], threads=here + 1),
    ):
        with pytest.raises(taper.Error, match=f"cannot run on {here + 1} threads here"):
            call()
    with pytest.raises(taper.Error, match=f"threads: expected {here}, with which Kokkos has"):
        taper.run(
            {
                "name": "x",
                "engines": ["taper"],
                "sizes": [4],
                "workloads": ["uniform"],
                "threads": here + 1,
            }
        )


def test_daemon_threads_may_call_at_the_end():
    code = """
import threading, taper
lists = [[0, 1], [1, 0]]
def call():
    while True:
        taper.match(lists, lists)
for _ in range(2):
    threading.Thread(target=call, daemon=True).start()
taper.match(lists, lists)
"""
    assert run_python(code)[1] == ""


def test_threads_may_make_the_first_call_together():
    code = """
import concurrent.futures, taper
with concurrent.futures.ThreadPoolExecutor(8) as pool:
    calls = [pool.submit(taper.match, [[0, 1], [1, 0]], [[0, 1], [1, 0]]) for _ in range(40)]
    print({str(call.result()) for call in calls})
"""
    assert run_python(code) == ("{'Matching(2 of 2 first: 0 - 0, 1 - 1)'}\n", "")


KOKKOS_OF_ANOTHER_MODULE = """
import ctypes, taper, taper._core
def attempt(call):
    try:
        print(call())
    except taper.Error as error:
        print(error)
maps = open("/proc/self/maps").read().split("\\n")
kokkos = ctypes.CDLL(next(line.split()[-1] for line in maps if "libkokkoscore" in line))
count = ctypes.c_int(0)
kokkos["_ZN6Kokkos10initializeERiPPc"](ctypes.byref(count), None)
attempt(lambda: taper.init(threads=1))
attempt(lambda: taper.match([[0]], [[0]]))
attempt(lambda: taper.vertex_cover([(0, 1)]).size)
"""


@pytest.mark.parametrize("ends", [True, False])
def test_kokkos_of_another_module(ends):
    with open("/proc/self/maps") as maps:
        if "libkokkoscore" not in maps.read():
            pytest.skip("no other module can start a Kokkos that is linked statically")
    code = KOKKOS_OF_ANOTHER_MODULE
    if ends:
        code += 'kokkos["_ZN6Kokkos8finalizeEv"]()\nattempt(lambda: taper.match([[0]], [[0]]))'
    out, err = run_python(code)
    expected = [
        "another module has started Kokkos, which takes no settings any more",
        "Matching(1 of 1 first: 0 - 0)",
        "1",
    ]
    if ends:
        expected.append("Kokkos has ended in this process, and cannot start again")
    assert out.splitlines() == expected and err == ""


def test_info():
    about = taper.info()
    assert about["taper_version"] and about["kokkos_version"]
    assert all(len(backend) == 3 and backend[2] > 0 for backend in about["backends"])


def test_generated_markets():
    for family in ("perfect", "solo", "congested", "random", "uniform", "correlated"):
        market = taper.generate("market", family, 12, seed=3)
        again = taper.generate("market", family, 12, seed=3)
        assert (market.first == again.first).all() and market.titles == ("men", "women")
        assert (
            sorted(market.first[5].tolist()) == sorted(market.second[7].tolist()) == list(range(12))
        )
        lists = oracles.as_names(market.first.tolist()), oracles.as_names(market.second.tolist())
        assert taper.match(market).to_dict() == oracles.deferred_acceptance(*lists, {})
    market = taper.generate(
        "hospitals", "uniform", residents=50, hospitals=10, seats=40, list_length=4
    )
    assert (
        market.sizes == (50, 10)
        and market.seats.sum() == 40
        and (np.diff(market.offsets) == 4).all()
    )
    assert taper.verify_matching(taper.match(market))


def test_generated_graphs_and_matrices():
    graph = taper.generate("graph", "planted_cover", 60, cover=20, degree=5)
    assert taper.vertex_cover(graph).size == 20
    assert taper.generate("graph", "random_regular", 10, degree=3).edges == 15
    matrix = taper.generate("matrix", "integers", 3, 4, largest=2, dtype="float32")
    assert matrix.shape == (3, 4) and matrix.dtype == np.float32 and abs(matrix).max() <= 2
    assert (matrix != taper.generate("matrix", "integers", 3, 4, largest=2, factor="b")).any()


WRONG = {
    "what": (
        lambda: taper.generate("tree", "x"),
        "expected one of market, hospitals, graph, matrix, found 'tree'",
    ),
    "family": (
        lambda: taper.generate("market", "unifrm", 3),
        "unknown family 'unifrm'; did you mean 'uniform'",
    ),
    "size": (lambda: taper.generate("market", "uniform"), "expected the size: n; found 0 numbers"),
    "size type": (
        lambda: taper.generate("market", "uniform", 1.5),
        "n: expected a number from 0, found 1.5",
    ),
    "too large": (lambda: taper.generate("market", "uniform", 3_000_000), "n up to 2097151"),
    "memory": (lambda: taper.generate("market", "uniform", 2_000_000), "memory|needs"),
    "solo": (lambda: taper.generate("market", "solo", 3), "the family 'solo' needs n >= 4"),
    "parameter": (
        lambda: taper.generate("market", "uniform", 3, group_size=2),
        "unknown parameter 'group_size'; expected none",
    ),
    "range": (
        lambda: taper.generate("market", "correlated", 3, strength=2),
        "a strength from 0 to 1",
    ),
    "seed": (lambda: taper.generate("graph", "gnp", 3, seed=-1), "seed: expected a number from 0"),
    "cover": (
        lambda: taper.generate("graph", "planted_cover", 3),
        "the family 'planted_cover' needs cover=",
    ),
    "regular": (lambda: taper.generate("graph", "random_regular", 3, degree=5), "degree"),
    "hospitals": (
        lambda: taper.generate("hospitals", "uniform", residents=3),
        "expected hospitals=, seats=",
    ),
    "hospitals option": (
        lambda: taper.generate("hospitals", "uniform", residents=3, hospitals=2, seats=2, skw=1),
        "did you mean 'skew'",
    ),
    "dtype": (
        lambda: taper.generate("matrix", "uniform", 2, 2, dtype="int8"),
        "a dtype of float32 or float64",
    ),
    "experiment": (
        lambda: taper.run({"algorithm": "sorting"}),
        "experiment:1: algorithm: expected one of",
    ),
    "experiment key": (
        lambda: taper.run({"name": "x", "output": "x", "engines": ["taper"], "sices": [3]}),
        "sices",
    ),
    "experiment file": (
        lambda: taper.run("/missing/file"),
        "/missing/file: No such file or directory",
    ),
    "experiment type": (lambda: taper.run([1]), "expected a dict or a file, found list"),
    "progress": (lambda: taper.run({}, progress=3), "progress: expected True or a callable"),
    "experiment value": (lambda: taper.run({"name": {1}}), "expected an experiment of texts"),
}


test_wrong_input = refusals.test_of(WRONG)


def test_run(tmp_path, capfd):
    experiment = {
        "name": "small",
        "sizes": [16],
        "workloads": ["uniform"],
        "engines": ["GS-Seq-CPU", "taper"],
        "seeds": [1],
        "repetitions": 2,
        "warmup": 0,
        "output": str(tmp_path / "results"),
    }
    results = taper.run(experiment)
    assert (
        results.complete
        and len(results.cases) == 2
        and repr(results).startswith("Results(2 cases in")
    )
    file = tmp_path / "small.yaml"
    import json

    file.write_text(json.dumps(experiment))
    other = taper.run(file, "repetitions=1", f"output={tmp_path / 'other'}")
    assert other.content["configuration"]["repetitions"] == 1 and len(other.cases) == 2
    assert taper.run(file, resume=True).complete
    seen = []
    more = [f"output={tmp_path / 'more'}", "repetitions=3000", "sizes=[500]"]
    assert taper.run(experiment, *more, progress=seen.append).complete
    assert seen and isinstance(seen[0], taper.CountProgress) and seen[-1].total == 2
    assert [state.count for state in seen] == sorted(state.count for state in seen)
    assert seen[-1].count < 2
    capfd.readouterr()
    if pytest.importorskip("pandas"):
        assert len(results.to_frame()) == 4
