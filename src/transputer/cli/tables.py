"""Reports of benchmarks on a terminal."""

from rich.console import Console
from rich.table import Table

from transputer.check.bench import Report


def show(report: Report) -> None:
    """Print the table, the machine that it was measured on, and the notes."""
    rows = report.text()
    table = Table(box=None, pad_edge=False, title=report.title, title_justify="left")
    for i, column in enumerate(report.columns):
        numbers = any(isinstance(row[i], int | float) for row in report.rows)
        table.add_column(column, justify="right" if numbers else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console = Console(highlight=False, markup=False, width=240)
    console.print(table)
    cpu = "{cpu}, {cores} cores, {architecture}, load {load}, Python {python}, commit {commit}"
    console.print("\n" + cpu.format_map(report.machine))
    for note in report.notes:
        console.print(note)
