"""Build the universal model and write the file that the package ships.

    python -m tools.weights

The file is named by the sources that build the model: run this after a change to any of them, or to
those that derive what comes with it.
"""

from safetensors.numpy import save

from transputer import cache
from transputer.engines.native.planner import planned
from transputer.machines.trace import universal
from transputer.machines.trace.addressing import DIGITS
from transputer.machines.trace.circuit import built
from transputer.model import Model, to_bytes
from transputer.model.shipped import Shipped, ShippedFact, write_shipped
from transputer.model.store import hashed, largest

#: Names of facts, the modules that derive them, and how.
FACTS = (
    ("digest", "transputer.model.tensors", hashed),
    ("bounds", "transputer.model.verify", largest),
    ("native", planned.__module__, planned),
)


def packed(model: Model) -> Shipped:
    """A model with its facts."""
    facts = {
        name: ShippedFact(module, cache.texts(module), save(dict(derive(model))))
        for name, module, derive in FACTS
    }
    return Shipped(to_bytes(model), facts)


def main() -> None:
    """Write the file."""
    name, module = universal.name(DIGITS), universal.__name__
    path = write_shipped(universal.FOLDER, name, module, packed(built(DIGITS)))
    print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
