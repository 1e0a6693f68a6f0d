"""Write the table of machines and verbs into docs/machines.md, from the registry."""

from pathlib import Path

import transputer as tp

PAGE = Path(__file__).parents[1] / "docs" / "machines.md"
HEADING = "## What each machine can do\n"


def table() -> str:
    """Return the table: what each machine reads, and the engines or formats of each verb."""
    lines = ["| | " + " | ".join(f"`{m.name}`" for m in tp.list_machines()) + " |"]
    lines.append("|---|" + "---|" * len(tp.list_machines()))
    rows = {"what it is": [m.doc for m in tp.list_machines()]}
    rows["file kinds"] = [_code(m.kinds) for m in tp.list_machines()]
    for verb, label in (("run", "`run`, `map`"), ("debug", "`debug`, `trace`"), ("diff", "`diff`")):
        rows[f"engines of {label}"] = [_code(_of(m, verb).engines) for m in tp.list_machines()]
    rows["formats of `export`"] = [_code(_of(m, "export").formats) for m in tp.list_machines()]
    for verb in ("dis", "specialize", "build", "audit", "prove"):
        rows[f"`{verb}`"] = ["yes" if verb in m.abilities else "no" for m in tp.list_machines()]
    lines += [f"| {name} | " + " | ".join(cells) + " |" for name, cells in rows.items()]
    return "\n".join(lines) + "\n"


def _of(machine: tp.Machine, verb: str) -> tp.Ability:
    return machine.abilities.get(verb, tp.Ability(lambda: None))


def _code(names: object) -> str:
    return ", ".join(f"`{name}`" for name in names) or "no"  # type: ignore[attr-defined]


def page(text: str) -> str:
    """Return the page with the table as the registry has it."""
    before, _, after = text.partition(HEADING)
    rest = after.partition("\n## ")
    return f"{before}{HEADING}\n{table()}" + (f"\n## {rest[2]}" if rest[1] else "")


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text()))
