"""Arrays of numpy as files of its format .npy, which keeps dtype and shape, and back. Calls use it for what is published
on ports of dtype artifact, helpers for what code stores and reads; without it arrays would travel as lists of numbers.

numpy is imported by who reads an array alone: what publishes one has imported it.
"""

import ast
import struct
import sys

MEDIA_TYPE = "application/x-npy"
MAGIC = b"\x93NUMPY"
#: Of the header's text, by the first number of the version: how its length is written, and its encoding.
VERSIONS = {1: ("<H", "latin1"), 2: ("<I", "latin1"), 3: ("<I", "utf8")}
#: Where the elements begin is a multiple of this, so that every dtype is aligned.
ALIGNMENT = 64


def is_array(value):
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, getattr(numpy, "ndarray", ()))


def npy(array):
    """The file in two pieces: its header, and the memory of the array itself where that lies in one piece."""
    numpy = sys.modules["numpy"]
    if array.dtype.hasobject:
        raise TypeError(
            f"an array of dtype {array.dtype} holds references to Python objects: give it numbers, or texts of fixed size"
        )
    if "numpy.ma" in sys.modules and isinstance(array, sys.modules["numpy.ma"].MaskedArray):
        raise TypeError("a masked array would lose its mask: send filled(), or data and mask")
    array = array.view(numpy.ndarray)
    is_fortran = array.flags.f_contiguous and not array.flags.c_contiguous
    rows = array.T if is_fortran else array if array.flags.c_contiguous else array.copy("C")
    # as bytes, because no buffer describes dates or a foreign byte order
    elements = memoryview(rows.reshape(-1).view(numpy.uint8)) if array.nbytes > 0 else b""
    return header(numpy.lib.format.dtype_to_descr(array.dtype), is_fortran, array.shape), elements


def header(descr, is_fortran, shape):
    text = f"{{'descr': {descr!r}, 'fortran_order': {is_fortran!r}, 'shape': {shape!r}, }}"
    version = 3 if not text.isascii() else 1 if len(text) < 2**16 - 2 * ALIGNMENT else 2
    form, encoding = VERSIONS[version]
    body = text.encode(encoding)
    before = len(MAGIC) + 2 + struct.calcsize(form)
    padding = b" " * (-(before + len(body) + 1) % ALIGNMENT) + b"\n"
    return MAGIC + bytes((version, 0)) + struct.pack(form, len(body) + len(padding)) + body + padding


def array_of(data):
    """The array in such a file, in the memory of `data`, and as writable as that."""
    import numpy

    try:
        if bytes(data[: len(MAGIC)]) != MAGIC:
            raise ValueError("it does not begin as one")
        form, encoding = VERSIONS[data[len(MAGIC)]]
        begin = len(MAGIC) + 2 + struct.calcsize(form)
        (size,) = struct.unpack_from(form, data, len(MAGIC) + 2)
        about = ast.literal_eval(bytes(data[begin : begin + size]).decode(encoding).strip())
        dtype = numpy.lib.format.descr_to_dtype(about["descr"])
        if dtype.hasobject:
            raise ValueError("its elements are pickled")
        order = "F" if about["fortran_order"] else "C"
        return numpy.ndarray(about["shape"], dtype, data, begin + size, order=order)
    except (ValueError, TypeError, LookupError, SyntaxError, struct.error) as error:
        problem = f"the artifact is no .npy file that can be read ({error}); load_artifact() gives its bytes"
        raise ValueError(problem) from None
