"""The lens as a picture: `python -m training.words_lm.plot` draws `results/lens.json`."""

import json
from pathlib import Path

HERE = Path(__file__).parent
TARGET = HERE.parents[1] / "docs" / "words" / "lens.svg"


def main() -> None:
    """Draws the operation's accuracy after every layer, before and after training."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "lens"
    from matplotlib import pyplot

    found = json.loads((HERE / "results" / "lens.json").read_text())
    figure, axes = pyplot.subplots(figsize=(8, 4.2))
    for when, style in (("before", "--"), ("after", "-")):
        for kind, colour in (("canonical", "tab:blue"), ("varied", "tab:orange")):
            shares = [100 * share for share in found[when][kind]["operation by layer"]]
            axes.plot(shares, style, color=colour, label=f"{kind}, {when} training")
    axes.axvline(found["layer"], color="grey", linewidth=0.8)
    axes.text(found["layer"] + 0.3, 3, f"trained after layer {found['layer']}", color="grey")
    axes.axhline(25, color="grey", linewidth=0.8, linestyle=":")
    axes.set(xlabel="layers passed", ylabel="operations read rightly, %", ylim=(0, 102))
    axes.legend(loc="upper left")
    axes.set_title("The operation, read off the middle of SmolLM2-135M")
    figure.tight_layout()
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(TARGET, metadata={"Date": None})
    print(f"wrote {TARGET.relative_to(HERE.parents[1])}")


if __name__ == "__main__":
    main()
