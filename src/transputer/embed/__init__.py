"""Programs as layers of a larger network; needs PyTorch."""

from transputer.embed.loom import Ended, Fault, LoomModule
from transputer.embed.rows import RowsFailed
from transputer.embed.trace import Module, Outcomes

__all__ = ["Ended", "Fault", "LoomModule", "Module", "Outcomes", "RowsFailed"]
