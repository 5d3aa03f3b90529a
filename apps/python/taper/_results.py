# SPDX-License-Identifier: Apache-2.0
"""What results have in common."""

import html as _html
import os

from ._errors import Error


def frame(columns):
    """A DataFrame of these columns. Raises ImportError without pandas."""
    try:
        import pandas
    except ImportError:
        raise ImportError("to_frame() needs pandas") from None
    return pandas.DataFrame(columns)


def html_table(title, headers, rows, total):
    """A table in HTML, of the first rows of `total`."""

    def cell(text):
        return _html.escape(str(text))

    head = "".join(f"<th>{cell(header)}</th>" for header in headers)
    body = "".join(
        "<tr>" + "".join(f"<td>{cell(value)}</td>" for value in row) + "</tr>" for row in rows
    )
    more = f"<p>and {total - len(rows):,} more</p>" if total > len(rows) else ""
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    return f"<p>{cell(title)}</p>{table}{more}"


def counted(count, one, many=None):
    """A number with its noun."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def require_texts(**arguments):
    """Raises Error unless the arguments are texts."""
    for name, value in arguments.items():
        if not isinstance(value, str):
            raise Error(f"{name}: expected a text, found {value!r}")


def call_options(backend, threads):
    """The backend and the threads as the core takes them."""
    if backend is not None and not isinstance(backend, str):
        raise Error(f"backend: expected a name, found {backend!r}")
    if threads is None:
        threads = 0
    if isinstance(threads, bool) or not isinstance(threads, int) or not 0 <= threads < 2**31:
        raise Error(f"threads: expected a number from 1, found {threads!r}")
    return backend or "", threads


def paths(files):
    """The names of files as texts."""
    return [os.fspath(file) for file in files]
