"""`transputer build` and `transputer inspect`."""

import json
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from transputer import api
from transputer.cli.machines import own, own_options


@click.command()
@click.argument("machine", metavar="MACHINE")
@own_options("build")
@click.option("-o", "--output", required=True, metavar="FILE", help="File to write.")
def build(machine: str, output: str) -> None:
    """Build the universal model of MACHINE and save it as safetensors."""
    api.build(machine, output, options=own("build"))
    card = api.inspect(output)
    size = (
        f"{card['rows']} rows, {card['columns']:,} columns"
        if card["kind"] == "looped"
        else f"{card['lanes']} lanes"
    )
    click.echo(f"{output}: {machine}, {card['layers']} layers, {size}")


@click.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead.")
def inspect(file: str, as_json: bool) -> None:
    """Print the card of a model: sizes, bounds, and the purpose of each head and neuron group."""
    card = api.inspect(file)
    if as_json:
        click.echo(json.dumps(card))
    elif card["kind"] == "looped":
        _show_looped(card)
    else:
        _show(card)


def _show(card: dict[str, Any]) -> None:
    console = Console(width=100, highlight=False)
    facts = Table("", "", box=None, show_header=False, pad_edge=False)
    tables, layers = card["parameters"]["tables"], card["parameters"]["layers"]
    for name, text in (
        ("kind", card["kind"]),
        ("layers, lanes", f"{card['layers']}, {card['lanes']}"),
        ("heads, neurons", f"{card['heads']}, {card['neurons']:,}"),
        ("layer weights", f"{layers['nonzero']:,} nonzero of {layers['dense']:,}"),
        ("tables", f"{tables['nonzero']:,} nonzero of {tables['dense']:,} (embedding and output)"),
        ("distinct values", f"{card['distinct_values']:,}"),
        ("context", f"{card['context']:,} positions; bounds allow {card['longest_context']:,}"),
        ("vocabulary", ", ".join(f"{p['part']} {p['size']}" for p in card["vocabulary"])),
        ("SHA-256", card["digest"]),
    ):
        facts.add_row(name, text)
    console.print(facts, "")
    _show_bounds(console, card["bounds"])
    _show_groups(console, card)


def _show_looped(card: dict[str, Any]) -> None:
    console = Console(width=100, highlight=False)
    facts = Table("", "", box=None, show_header=False, pad_edge=False)
    weights, paper, onnx = card["parameters"], card["published"], card["onnx"]
    files = (
        "unknown; pip install 'transputer[onnx]'"
        if onnx is None
        else f"{onnx['step']:,} bytes for a step, {onnx['loop']:,} for a whole run"
    )
    for name, text in (
        ("kind", card["kind"]),
        ("layers", str(card["layers"])),
        ("state", f"{card['rows']} rows, {card['columns']:,} columns"),
        ("heads, neurons", f"{card['heads']}, {card['neurons']:,}"),
        ("weights", f"{weights['nonzero']:,} nonzero of {weights['dense']:,}"),
        ("distinct values", f"{card['distinct_values']:,}"),
        ("exact in", f"{card['exact_in']}, ties shared, true softmax at {card['sharpness']}"),
        ("ONNX files", files),
        ("SHA-256", card["digest"]),
    ):
        facts.add_row(name, text)
    console.print(facts, "")
    if paper:
        table = Table("", "here", "published", box=None)
        table.add_row("layers", str(card["layers"]), str(paper["layers"]))
        table.add_row("rows", str(card["rows"]), str(paper["rows"]))
        table.add_row("weights", f"{weights['dense']:,}", f"{paper['parameters']:,}")
        table.add_row("nonzero", f"{weights['nonzero']:,}", f"{paper['nonzeros']:,}")
        console.print(table, "")
    rows = Table("rows for", "count", "", box=None)
    for row in card["row_table"]:
        rows.add_row(row["group"], str(row["rows"]), "added" if row["added"] else "as published")
    console.print(rows, "")
    _show_bounds(console, card["bounds"])
    _show_groups(console, card)


def _show_bounds(console: Console, bounds: dict[str, Any]) -> None:
    table = Table("largest sum of", "magnitude", f"of {bounds['limit']:,}", "where", box=None)
    for kind, bound in bounds["largest"].items():
        share = f"2^{bound['magnitude'].bit_length()}"
        table.add_row(kind, f"{bound['magnitude']:,}", share, bound["at"])
    console.print(table, "")


def _show_groups(console: Console, card: dict[str, Any]) -> None:
    heads = Table("layer", "head", "name", "group", box=None)
    for head in card["head_table"]:
        heads.add_row(str(head["layer"]), str(head["head"]), head["name"], head.get("group", ""))
    console.print(heads, "")
    groups: dict[str, list[tuple[int, int]]] = {}
    for row in card["neuron_table"]:
        groups.setdefault(row["group"], []).append((row["layer"], row["count"]))
    neurons = Table("neurons for", "count", "in layers", box=None)
    for name, counts in groups.items():
        places = ", ".join(str(layer) for layer in sorted({layer for layer, _ in counts}))
        neurons.add_row(name, str(sum(count for _, count in counts)), places)
    console.print(neurons)
