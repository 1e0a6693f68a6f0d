"""The traffic rules as what is forbidden, written apart from `rules.c` to hold it against."""

from itertools import product

STOP, SLOWER, KEEP, FASTER = range(4)
ACTIONS = ("stop", "slower", "keep", "faster")
MOVING = {SLOWER, KEEP, FASTER}
NONE, GREEN, AMBER, RED = range(4)
NO_SIGN, YIELD, STOP_SIGN = range(3)

#: What the network sees and how many values each has; then what the car knows.
SEEN = {"light": 4, "sign": 3, "person": 2, "gap": 4}
KNOWN = {"speed": 4, "waited": 2}
INPUTS = (*SEEN, *KNOWN)
#: Every input that the rules can be given, (768, 6).
EVERYTHING = tuple(product(*(range(count) for count in (SEEN | KNOWN).values())))


def forbidden(light, sign, person, gap, speed, waited):
    """For each rule the actions that it forbids."""
    halt = light == NONE and sign == STOP_SIGN and not waited
    rules = (
        ("stand for a person", person, MOVING),
        ("stand at red", light == RED, MOVING),
        ("stand behind a car", gap == 0, MOVING),
        ("stop at amber if you can", light == AMBER and speed <= 1, MOVING),
        ("do not race at amber", light == AMBER, {FASTER}),
        ("stand at a stop sign without a light", halt, MOVING),
        ("yield at walking speed", light == NONE and sign == YIELD, at_most(1, speed)),
        ("keep your distance", True, at_most(gap, speed)),
    )
    return {rule: actions for rule, holds, actions in rules if holds}


def at_most(limit, speed):
    """The actions that exceed a speed."""
    return ({FASTER} if speed >= limit else set()) | ({KEEP} if speed > limit else set())


def violations(inputs, action):
    """The rules that an action breaks."""
    return [rule for rule, actions in forbidden(*inputs).items() if action in actions]


def best(inputs):
    """The fastest action that no rule forbids; a rule module that always stops is no use."""
    return max(action for action in range(4) if not violations(inputs, action))
