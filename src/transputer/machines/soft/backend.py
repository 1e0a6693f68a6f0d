"""JAX, imported in one place so that its absence is said once and clearly."""

from dataclasses import fields
from typing import Any

from transputer.errors import EngineUnavailable

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    raise EngineUnavailable("soft: JAX is not installed; pip install 'transputer[jax]'") from error

__all__ = ["Array", "jax", "jnp", "pytree"]

#: A JAX array, traced or not.
Array = Any


def pytree(cls: type[Any], static: tuple[str, ...] = ()) -> None:
    """Registers a frozen dataclass as a pytree; `static` fields are part of its shape."""
    dynamic = [field.name for field in fields(cls) if field.name not in static]
    jax.tree_util.register_dataclass(cls, data_fields=dynamic, meta_fields=list(static))
