"""Draw docs/benchmarks/gpu.svg from gpu-rows.json: `python -m tools.gpu.roofline`.

The roofs are those of one H200: integer instructions per second, and bytes of memory per second
over the bytes that a step moves at least.
"""

import json
from pathlib import Path

import matplotlib

matplotlib.use("svg")
from matplotlib import pyplot as plt  # noqa: E402

FOLDER = Path("docs/benchmarks")
#: 64 integer lanes on each of four schedulers' multiprocessors, at the clock of the device.
LANES = 64
#: Bytes per second of an H200's memory.
BANDWIDTH = 4.8e12


def main() -> None:
    """Draw steps per second over rows, under what integer units and memory allow."""
    record = json.loads((FOLDER / "gpu-rows.json").read_text())
    machine = record["machine"]
    clock = 1e3 * (machine["clock_khz"] or 1_980_000)
    roof = LANES * machine["processors"] * clock
    figure, axes = plt.subplots(figsize=(7, 4.5))
    for each in record["lifted"]:
        sizes = each["sizes"]
        axes.loglog([s["rows"] for s in sizes], [s["steps_per_second"] for s in sizes],
                    marker="o", label=f"{each['program']}, lifted")  # fmt: skip
    sizes = record.get("weights", {}).get("sizes", [])
    if sizes:
        axes.loglog([s["rows"] for s in sizes], [s["steps_per_second"] for s in sizes],
                    marker="s", label="12 programs, plain weights")  # fmt: skip
    axes.axhline(roof, color="black", linewidth=0.8)
    axes.text(1, roof * 1.1, "one 32-bit integer operation per step")
    axes.axhline(BANDWIDTH / 8, color="black", linewidth=0.8, linestyle="--")
    axes.text(1, BANDWIDTH / 8 * 1.1, "one 8-byte word of device memory per step")
    axes.set_xlabel("rows in the batch")
    axes.set_ylabel("steps per second, all rows together")
    axes.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(FOLDER / "gpu.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
