"""Programs as layers of a larger network; needs PyTorch."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from transputer.embed.loom import Ended, Fault, LoomModule
    from transputer.embed.rows import RowsFailed
    from transputer.embed.trace import Module, Outcomes

_HOMES = {
    "Ended": "loom", "Fault": "loom", "LoomModule": "loom",
    "RowsFailed": "rows", "Module": "trace", "Outcomes": "trace",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    """Import a class when it is first used: a language model's training needs no machine."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"transputer.embed.{_HOMES[name]}"), name)


__all__ = ["Ended", "Fault", "LoomModule", "Module", "Outcomes", "RowsFailed"]
