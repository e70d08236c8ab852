"""Decoders, by the libraries that the system has for them."""

import ctypes
import ctypes.util
import gzip

from sidebyside import machine

CODINGS = ("gzip", "br", "zstd")


def _library(name, package):
    found = ctypes.util.find_library(name)
    if not found:
        raise machine.Unfit(f"a library is missing: apt-get install {package}")
    return ctypes.CDLL(found)


def decoded(coding, body, size):
    """
    The bytes behind a coding.

    size -- of what is expected; what is longer is an error
    """
    if not coding:
        return body
    if coding == "gzip":
        return gzip.decompress(body)
    room = size + 1
    into = ctypes.create_string_buffer(room)
    if coding == "br":
        library = _library("brotlidec", "libbrotli1")
        length = ctypes.c_size_t(room)
        outcome = library.BrotliDecoderDecompress(ctypes.c_size_t(len(body)), body, ctypes.byref(length), into)
        if outcome != 1:
            raise ValueError("no br")
        return into.raw[:length.value]
    if coding == "zstd":
        library = _library("zstd", "libzstd1")
        library.ZSTD_decompress.restype = ctypes.c_size_t
        library.ZSTD_isError.argtypes = [ctypes.c_size_t]
        length = library.ZSTD_decompress(into, ctypes.c_size_t(room), body, ctypes.c_size_t(len(body)))
        if library.ZSTD_isError(length):
            raise ValueError("no zstd")
        return into.raw[:length]
    raise ValueError(f"no decoder for {coding}")
