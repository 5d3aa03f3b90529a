# SPDX-License-Identifier: Apache-2.0
"""Objects that offer NumPy arrays by DLPack or __cuda_array_interface__ as any device's, GPUs too.
They are written from the specifications alone."""

import ctypes

import numpy as np

CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device", Device),
        ("ndim", ctypes.c_int32),
        ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Managed(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]
    capsule_name = b"dltensor"


class ManagedVersioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]
    capsule_name = b"dltensor_versioned"


_new = ctypes.pythonapi.PyCapsule_New
_new.restype = ctypes.py_object
_new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = ctypes.c_void_p
_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.argtypes = [ctypes.py_object, ctypes.c_char_p]

given = {}  # the tensors that consumers have not given back, by address


@DELETER
def _give_back(address):
    del given[address]


def tensor_of(array, device, offset=0):
    """A tensor of an array, and the numbers that it points to."""
    shape = (ctypes.c_int64 * array.ndim)(*array.shape)
    strides = (ctypes.c_int64 * array.ndim)(*(s // array.itemsize for s in array.strides))
    kind = DataType(CODES[array.dtype.kind], 8 * array.itemsize, 1)
    tensor = Tensor(
        array.ctypes.data - offset, Device(*device), array.ndim, kind, shape, strides, offset
    )
    return tensor, (array, shape, strides)


def capsule_of(array, device, versioned, *, major=1, flags=0, offset=0):
    """A capsule with the array. `given` keeps its memory until a consumer calls the deleter."""
    tensor, kept = tensor_of(array, device, offset)
    if versioned:
        managed = ManagedVersioned(major, 0, None, _give_back, flags, tensor)
    else:
        managed = Managed(tensor, None, _give_back)
    given[ctypes.addressof(managed)] = (managed, kept)
    return _new(ctypes.addressof(managed), managed.capsule_name, None)


def tensor_in(capsule):
    """The tensor in an unused capsule, and whether it has a version."""
    for kind in (Managed, ManagedVersioned):
        if _is_valid(capsule, kind.capsule_name):
            return kind.from_address(_pointer(capsule, kind.capsule_name)), kind is ManagedVersioned
    raise AssertionError(f"{capsule} is used, or has no tensor")


class Dlpack:
    """Offers an array as one of a device of DLPack. calls: the arguments of each __dlpack__().
    inside: the device in the capsule."""

    def __init__(self, array, device=(2, 0), *, inside=None, old=False, **about):
        self.array, self.device, self.old, self.about = array, device, old, about
        self.inside = inside or device
        self.calls = []

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, **arguments):
        self.calls.append(arguments)
        if self.old and "max_version" in arguments:
            raise TypeError("unexpected keyword 'max_version'")
        return capsule_of(self.array, self.inside, "max_version" in arguments, **self.about)


class Interface:
    """Offers an array by __cuda_array_interface__."""

    def __init__(self, array, **about):
        self.array = array
        self.__cuda_array_interface__ = {
            "version": 3,
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (array.ctypes.data, False),
            "strides": None if array.flags.c_contiguous else array.strides,
            **about,
        }


def pointer_of(device_array):
    """The address of a DeviceArray's entries."""
    return device_array.__cuda_array_interface__["data"][0]


def numpy_of(device_array):
    """The entries of a DeviceArray that is in host memory in truth, without a copy."""
    size = device_array.nbytes
    buffer = (ctypes.c_char * size).from_address(pointer_of(device_array))
    return np.frombuffer(buffer, device_array.dtype).reshape(device_array.shape)
