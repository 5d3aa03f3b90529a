# SPDX-License-Identifier: Apache-2.0
"""Matrix products."""

import numpy as np

from . import _core
from ._arrays import DeviceArray, on_host, require_device_array, taken
from ._errors import Error
from ._results import call_options, require_texts


def multiply(
    a,
    b,
    *,
    c=None,
    alpha=1.0,
    beta=None,
    out=None,
    engine="automatic",
    backend=None,
    threads=None,
    report=False,
    **options,
):
    """Computes the matrix product alpha * a @ b + beta * c.

    a, b, c: matrices, m x k, k x n and m x n. Of float32 if all are, else of float64. Arrays of
      this type are read in place, whatever their strides. Those on a GPU stay there: see
      docs/python_gpu.md.
    beta: 1 if c is given.
    out: the array for the result; else a new one.
    engine: of docs/matmul.md, such as "strassen" or "ForkJoin-IKJ". Other options: as there.
    report: return (product, report).

    Returns an array. Raises Error. Ctrl-C ends the product; `out` is then undefined.

    >>> import numpy, taper
    >>> taper.multiply([[1.0, 2.0]], [[3.0], [4.0]])
    array([[11.]])
    """
    require_texts(engine=engine)
    if beta is None:
        beta = 0.0 if c is None else 1.0
    if c is None and beta != 0:
        raise Error("expected c, since beta is given")
    scalars = {"alpha": alpha, "beta": beta}
    for name, value in scalars.items():
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float, np.number))
            or isinstance(value, np.complexfloating)
        ):
            raise Error(f"{name}: expected a number, found {value!r}")
    terms = {"a": a, "b": b} if c is None else {"a": a, "b": b, "c": c}
    terms = {name: taken(value, name) for name, value in terms.items()}
    at = call_options(backend, threads)
    if any(isinstance(array, DeviceArray) for array in terms.values()):
        out = None if out is None else taken(out, "out")
        _require_terms_on_gpu(terms, out)
        result, *about = _core.multiply_on_device(
            terms["a"], terms["b"], terms.get("c"), out, float(alpha), float(beta), engine, options, *at
        )
        return _returned(result, report, *about)
    arrays = {name: _matrix(value, name) for name, value in terms.items()}
    single = all(array.dtype == np.float32 for array in arrays.values())
    dtype = np.dtype(np.float32 if single else np.float64)
    arrays = {name: _plain(array, dtype) for name, array in arrays.items()}
    shape = _shape_of_product(arrays)
    result = np.empty(shape, dtype) if out is None else _out(out, shape, dtype)
    if c is not None and beta != 0:
        result[...] = arrays["c"]
    about = _core.multiply(
        arrays["a"], arrays["b"], result, float(alpha), float(beta), engine, options, *at
    )
    return _returned(result, report, *about)


def _returned(result, report, done, seconds, ran):
    if not report:
        return result
    done.update(seconds=seconds, backend=ran)
    return result, done


def _shape_of_product(arrays):
    """The shape of the product of these terms. Raises Error if they do not fit together."""
    shape = (arrays["a"].shape[0], arrays["b"].shape[1])
    if arrays["a"].shape[1] != arrays["b"].shape[0] or (
        "c" in arrays and arrays["c"].shape != shape
    ):
        raise Error(
            "expected m x k, k x n and m x n, found "
            + ", ".join(f"{n} {x.shape}" for n, x in arrays.items())
        )
    return shape


def _require_terms_on_gpu(terms, out):
    """Raises Error unless all terms are matrices of one type on the GPU that fit together."""
    for name, array in terms.items():
        require_device_array(array, name, 2, *_GPU_SCALARS)
    dtype, shape = terms["a"].dtype, _shape_of_product(terms)
    for name, array in terms.items():
        if array.dtype != dtype:
            raise Error(f"{name}: expected {dtype}, which a has, found {array.dtype}")
    if out is not None:
        require_device_array(out, "out", 2, dtype)
        if out.shape != shape:
            raise Error(f"out: expected the shape {shape}, found {out.shape}")


_GPU_SCALARS = (np.dtype("float32"), np.dtype("float64"))


def _matrix(value, name):
    value = on_host(value, name)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise Error(f"{name}: expected a matrix ({error})") from None
    if array.ndim != 2:
        raise Error(f"{name}: expected a matrix, found an array of {array.ndim} dimension(s)")
    if array.dtype.kind not in "fiu":
        raise Error(f"{name}: expected real numbers, found dtype {array.dtype}")
    return array


def _is_plain(array, dtype):
    """Whether strides are positive multiples of an entry, and the bytes are native and aligned."""
    usable = all(
        extent <= 1 or (stride > 0 and stride % dtype.itemsize == 0)
        for extent, stride in zip(array.shape, array.strides)
    )
    return array.dtype == dtype and array.dtype.isnative and array.flags.aligned and usable


def _plain(array, dtype):
    return array if _is_plain(array, dtype) else np.ascontiguousarray(array, dtype)


def _out(out, shape, dtype):
    fits = isinstance(out, np.ndarray) and out.shape == shape and _is_plain(out, dtype)
    if not fits or not out.flags.writeable:
        found = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise Error(
            f"out: expected a writable array of {dtype} {shape} with positive strides, found "
            f"{found}"
        )
    return out
