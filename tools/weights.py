"""Build the universal model and write the file that the package ships.

    python -m tools.weights

The file is named by the sources that build the model: run this after a change to any of them.
"""

from transputer.machines.trace import universal
from transputer.machines.trace.addressing import DIGITS
from transputer.machines.trace.circuit import built
from transputer.model import digest, to_bytes
from transputer.model.shipped import Shipped, write_shipped


def main() -> None:
    """Write the file."""
    model = built(DIGITS)
    module = universal.__name__
    path = write_shipped(
        universal.FOLDER, universal.name(DIGITS), module, Shipped(to_bytes(model), digest(model))
    )
    print(f"{path.name}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
