# SPDX-License-Identifier: Apache-2.0
"""Arrays that fit are read in place: a call needs no memory for a copy of them."""

import subprocess
import sys

import pytest

# The arrays of each call have much more bytes than what the solver needs beside them.
CALLS = {
    # 10^7 entries: 80 MB, of few agents.
    "market": (
        'market = taper.generate("hospitals", "uniform", residents=100_000, hospitals=1000, '
        "seats=90_000, list_length=100)",
        "taper.match(market)",
    ),
    "given arrays": (
        'of = taper.generate("hospitals", "uniform", residents=100_000, hospitals=1000, '
        "seats=90_000, list_length=100)\n"
        "given = of.offsets, of.hospitals, of.keys, of.seats",
        "taper.match(taper.Market(*given))",
    ),
    "tables": (
        'market = taper.generate("market", "perfect", 5000)',  # 100 MB; the first choices differ
        "taper.match(market.first, market.second)",
    ),
    "product": (
        "import numpy\na, b = numpy.ones((4, 5_000_000)), numpy.ones((5_000_000, 2))",  # 240 MB
        'taper.multiply(a, b, engine="serial", kernel="ijk")',
    ),
}


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("call", CALLS)
def test_no_copy_in_peak_memory(call):
    before, run = CALLS[call]
    code = f"""
import taper
{before}
taper.match([[0, 1], [1, 0]], [[0, 1], [1, 0]])
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")  # the peak begins anew
def high():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
start = high()
{run}
print(high() - start)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) * 1024 < 2**25, f"{int(done.stdout) >> 10} MiB more"
