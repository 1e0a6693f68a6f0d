"""How the embedded model of the words front end is made: problems, training, export, measuring.

Not part of the package: this needs torch, and what comes out of it is committed. It uses the
words front end alone, so it also runs where the package's other dependencies are not installed.
"""

import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

if find_spec("wasmtime") is None and "transputer" not in sys.modules:
    _package = ModuleType("transputer")
    _package.__path__ = [str(Path(__file__).parents[2] / "src" / "transputer")]
    sys.modules["transputer"] = _package
