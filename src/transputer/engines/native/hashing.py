"""SHA-256 whose state can be saved and restored, which hashlib does not offer."""

import hashlib
import struct

import numpy as np
from numpy.typing import NDArray

from transputer.engines.native.compile import library

#: Square roots of the first eight primes, as the standard begins.
_START = (
    *(0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A),
    *(0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19),
)
#: Length in bytes, the eight words, the bytes of the block that is not full yet.
_STATE = struct.Struct("=Q8I64s")


class Sha256:
    """Grows like a hash of hashlib; `state` is all there is to it."""

    def __init__(self, state: bytes | None = None) -> None:
        self._library = library()
        start = _STATE.pack(0, *_START, b"")
        self._state = np.frombuffer(start if state is None else state, dtype=np.uint8).copy()
        if self._state.size != _STATE.size:
            raise ValueError(f"a state has {_STATE.size} bytes, not {self._state.size}")

    @property
    def state(self) -> bytes:
        """The state, from which a new hash can continue."""
        return self._state.tobytes()

    def update(self, data: bytes | NDArray[np.uint8]) -> None:
        """Add bytes."""
        array = np.frombuffer(data, dtype=np.uint8)
        self._library.transputer_sha256(self._state.ctypes.data, array.ctypes.data, array.size)

    def hexdigest(self) -> str:
        """The hash of what was added, in hexadecimal."""
        length = _STATE.unpack(self.state)[0]
        end = Sha256(self.state)
        zeros = bytes((55 - length) % 64)
        end.update(b"\x80" + zeros + struct.pack(">Q", 8 * length))
        return struct.pack(">8I", *_STATE.unpack(end.state)[1:9]).hex()


assert hashlib.sha256().digest_size == 4 * len(_START)
