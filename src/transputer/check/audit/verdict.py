"""Verdicts: the facts that a check measured, one per line."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from transputer.check.audit.survey import Progress


class Audited(Protocol):
    """The evidence for the rules of a machine."""

    @property
    def progress(self) -> Progress:
        """What is called with a description of the current work."""

    def prepare(self) -> None:
        """Derive what several rules need."""


Subject = TypeVar("Subject", bound=Audited)


@dataclass(frozen=True, slots=True)
class Fact:
    """A measurement, and whether it satisfies the rule."""

    text: str
    holds: bool = True


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether one rule holds, and the measured facts; facts against it begin with NOT."""

    rule: int
    title: str
    passed: bool
    facts: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def as_json(self) -> dict[str, Any]:
        """Return the form that `audit --json` prints."""
        return {
            "rule": self.rule,
            "title": self.title,
            "passed": self.passed,
            "facts": self.facts,
            "seconds": round(self.seconds, 2),
        }


Check = Callable[[Subject], Iterator[Fact]]
#: A rule of the design: a function from the evidence to a verdict.
Rule = Callable[[Subject], Verdict]


def rule(number: int, title: str) -> Callable[[Check[Subject]], Rule[Subject]]:
    """Decorate a generator of facts so that it becomes a rule; an error is a fact against it."""

    def decorate(check: Check[Subject]) -> Rule[Subject]:
        def judge(subject: Subject) -> Verdict:
            started = time.monotonic()
            facts: list[Fact] = []
            subject.progress(f"rule {number}: {title}")
            try:
                facts.extend(check(subject))
            except Exception as error:  # a broken model may do anything to its host
                facts.append(Fact(f"{type(error).__name__}: {error}", False))
            passed = bool(facts) and all(fact.holds for fact in facts)
            texts = [fact.text if fact.holds else f"NOT {fact.text}" for fact in facts]
            return Verdict(number, title, passed, texts, time.monotonic() - started)

        judge.__doc__ = check.__doc__
        judge.__name__ = check.__name__
        return judge

    return decorate


def some(things: list[str], most: int = 6) -> str:
    """Return a list as text, shortened to `most` items."""
    more = f" and {len(things) - most} more" if len(things) > most else ""
    return ", ".join(things[:most]) + more
