# SPDX-License-Identifier: Apache-2.0
"""Arrays of the types that the solvers read: the array itself if it fits, else one conversion."""

import numpy as np

from . import _core
from ._errors import Error

DeviceArray = _core.DeviceArray
DeviceArray.__module__ = "taper"

HOST = (1, 3)  # of DLPack: kDLCPU, kDLCUDAHost


def gpu():
    """The number and the stream of the GPU that solves, or None: this build has no CUDA."""
    return _core.gpu()


def taken(values, name):
    """The array that `values` offers by DLPack or __cuda_array_interface__, without a copy: one of
    NumPy in host memory, a DeviceArray on a GPU. `values` itself if it offers none. Raises Error.
    """
    if isinstance(values, (np.ndarray, DeviceArray)):
        return values
    if hasattr(values, "__dlpack__") and hasattr(values, "__dlpack_device__"):
        return _core.take_dlpack(values, name, gpu)
    if hasattr(values, "__cuda_array_interface__"):
        return _core.take_interface(values, name, gpu)
    return values


def on_host(values, name):
    """As taken(), for functions that read arrays on the host. Raises Error for one on a GPU."""
    if isinstance(values, np.ndarray):
        return values
    if hasattr(values, "__dlpack_device__"):
        on_gpu = values.__dlpack_device__()[0] not in HOST
    else:
        on_gpu = hasattr(values, "__cuda_array_interface__")
    if on_gpu:
        raise Error(
            f"{name}: expected an array in host memory, found one on a GPU; copy it, as by "
            "array.get() of CuPy or tensor.cpu() of PyTorch"
        )
    return taken(values, name)


def to_device(array):
    """A copy of a NumPy array on the GPU. Raises Error without a GPU."""
    return _core.to_device(array, gpu)


def require_device_array(array, name, ndim, *dtypes):
    """Raises Error unless this is an array on the GPU of these dimensions and one of the types."""
    if not isinstance(array, DeviceArray):
        found = "none" if array is None else type(array).__name__
        raise Error(
            f"{name}: expected an array on the GPU, where others are, found {found}; copy it "
            "there, as by cupy.asarray(array) or tensor.cuda()"
        )
    if array.ndim != ndim:
        raise Error(f"{name}: expected an array of {ndim} dimension(s), found {array.ndim}")
    if array.dtype not in dtypes:
        raise Error(
            f"{name}: expected {' or '.join(map(str, dtypes))}, found {array.dtype}; convert it on "
            f"the GPU, as by array.astype('{dtypes[0]}') or tensor.to(torch.{dtypes[0]})"
        )


def integers(values, name, ndim=1):
    """An array of integers of this number of dimensions. Raises Error."""
    values = on_host(values, name)
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
