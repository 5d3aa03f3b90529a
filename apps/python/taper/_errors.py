# SPDX-License-Identifier: Apache-2.0
"""The error of this package."""


class Error(ValueError):
    """Input, options or a request that cannot be served. The message is one line.

    >>> import taper
    >>> taper.match({"Ada": ["City"]}, {"Park": ["Ada"]})
    Traceback (most recent call last):
      ...
    taper.Error: first, 'Ada', entry 1: 'City' is no agent of second
    """


Error.__module__ = "taper"
