#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs small experiments, and tests, of a CUDA build under the tools of compute-sanitizer.

OUT/TOOL-JOB.txt holds the output of each run. OUT/kernels.md is the table of docs/notes/sanitizers.md:
for each kernel of Taper, what ran it, and whether each tool was clean. A kernel counts as clean if each run
that launched it ended without an error, and at least one ended in time.
"copies" stands for reports of initcheck that are all about copies to the host.

NAMES is the library of kernel_names.cpp. A TEST is a test executable; its tests on Cuda run."""

import argparse
import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys
import time

EPILOG = """\
exit status: 0 if all runs are clean or report copies alone; 1 if a tool reports an error or a run takes too long

example:
  g++ -O2 -shared -fPIC tests/sanitizers/kernel_names.cpp -o /tmp/kernel_names.so
  tests/sanitizers/run.py build/cuda-hopper90/bin/taper /tmp/kernel_names.so /tmp/sanitizers"""

HERE = pathlib.Path(__file__).parent
TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")

# initcheck reports each partly filled buffer that is copied to the host whole. All reports are printed, to tell these
# from reads in kernels.
PRINTED = {"initcheck": ["--print-limit", "1000000", "--show-backtrace", "no"]}

# What a tool would take minutes for. racecheck follows each access to shared memory.
SMALLER = {
    ("racecheck", "stable_marriage"): ["sizes=[260]", "workloads=[solo, congested]"],
    ("racecheck", "long_rows"): ["workloads=[solo]"],
    ("racecheck", "constraint"): ["sizes=100", "lists=[uniform]"],
    ("racecheck", "vertex_cover"): ["k=minimum"],
    ("racecheck", "matmul"): ["sizes=[31]"],
}


def command(arguments, tool, job):
    if job in arguments.tests:
        return [job, "--gtest_filter=*Cuda*:*/0*"]
    name = pathlib.Path(job).stem
    settings = SMALLER.get((tool, name), [])
    return [arguments.taper, "run", job, f"output={arguments.out}/results/{tool}-{name}", *settings]


def has_copies_alone(report):
    """Whether each error in the report of initcheck is about a copy."""
    errors = [line for line in report.splitlines() if "Uninitialized" in line]
    return errors and all("cudaMemcpy source" in line for line in errors) and "were not printed" not in report


def name_of(arguments, job):
    """The name of a job in the table. An experiment and the tests of a folder may share the rest of it."""
    return f"tests-{pathlib.Path(job).name}" if job in arguments.tests else pathlib.Path(job).stem


def run(arguments, tool, job):
    """Runs a job under a tool. Returns (tool, name of the job, verdict, kernels)."""
    name = name_of(arguments, job)
    names = arguments.out / f"{tool}-{name}.names"
    printed = arguments.out / f"{tool}-{name}.txt"
    names.unlink(missing_ok=True)
    environment = {"OMP_NUM_THREADS": "2", "OMP_PROC_BIND": "false", "TAPER_PROFILE": "none", **os.environ,
                   "KOKKOS_TOOLS_LIBS": str(arguments.names.resolve()), "KERNEL_NAMES": str(names)}
    check = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", *PRINTED.get(tool, ["--print-limit", "20"])]
    begin = time.monotonic()
    with open(printed, "w", encoding="utf-8") as output:
        process = subprocess.Popen([*check, *command(arguments, tool, job)], env=environment, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = process.wait(timeout=arguments.limit)
            verdict = "errors" if status != 0 else "clean"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the tool and the program under test
            process.wait()
            verdict = "not finished"
    report = printed.read_text(encoding="utf-8", errors="replace")
    if verdict == "errors" and tool == "initcheck" and has_copies_alone(report):
        verdict = "copies"
    print(f"{tool} {name}: {verdict}, {time.monotonic() - begin:.0f} s", flush=True)
    kernels = names.read_text().splitlines() if names.exists() else []
    return tool, name, verdict, kernels


def table(runs):
    """The rows of kernels.md."""
    jobs = {}
    verdicts = {}
    ranks = ("not finished", "clean", "copies", "errors")  # the worst that a run has shown
    for tool, name, verdict, kernels in runs:
        for kernel in (name for name in kernels if name.startswith("taper::")):
            jobs.setdefault(kernel, set()).add(name)
            verdicts[kernel, tool] = max(verdict, verdicts.get((kernel, tool), verdict), key=ranks.index)
    yield f"| kernel | run by | {' | '.join(TOOLS)} |"
    yield "|---" * (2 + len(TOOLS)) + "|"
    for kernel in sorted(jobs):
        cells = [verdicts.get((kernel, tool), "not run") for tool in TOOLS]
        yield f"| `{kernel}` | {', '.join(sorted(jobs[kernel]))} | {' | '.join(cells)} |"


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("taper", metavar="TAPER", help="the taper executable")
    parser.add_argument("names", metavar="NAMES", type=pathlib.Path, help="the library of kernel_names.cpp")
    parser.add_argument("out", metavar="OUT", type=pathlib.Path, help="a folder for the outputs; made if missing")
    parser.add_argument("tests", metavar="TEST", nargs="*", help="test executables to run too")
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=TOOLS, help="the tools (default: all)")
    parser.add_argument("--limit", metavar="S", type=float, default=170, help="seconds per run (default: 170)")
    parser.add_argument("--jobs", metavar="N", type=int, default=8, help="runs at a time (default: 8)")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    arguments.out.mkdir(parents=True, exist_ok=True)
    jobs = [*map(str, sorted(HERE.glob("*.yaml"))), *arguments.tests]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        pairs = [(tool, job) for tool in arguments.tools for job in jobs]
        runs = list(pool.map(lambda pair: run(arguments, *pair), pairs))
    (arguments.out / "kernels.md").write_text("\n".join(table(runs)) + "\n")
    return 0 if all(verdict in ("clean", "copies") for _, _, verdict, _ in runs) else 1


if __name__ == "__main__":
    sys.exit(main())
