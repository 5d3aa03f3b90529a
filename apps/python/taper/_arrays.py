# SPDX-License-Identifier: Apache-2.0
"""Arrays of the types that the solvers read: the array itself if it fits, else one conversion."""

import numpy as np

from ._errors import Error


def refuse_device(values, name):
    """Raises Error for an array in the memory of a GPU."""
    on_gpu = hasattr(values, "__cuda_array_interface__")
    if not on_gpu and not isinstance(values, np.ndarray) and hasattr(values, "__dlpack_device__"):
        on_gpu = int(values.__dlpack_device__()[0]) not in (1, 3)  # kDLCPU, kDLCUDAHost
    if on_gpu:
        raise Error(
            f"{name}: arrays on a GPU are not supported yet; copy it to the host, as by "
            "array.get() of CuPy or tensor.cpu() of PyTorch"
        )


def integers(values, name, ndim=1):
    """An array of integers of this number of dimensions. Raises Error."""
    refuse_device(values, name)
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise Error(f"{name}: expected an array of integers ({error})") from None
    if array.size == 0 and array.dtype == np.float64 and not isinstance(values, np.ndarray):
        array = array.astype(np.int64)  # an empty list
    if array.ndim != ndim:
        raise Error(f"{name}: expected an array of {ndim} dimension(s), found {array.ndim}")
    if array.dtype.kind not in "iu":
        raise Error(f"{name}: expected integers, found dtype {array.dtype}")
    return array


def as_type(array, dtype, name):
    """The array as contiguous entries of `dtype`, without a copy if it is that already, or the
    signed type of the same size. Raises Error if an entry does not fit."""
    dtype = np.dtype(dtype)
    if array.dtype != dtype:
        limits = np.iinfo(dtype)
        if array.size and (int(array.min()) < limits.min or int(array.max()) > limits.max):
            raise Error(
                f"{name}: expected integers from {limits.min} to {limits.max}, found "
                f"{int(array.min())} to {int(array.max())}"
            )
        if array.dtype.itemsize == dtype.itemsize and array.dtype.isnative:
            array = array.view(dtype)
    return np.ascontiguousarray(array, dtype)
