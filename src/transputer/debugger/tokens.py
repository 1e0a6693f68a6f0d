"""Tokens of the trace machine as text."""

from transputer.machines.trace.vocabulary import Record, Space, Status


def describe(item: Record) -> str:
    """Return what a token wrote, or why the program stopped."""
    if item.trap is not None:
        return f"trap: {item.trap.value}"
    status = "" if not item.status else Status(item.status).name.lower()
    if not item.space:
        return status
    try:
        name = Space(item.space).name.lower()
    except ValueError:
        name = f"space {item.space}"
    if item.space == Space.CODE:
        return f"code {item.at}"
    if item.space == Space.FRAME:
        return f"frame {item.depth}: back to {item.value}, fp {item.at}"
    if item.space == Space.OUTPUT:
        return f"output {item.value & 0xFF}"
    if item.space == Space.SENTINEL:
        return "nothing was written there: 0"
    text = f"{name} {item.at} = {item.value}"
    return f"{text}, {status}" if status else text
