# SPDX-License-Identifier: Apache-2.0
"""The examples of docstrings and of docs/python.md, and the help."""

import doctest
import importlib
import os
import pathlib
import pkgutil
import pydoc
import re

import pytest
import taper

SOURCE = pathlib.Path(os.environ["TAPER_SOURCE"])
MODULES = [
    name for _, name, _ in pkgutil.iter_modules(taper.__path__, "taper.") if name != "taper._core"
]


@pytest.mark.parametrize("name", ["taper", *MODULES])
def test_examples_of_docstrings(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0


def test_functions_have_examples():
    for name in (
        "match",
        "verify_matching",
        "lottery",
        "all_stable_matchings",
        "roommates",
        "vertex_cover",
        "clique",
        "independent_set",
        "maximal_cliques",
        "multiply",
    ):
        text = pydoc.render_doc(getattr(taper, name), renderer=pydoc.plaintext)
        assert ">>> taper." in text or "in taper." in text or "= taper." in text
    assert set(taper.__all__) == {
        name for name in vars(taper) if name[0] != "_" and name not in ("py",)
    }


def test_examples_of_the_page(tmp_path, monkeypatch):
    """Blocks of Python run one after another, as in one session."""
    monkeypatch.chdir(tmp_path)
    page = SOURCE / "docs" / "python.md"
    text = page.read_text(encoding="utf-8")
    for module in ("networkx", "pandas", "scipy"):
        if f"import {module}" in text:
            pytest.importorskip(module)
    # What is no code becomes empty lines, so that messages have the lines of the page.
    in_code, lines = False, []
    for line in text.splitlines():
        if line.startswith("```"):
            in_code = line == "```python"
        lines.append(line if in_code and not line.startswith("```") else "")
    session = doctest.DocTestParser().get_doctest("\n".join(lines), {}, "python.md", str(page), 0)
    assert len(session.examples) > 20
    assert doctest.DocTestRunner().run(session).failed == 0


def test_stubs_name_what_the_package_has():
    stubs = (pathlib.Path(taper.__path__[0]) / "__init__.pyi").read_text()
    named = set(re.findall(r"^(?:def|class) ([^_\W]\w*)", stubs, re.M))
    assert named == set(taper.__all__)
