# SPDX-License-Identifier: Apache-2.0
"""multiply(), against NumPy."""

import numpy as np
import pytest
import refusals
import taper


def integers(seed, shape, dtype=np.float64):
    """A matrix of small integers, whose products are exact."""
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(dtype)


@pytest.mark.parametrize(
    "shape", [(1, 1, 1), (3, 5, 2), (64, 64, 64), (130, 70, 200), (2, 0, 3), (0, 4, 4)]
)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_products(shape, dtype):
    m, k, n = shape
    a, b, c = integers(1, (m, k), dtype), integers(2, (k, n), dtype), integers(3, (m, n), dtype)
    product = taper.multiply(a, b)
    assert product.dtype == dtype and (product == a @ b).all()
    assert (taper.multiply(a, b, c=c, alpha=2, beta=-3) == 2 * (a @ b) - 3 * c).all()
    assert (taper.multiply(a, b, c=c) == a @ b + c).all()
    assert (taper.multiply(a, b, c=c, beta=0) == a @ b).all()


@pytest.mark.parametrize(
    "engine",
    [
        "automatic",
        "serial",
        "rows",
        "tiled",
        "fork_join",
        "strassen",
        "winograd",
        "packed",
        "IJK+Kahan",
    ],
)
def test_engines(engine):
    a, b = integers(1, (150, 140)), integers(2, (140, 160))
    product, report = taper.multiply(a, b, engine=engine, report=True, threads=1)
    assert (product == a @ b).all()
    assert report["operations"] == 2 * 150 * 140 * 160 and report["seconds"] > 0


def test_layouts():
    a, b = integers(1, (40, 30)), integers(2, (30, 20))
    wide = np.zeros((40, 60))
    wide[:, ::2] = a
    forms = [
        a,
        np.asfortranarray(a),
        wide[:, ::2],
        a[::-1][::-1],
        a[::-1].copy()[::-1],
        a.astype(">f8"),
        a.tolist(),
        a.astype(int),
    ]
    for form in forms:
        assert (taper.multiply(form, b) == a @ b).all()
    assert (taper.multiply(b.T, a.T) == (a @ b).T).all()
    zero_strides = np.broadcast_to(np.ones(30), (40, 30))
    assert (taper.multiply(zero_strides, b) == zero_strides @ b).all()
    assert taper.multiply(a.astype(np.float32), b).dtype == np.float64


def test_out():
    a, b = integers(1, (40, 30)), integers(2, (30, 20))
    for out in (np.empty((40, 20)), np.empty((20, 40)).T, np.empty((40, 40))[:, ::2]):
        assert taper.multiply(a, b, out=out) is out and (out == a @ b).all()
    out = integers(4, (40, 20))
    expected = a @ b + 2 * out
    assert (taper.multiply(a, b, c=out, beta=2, out=out) == expected).all()


def test_nan_propagates():
    product = taper.multiply([[np.nan, 1]], [[0.0], [1.0]])
    assert np.isnan(product).all()


A = np.ones((2, 3))
READ_ONLY = np.ones((2, 2))
READ_ONLY.flags.writeable = False
WRONG = {
    "extents": (
        lambda: taper.multiply(A, A),
        r"expected m x k, k x n and m x n, found a \(2, 3\), b \(2, 3\)",
    ),
    "extents of c": (lambda: taper.multiply(A, A.T, c=A), "expected m x k"),
    "dimension": (
        lambda: taper.multiply([1, 2], A),
        "a: expected a matrix, found an array of 1 dim",
    ),
    "ragged": (lambda: taper.multiply([[1], [1, 2]], A), "a: expected"),
    "complex": (
        lambda: taper.multiply(A, A.T + 1j),
        "b: expected real numbers, found dtype complex128",
    ),
    "text": (lambda: taper.multiply(A, [["x"]]), "b: expected real numbers"),
    "beta": (lambda: taper.multiply(A, A.T, beta=1), "expected c, since beta is given"),
    "alpha": (lambda: taper.multiply(A, A.T, alpha="1"), "alpha: expected a number"),
    "out": (
        lambda: taper.multiply(A, A.T, out=np.ones((3, 3))),
        r"out: expected a writable array of float64 \(2, 2\)",
    ),
    "out type": (lambda: taper.multiply(A, A.T, out=[[1]]), "out: .* found list"),
    "read-only out": (
        lambda: taper.multiply(A, A.T, out=READ_ONLY),
        "out: expected a writable array",
    ),
    "overlap": (lambda: taper.multiply(READ_ONLY * 1, B, out=B), "^C .2 x 2. shares memory with B"),
    "engine": (lambda: taper.multiply(A, A.T, engine="fast"), "unknown engine 'fast'"),
    "option": (
        lambda: taper.multiply(A, A.T, blok=3),
        "unknown option 'blok'; did you mean 'block'",
    ),
    "option of another engine": (
        lambda: taper.multiply(A, A.T, engine="serial", block=3),
        "the engine 'serial' has no such option",
    ),
    "option range": (
        lambda: taper.multiply(A, A.T, engine="tiled", block=0),
        "block: expected an integer from 1",
    ),
    "backend": (lambda: taper.multiply(A, A.T, backend="device"), "no device backend"),
}
B = np.ones((2, 2))


test_wrong_input = refusals.test_of(WRONG)
