"""Tokens of the trace machine as text."""

from transputer.machines.trace.vocabulary import TRAPS, Record, Space, Status


def describe(item: Record) -> str:
    """Return what a token wrote, or why the program stopped."""
    if Status.TRAPS <= item.status < Status.TRAPS + len(TRAPS):
        return f"trap: {TRAPS[item.status - Status.TRAPS].value}"
    known = [status.name.lower() for status in Status if status and status == item.status]
    status = known[0] if known else f"status {item.status}" if item.status else ""
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
