"""The WebAssembly binary format: bytes to `Module` and back."""

from transputer.frontends.binary.decode import decode
from transputer.frontends.binary.encode import encode

__all__ = ["decode", "encode"]
