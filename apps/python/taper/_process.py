# SPDX-License-Identifier: Apache-2.0
"""The process: start and end of Kokkos, what this build has, generated input, experiments."""

import atexit
import dataclasses
import json
import os
from collections.abc import Mapping

import numpy as np

from . import _core
from ._errors import Error
from ._graphs import Graph
from ._markets import CompleteMarket, Market
from ._progress import CountProgress, checked_progress, ticking
from ._results import counted

atexit.register(_core.finish)


def init(threads=None, device=None):
    """Starts Kokkos with a number of threads, or on a device of this number. Other calls start it
    with the defaults, so this one comes first, if at all.

    Raises Error if Kokkos runs already.
    """
    for name, value in (("threads", threads), ("device", device)):
        least = 1 if name == "threads" else 0
        is_number = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if value is not None and not (is_number and least <= value < 2**31):
            raise Error(f"{name}: expected a number from {least}, found {value!r}")
    _core.init(*(-1 if value is None else int(value) for value in (threads, device)))


def info():
    """What this build and machine are, as a dict: the version, the compiler, Kokkos, the threads,
    and `backends`, a list of (name, description, free bytes), the default first."""
    return _core.info()


def generate(what, family, *size, seed=1, **parameters):
    """Generates input of a family. The same arguments give the same input on every machine.

    generate("market", family, n, group_size=5, strength=0.5): a CompleteMarket
    generate("hospitals", family, residents=, hospitals=, seats=, list_length=10, ...): a Market
    generate("graph", family, n, degree=3, cover=, component_size=10): a Graph
    generate("matrix", family, rows, columns, factor="a", dtype="float64", ...): an array

    Families and parameters: `taper generate --help`, `taper generate graph --help`,
    `taper generate matrix --help`, docs/hospitals_residents.md.

    >>> import taper
    >>> taper.generate("graph", "grid", 9)
    Graph(9 vertices, 12 edges)
    """
    makers = {"market": _market, "hospitals": _hospitals, "graph": _graph, "matrix": _random_matrix}
    if what not in makers:
        raise Error(f"expected one of {', '.join(makers)}, found {what!r}")
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or not 0 <= seed < 2**63:
        raise Error(f"seed: expected a number from 0, found {seed!r}")
    if not isinstance(family, str):
        raise Error(f"family: expected a name, found {family!r}")
    return makers[what](family, size, int(seed), parameters)


def _sizes(size, names):
    if len(size) != len(names):
        raise Error(f"expected the size: {', '.join(names)}; found {counted(len(size), 'number')}")
    for name, value in zip(names, size):
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, np.integer))
            or not 0 <= value < 2**63
        ):
            raise Error(f"{name}: expected a number from 0, found {value!r}")
    return [int(value) for value in size]


def _parameters(given, defaults):
    """The defaults with the given values. Raises Error for unknown names and other types."""
    for name, value in given.items():
        if name not in defaults:
            raise Error(f"unknown parameter {name!r}; expected {', '.join(defaults) or 'none'}")
        kind = (int, np.integer) if isinstance(defaults[name], int) else (int, float, np.number)
        is_text = isinstance(defaults[name], str)
        if isinstance(value, bool) or not isinstance(value, str if is_text else kind):
            raise Error(f"{name}: expected {'a text' if is_text else 'a number'}, found {value!r}")
        if isinstance(defaults[name], int) and not 0 <= value < 2**32:
            raise Error(f"{name}: expected a number from 0 to {2**32 - 1:,}, found {value!r}")
    return {**defaults, **given}


def _market(family, size, seed, given):
    (n,) = _sizes(size, ["n"])
    known = {"random": {"group_size": 5}, "correlated": {"strength": 0.5}}.get(family, {})
    parameters = {"group_size": 5, "strength": 0.5, **_parameters(given, known)}
    tables = _core.generate_tables(
        family, n, seed, parameters["group_size"], parameters["strength"]
    )
    return CompleteMarket(*tables, titles=("men", "women"), check=False)


def _hospitals(family, size, seed, given):
    if size:
        raise Error("expected residents=, hospitals= and seats=")
    missing = [name for name in ("residents", "hospitals", "seats") if name not in given]
    if missing:
        raise Error(f"expected {', '.join(name + '=' for name in missing)}")
    return Market(
        **_core.generate_market({"family": family, "seed": seed, **given}),
        titles=("residents", "hospitals"),
        check=False,
    )


def _graph(family, size, seed, given):
    (n,) = _sizes(size, ["n"])
    known = {"degree": 3.0} if family != "grid" else {}
    if family == "planted_cover":
        known["cover"] = 0
        if "cover" not in given:
            raise Error("the family 'planted_cover' needs cover=")
    if family == "many_components":
        known["component_size"] = 10
    parameters = {"degree": 3.0, "cover": 0, "component_size": 10, **_parameters(given, known)}
    arrays = _core.generate_graph(
        family,
        n,
        seed,
        float(parameters["degree"]),
        parameters["cover"],
        parameters["component_size"],
    )
    return Graph(*arrays, check=False)


def _random_matrix(family, size, seed, given):
    rows, columns = _sizes(size, ["rows", "columns"])
    known = {"factor": "a", "dtype": "float64"}
    known.update(
        {"integers": {"largest": 8}, "ill_conditioned": {"condition": 1e8}}.get(family, {})
    )
    given = {name: np.dtype(v).name if name == "dtype" else v for name, v in given.items()}
    parameters = {"largest": 8, "condition": 1e8, **_parameters(given, known)}
    if parameters["factor"] not in ("a", "b") or parameters["dtype"] not in ("float32", "float64"):
        raise Error("expected a factor of 'a' or 'b', and a dtype of float32 or float64")
    return _core.generate_matrix(
        family,
        rows,
        columns,
        seed,
        parameters["factor"] == "a",
        parameters["dtype"] == "float32",
        parameters["largest"],
        parameters["condition"],
    )


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Results:
    """The results of an experiment. What run() returns.

    folder: of the result files. content: results.json as a dict. complete: whether all cases ran,
    and all answers are right.
    """

    folder: str
    content: dict
    complete: bool

    @property
    def cases(self):
        """The cases, each a dict."""
        return self.content["cases"]

    def to_frame(self):
        """results.csv as a pandas DataFrame. Raises ImportError without pandas."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_frame() needs pandas") from None
        return pandas.read_csv(os.path.join(self.folder, "results.csv"))

    def __repr__(self):
        state = "" if self.complete else ", incomplete or wrong"
        return f"Results({counted(len(self.cases), 'case')} in {self.folder!r}{state})"

    def _repr_html_(self):
        return self.to_frame()._repr_html_()


def run(config, *settings, resume=False, progress=None):
    """Runs an experiment, as `taper run`: verifies every answer, and writes results.json and
    results.csv.

    config: a dict, or the file of an experiment in YAML. settings: texts "key=value" that replace
    values of it, such as "repetitions=1". resume: keep the cases that the folder has already.
    progress: True prints a line; a callable gets a CountProgress of the cases, four times per
    second.

    Returns a Results. Raises Error with the line and what was expected.
    """
    if isinstance(config, Mapping):
        try:
            text = json.dumps(config)
        except TypeError as error:
            raise Error(
                f"expected an experiment of texts, numbers, lists and dicts ({error})"
            ) from None
        name = "experiment"
    else:
        if not isinstance(config, (str, os.PathLike)):
            raise Error(f"expected a dict or a file, found {type(config).__name__}")
        name = os.fspath(config)
        try:
            with open(name, encoding="utf-8") as file:
                text = file.read()
        except (OSError, UnicodeDecodeError) as error:
            raise Error(f"{name}: {getattr(error, 'strerror', None) or error}") from None
    checked_progress(progress)

    def state_of(elapsed, done, cases):
        return CountProgress(elapsed, done, cases or None)

    with ticking(progress, state_of) as tick:
        folder, status = _core.run_experiment(
            text, name, list(map(str, settings)), bool(resume), tick
        )
    with open(os.path.join(folder, "results.json"), encoding="utf-8") as file:
        return Results(folder, json.load(file), status == 0)
