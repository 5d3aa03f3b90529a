#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs two versions of the taper command alternately on the same experiments and prints the ratio of their medians.

Each round runs each experiment with both versions; the order changes from round to round, so that a slow drift of the
machine's speed cancels. The ratio of a case is new / old, of the medians over the rounds of the case's median.

CONFIG is an experiment, or OLD.yaml,NEW.yaml if the versions need different keys. Each KEY=VALUE goes to both versions.
TAPER_PROFILE is none unless it is set, so that neither version uses a machine profile."""

import argparse
import collections
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

EPILOG = """\
exit status:
  0  the median ratio of each experiment is at most 1 + PERCENT / 100
  1  that of an experiment is above
  2  bad usage, a run that failed, or an experiment without a case to judge

example:
  perf/compare_versions.py taper-0.1 build/openmp/bin/taper --rounds 3 configs/quickstart.yaml:scale=0.5:seeds=1"""

SHORT = 1e-3  # seconds; the medians of shorter cases are mostly noise
VERSIONS = ("old", "new")


class Failure(Exception):
    """A message for the user, in one line or with the output of a run."""


class Experiment:
    """One CONFIG argument, and what its runs have measured."""

    def __init__(self, argument):
        # A colon begins a setting only in front of KEY=; a value may contain colons.
        files, *self.settings = re.split(r":(?=[A-Za-z_][\w.-]*=)", argument)
        names = files.split(",")
        if len(names) > 2:
            raise Failure(f"expected CONFIG or OLD.yaml,NEW.yaml, found '{files}'")
        self.config = dict(zip(VERSIONS, names * 2))
        for name in names:
            if not os.path.isfile(name):
                raise Failure(f"{name}: no such file")
        self.label = " ".join([files, *self.settings])
        self.medians = {version: collections.defaultdict(list) for version in VERSIONS}

    def run(self, version, taper, folder):
        """Runs the experiment once, and keeps the median of each case. Returns the results file."""
        command = [taper, "run", self.config[version], f"output={folder}", *self.settings]
        environment = {"TAPER_PROFILE": "none", **os.environ}
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        if done.returncode != 0:
            last = "\n".join("  " + line for line in done.stdout.splitlines()[-20:])
            raise Failure(f"status {done.returncode} of: {' '.join(command)}\n{last}")
        with open(os.path.join(folder, "results.json"), encoding="utf-8") as file:
            results = json.load(file)
        seen = collections.Counter()
        for case in results["cases"]:
            key, seconds = identify(case)
            seen[key] += 1
            self.medians[version][key + (seen[key],)].append(seconds)
        return results

    def ratios(self):
        """(case, old median, new median, ratio) of the cases that both versions have, in their order."""
        rows = []
        for key, old in self.medians["old"].items():
            if key in self.medians["new"]:
                pair = [statistics.median(seconds) for seconds in (old, self.medians["new"][key])]
                rows.append((case_label(key), *pair, pair[1] / pair[0] if pair[0] > 0 else float("inf")))
        return rows

    def unmatched(self, version, other):
        return [case_label(key) for key in self.medians[version] if key not in self.medians[other]]


def identify(case):
    """What identifies a case of any results format, and its median in seconds.

    The identifying fields stand before the median; everything after it is measured."""
    key = []
    for name, value in case.items():
        if name.endswith("seconds_median"):
            return tuple(key), value
        key.append((name, value))
    raise Failure("results.json: a case has no field that ends in seconds_median")


def case_label(key):
    """The words as they are, the numbers with their names."""
    *fields, occurrence = key
    words = [value if isinstance(value, str) else f"{name}={value}" for name, value in fields if value is not None]
    return " ".join(words if occurrence == 1 else [*words, f"#{occurrence}"])


def time_label(seconds):
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 1:
            break
    return f"{seconds * factor:#.4g} {unit}"


def print_table(rows):
    table = [("case", "old", "new", "new/old", "")]
    for name, old, new, ratio in rows:
        table.append((name, time_label(old), time_label(new), f"{ratio:.3f}", "short" if is_short(old, new) else ""))
    widths = [max(map(len, column)) for column in zip(*table)]
    for name, *cells in table:
        print("  ".join([name.ljust(widths[0]), *map(str.rjust, cells, widths[1:])]).rstrip())


def is_short(old, new):
    return max(old, new) < SHORT


def judge(experiment, limit, judge_all):
    """Prints the table and the verdict of an experiment. Returns the exit status that it asks for."""
    rows = experiment.ratios()
    print(f"\n{experiment.label}")
    print_table(rows)
    for version, other in (VERSIONS, VERSIONS[::-1]):
        for name in experiment.unmatched(version, other):
            print(f"only in the {version} version: {name}")
    judged = [row for row in rows if judge_all or not is_short(row[1], row[2])]
    left_out = f"; {len(rows) - len(judged)} below 1 ms left out" if len(judged) < len(rows) else ""
    if not judged:
        print(f"not judged: 0 of {len(rows)} cases that both versions have{left_out}; --all judges short ones too")
        return 2
    ratio = statistics.median(row[3] for row in judged)
    slower = ratio > 1 + limit / 100
    print(f"{'SLOWER' if slower else 'passed'}: median ratio {ratio:.3f} of {len(judged)} cases{left_out}")
    if slower:
        print("worst cases:")
        for name, _, _, worst in sorted(judged, key=lambda row: -row[3])[:5]:
            print(f"  {worst:.3f}  {name}")
    return 1 if slower else 0


def compare(arguments):
    tapers = {"old": arguments.old, "new": arguments.new}
    for taper in tapers.values():
        if not shutil.which(taper):
            raise Failure(f"{taper}: no such executable")
    experiments = [Experiment(argument) for argument in arguments.configs]
    provenance = {}
    with tempfile.TemporaryDirectory(prefix="taper-compare-") as scratch:
        for index, experiment in enumerate(experiments):
            for number in range(1, arguments.rounds + 1):
                for version in VERSIONS if number % 2 else VERSIONS[::-1]:
                    print(f"{experiment.label}: round {number} of {arguments.rounds}, {version}", file=sys.stderr)
                    folder = os.path.join(scratch, f"{index}-{number}-{version}")
                    results = experiment.run(version, tapers[version], folder)
                    provenance[version] = results["provenance"]
    for version in VERSIONS:
        made = provenance[version]
        print(f"{version}: taper {made.get('taper_version')}, commit {made.get('git_commit')}, {tapers[version]}")
    return max(judge(experiment, arguments.limit, arguments.all) for experiment in experiments)


def read_arguments():
    about, _, details = __doc__.partition("\n\n")
    parser = argparse.ArgumentParser(
        description=f"{about}\n\n{details}", epilog=EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="perf/compare_versions.py OLD NEW [--rounds N] [--limit PERCENT] [--all] CONFIG[:KEY=VALUE...]...")
    parser.add_argument("old", metavar="OLD", help="the taper executable to compare with")
    parser.add_argument("new", metavar="NEW", help="the taper executable to judge")
    parser.add_argument("configs", metavar="CONFIG", nargs="+", help="an experiment, with settings after colons")
    parser.add_argument("--rounds", metavar="N", type=int, default=5, help="runs of each version (default: 5)")
    parser.add_argument("--limit", metavar="PERCENT", type=float, default=3,
                        help="how much slower an experiment may be (default: 3)")
    parser.add_argument("--all", action="store_true", help="judge cases below 1 ms too")
    arguments = parser.parse_intermixed_args()
    if arguments.rounds < 1:
        parser.error(f"--rounds: expected at least 1, found {arguments.rounds}")
    if not arguments.limit >= 0:
        parser.error(f"--limit: expected at least 0 %, found {arguments.limit}")
    return arguments


def main():
    # The temporary folder goes also when the script is terminated.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        return compare(read_arguments())
    except Failure as failure:
        print(f"compare_versions.py: {failure}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 128 + signal.SIGINT


if __name__ == "__main__":
    sys.exit(main())
