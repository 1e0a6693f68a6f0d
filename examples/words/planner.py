"""A front end of one's own: it knows one kind of story, and how sure it is of it."""

import transputer as tp
from transputer.frontends.words.plan import Plan, Slot, apply
from transputer.frontends.words.planner import Abstained, Proposal


class PerHour:
    """Speed times hours: `a train goes 80 km an hour for 3 hours`."""

    name = "per-hour"
    threshold = 0.5

    def propose(self, text, numbers):
        if len(numbers) != 2 or "an hour" not in text:
            raise Abstained("not a story of speed and time")
        return [Proposal(Plan(apply("MUL", Slot(0), Slot(1))), 0.9)]


if __name__ == "__main__":
    found = tp.ask("A train goes 80 km an hour for 3 hours. How far?", planner=PerHour())
    print(f"{found.line} = {found.answer}, says {found.planner}")
