#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a call from Python costs beside the solver in C++.

    build/openmp/bin/taper-python perf/python/cost.py [--n 10000]

Prints the median of a call of match() on 3 x 3 tables; of calls on n x n tables of uint16 beside the
seconds of the solver in them; and of the memory that a match of CSR arrays with 10^7 entries adds to
the peak.
"""

import argparse
import statistics
import subprocess
import sys
import time

import numpy
import taper

PEAK = """
import taper
market = taper.generate("hospitals", "uniform", residents=100_000, hospitals=1000, seats=90_000,
                        list_length=100)
taper.match([[0, 1], [1, 0]], [[0, 1], [1, 0]])
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak begins anew
def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
before = peak()
taper.match(market)
print((peak() - before) / 1024, sum(a.nbytes for a in (market.hospitals, market.keys)) / 2**20)
"""


def seconds_of(call):
    begin = time.perf_counter()
    result = call()
    return time.perf_counter() - begin, result


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--n", type=int, default=10_000)
    n = parser.parse_args().n

    lists = [[0, 1, 2], [1, 2, 0], [2, 0, 1]]
    tables = numpy.array(lists, numpy.uint16)
    for name, given in (("lists", lists), ("arrays of uint16", tables)):
        taper.match(given, given)
        rounds = [
            seconds_of(lambda: [taper.match(given, given) for _ in range(1000)])[0] / 1000
            for _ in range(15)
        ]
        print(f"3 x 3, {name}: {1e6 * statistics.median(rounds):.1f} us per call")

    for family in ("uniform", "random"):
        market = taper.generate("market", family, n)
        taper.match(market)
        calls = [seconds_of(lambda: taper.match(market)) for _ in range(9)]
        outside = statistics.median(wall - matching.seconds for wall, matching in calls)
        wall = statistics.median(wall for wall, _ in calls)
        print(
            f"n = {n:,}, {family}: {1e3 * wall:.2f} ms, of which {1e6 * outside:.0f} us "
            f"({outside / wall:.2%}) are not the solver's"
        )

    done = subprocess.run([sys.executable, "-c", PEAK], stdout=subprocess.PIPE, check=True)
    added, arrays = map(float, done.stdout.split())
    print(f"10^7 entries: {added:.1f} MiB more at the peak, beside {arrays:.0f} MiB of arrays")


if __name__ == "__main__":
    main()
