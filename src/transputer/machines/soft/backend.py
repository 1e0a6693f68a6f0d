"""JAX, imported in one place so that its absence is said once and clearly."""

from dataclasses import fields
from typing import Any

from transputer import cache
from transputer.errors import EngineUnavailable

try:
    import jax
    import jax.numpy as jnp

    # Compiled steps are kept on disk: compiling takes longer than most searches.
    if not jax.config.jax_compilation_cache_dir:
        jax.config.update("jax_compilation_cache_dir", str(cache.folder() / "jax"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.2)
except ImportError as error:
    raise EngineUnavailable("soft: JAX is not installed; pip install 'transputer[jax]'") from error

__all__ = ["Array", "jax", "jnp", "pytree"]

#: A JAX array, traced or not.
Array = Any


def pytree(cls: type[Any], static: tuple[str, ...] = ()) -> None:
    """Registers a frozen dataclass as a pytree; `static` fields are part of its shape."""
    dynamic = [field.name for field in fields(cls) if field.name not in static]
    jax.tree_util.register_dataclass(cls, data_fields=dynamic, meta_fields=list(static))
