# SPDX-License-Identifier: Apache-2.0
"""Tests of wrong input, from a table {what is wrong: (call, pattern of the message)}."""

import pytest
import taper


def test_of(wrong):
    """A test that all calls of the table raise taper.Error with one line."""

    @pytest.mark.parametrize("case", wrong)
    def test(case):
        call, message = wrong[case]
        with pytest.raises(taper.Error, match=message) as caught:
            call()
        assert "\n" not in str(caught.value) and ".cpp" not in str(caught.value)
        assert isinstance(caught.value, ValueError)

    return test
