"""A document as it arrives: unpacked, and known to be whole or not.

The packing is undone here, not by the library, which takes a packed document that was cut
before it was sent for whole.
"""

from __future__ import annotations

import os
import zlib

from urllib3.exceptions import DecodeError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    import urllib3

_CHUNK_BYTES, _PIECE_BYTES = 1 << 16, 1 << 20
_PACKED_BY_GZIP = ("gzip", "x-gzip")
_PACKINGS = frozenset((*_PACKED_BY_GZIP, "deflate", "br", "zstd", "compress", "x-compress"))
_GZIP = 16 + zlib.MAX_WBITS
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


def write_body(response: urllib3.BaseHTTPResponse, path: str) -> None:
    """Write what *response* brings into the new file *path*, flushed.

    Raises: OSError; urllib3's errors, `DecodeError` for what is not whole.
    """
    _check_length(response)
    descriptor = os.open(path, _FLAGS, 0o666)
    try:
        for piece in _pieces(response):
            view = memoryview(piece)
            while view:
                view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _pieces(response: urllib3.BaseHTTPResponse) -> Iterator[bytes]:
    packed = response.stream(_CHUNK_BYTES, decode_content=False)
    named = response.headers.get("Content-Encoding", "").lower().split(",")
    packings = [name for name in map(str.strip, named) if name in _PACKINGS]
    if not packings:
        return packed
    if len(packings) == 1 and packings[0] in _PACKED_BY_GZIP:
        return _unpacked(packed)
    msg = f"Content-Encoding: {', '.join(packings)}"
    raise DecodeError(msg)


def _unpacked(packed: Iterator[bytes]) -> Iterator[bytes]:
    """Undo gzip, of which several may follow one another."""
    unpacking = zlib.decompressobj(_GZIP)
    try:
        for data in packed:
            rest = data
            while rest:
                if unpacking.eof:
                    rest = rest.lstrip(b"\0")  # filled up to a block
                    if not rest:
                        break
                    unpacking = zlib.decompressobj(_GZIP)
                yield unpacking.decompress(rest, _PIECE_BYTES)
                rest = unpacking.unused_data if unpacking.eof else unpacking.unconsumed_tail
        while not unpacking.eof and (piece := unpacking.decompress(b"", _PIECE_BYTES)):
            yield piece
    except zlib.error as error:
        raise DecodeError(str(error)) from error
    if not unpacking.eof:
        raise DecodeError("gzip: cut off")


def _check_length(response: urllib3.BaseHTTPResponse) -> None:
    """Refuse a length that is none: by it nobody could tell a whole document.

    Raises: DecodeError.
    """
    length = response.headers.get("Content-Length")
    if length is not None and not all(part.strip().isdecimal() for part in length.split(",")):
        msg = f"Content-Length: {length}"
        raise DecodeError(msg)
