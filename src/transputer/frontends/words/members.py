"""Lists and ranges, with their filters, and what is made of them."""

from collections.abc import Callable

from transputer.frontends.words import phrases as table
from transputer.frontends.words.calculation import Calculation, triangular
from transputer.frontends.words.operations import PlanType
from transputer.frontends.words.plan import (
    Apply,
    Comprehension,
    Node,
    PlanConstant,
    Variable,
    apply,
)
from transputer.frontends.words.reading import NoMatch
from transputer.frontends.words.tokens import Phrases, phrases

_AGGREGATES = Phrases(table.AGGREGATES)
_NOUNS = phrases(table.NOUNS)
_LISTS = phrases(table.LISTS)
_FILTERS = Phrases(table.FILTERS)
_POWERS = Phrases(table.POWERS)
_SEQUENCES = Phrases(table.SEQUENCES)
#: Functions of a list that give one number: what is the median of that and of what follows?
_SINGLE = frozenset("SUM PROD MEAN MEDIAN MAX MIN MODE VARIANCE".split())
_MEMBER = Variable("n", PlanType.NUMBER)
_OVER = ("greater than", "above", "larger than", "bigger than", "more than", "over")
_UNDER = ("less than", "below", "smaller than", "lower than", "fewer than", "under")
_TO = ("up to and including", "up to", "down to", "to", "through", "until", "..", "...")


class Members(Calculation):
    """Reads lists and ranges."""

    def _aggregate(self) -> Node:
        """`sum of the even numbers from 1 to 10`, `largest of 4, 9 and 2`, `max(4, 9)`."""
        asked = self._word() == "how"
        token = self._match(_AGGREGATES)
        if token is None:
            raise NoMatch
        counted = asked and self._word(-1) != "in"
        if self._word() == "of":
            inner = _AGGREGATES.match(self.words, self.at + 1)
            if inner is not None and inner[0] in _SINGLE:
                raise self._two_readings(self.at + 1)  # the median of the largest of 3, 4 and 5
        if token in ("MEAN", "MAX", "MIN"):
            self._skip("between")  # of two numbers or of all between them: the same
        members = self._members()
        if counted and isinstance(members, Apply) and members.token == "LIST":
            raise NoMatch  # how many of them, in what respect?
        return apply(token, members)

    def _members(self) -> Node:
        self._skip("of", "in", "among", "up", "from among", ":")
        self._match(_LISTS)
        self._skip(":")
        for begin, end in (("(", ")"), ("[", "]")):
            if self._eat(begin):
                members = self._some_members()
                self._need(end)
                self.loose = ""
                return members
        members = self._some_members()
        self.loose = "list"
        return members

    def _some_members(self) -> Node:
        node = self._try(self._sequence)
        if node is not None:
            return node
        node = self._try(self._range)
        return self._list() if node is None else node

    def _sequence(self) -> Node:
        """`digits of 583`, `divisors of 12`, `first 8 primes`, `first 4 multiples of 3`."""
        token = self._match(_SEQUENCES)
        if token is not None:
            return apply(token, self._powers())
        self._need("first")
        count = self._tight()
        if self._skip("fibonacci numbers", "fibonacci terms"):
            return apply("FIRST_FIBONACCI", count)
        if self._skip("prime numbers", "primes"):
            return apply("FIRST_PRIMES", count)
        members = apply("RANGE", PlanConstant(1), count, PlanConstant(1))
        if self._skip("square numbers", "perfect squares", "squares"):
            return apply("SQUARES", members)
        if self._skip("cube numbers", "cubes"):
            return apply("CUBES", members)
        if self._skip("triangular numbers", "triangle numbers"):
            return Comprehension(triangular(_MEMBER), _MEMBER.name, members, None)
        self._need("multiples of")
        factor = self._tight()
        return apply("PROGRESSION", factor, factor, count)

    def _ranked(self, place: Node) -> Node:
        """`3rd largest of 4, 9 and 2`."""
        largest = self._skip("largest", "biggest", "highest", "greatest")
        if not largest:
            self._need("smallest", "lowest", "least")
        self._skip("number", "value", "one")
        self._need("of", "in", "among")
        members = apply("ORDERED", self._members())
        self.loose = "list"
        return apply("NTH", place, apply("BACKWARDS", members) if largest else members)

    def _list(self) -> Node:
        """`4, 9 and 2`; with filters before and behind: `even numbers among 4, 9 and 2`."""
        wraps = self._filters()
        if wraps:
            self._skip("numbers", "ones", "number", "value", "one")
            self._skip("among", "in", "of")
        items = [self._tight()]
        while True:
            start = self.at
            if not self._skip(", and", ",", "and", "or"):
                break
            item = self._try(self._tight)
            if item is None:
                self.at = start
                break
            items.append(item)
        if len(items) < 2:
            raise NoMatch
        return self._wrapped(apply("LIST", *items), [*self._behind(), *wraps])

    def _filters(self) -> list[Callable[[Node], Node]]:
        """Adjectives before the noun, outermost first: `squares of even`, `multiples of 3`."""
        wraps: list[Callable[[Node], Node]] = []
        while True:
            power = self._match(_POWERS)
            if power is not None:
                self._skip("of")
                wraps.append(_wrap(power))
                continue
            kind = self._match(_FILTERS)
            if kind is not None:
                wraps.append(_wrap(kind))
                continue
            if self._eat("multiples of"):
                wraps.append(self._divided_by())
                continue
            return wraps

    def _divided_by(self) -> Callable[[Node], Node]:
        """The filter `multiples of 3`, `multiples of 3 or 5`."""
        first = self._tight()
        start = self.at
        if self._skip("or of", "or") and (second := self._try(self._tight)) is not None:
            return _wrap("MULTIPLES_OF_EITHER", first, second)
        self.at = start
        return _wrap("MULTIPLES", first)

    def _behind(self) -> list[Callable[[Node], Node]]:
        """Conditions behind the noun or the range: `that are even`, `divisible by 3`."""
        wraps: list[Callable[[Node], Node]] = []
        while True:
            start = self.at
            if wraps:
                self._skip("and")
            said = self._skip("that are", "which are", "are", "that")
            kind = self._match(_FILTERS)
            if kind is not None:
                wraps.append(_wrap(kind))
            elif self._skip("divisible by", "multiples of"):
                wraps.append(self._divided_by())
            elif said and self._skip(
                "greater than", "above", "larger than", "bigger than", "more than"
            ):
                wraps.append(_wrap("ABOVE", self._tight()))
            elif said and self._skip(*_UNDER):
                wraps.append(_wrap("BELOW", self._tight()))
            else:
                self.at = start
                return wraps

    @staticmethod
    def _wrapped(node: Node, wraps: list[Callable[[Node], Node]]) -> Node:
        """The filters nearest the list are applied first."""
        for wrap in wraps:
            node = wrap(node)
        return node

    def _range(self) -> Node:
        """`even numbers from 1 to 10 in steps of 3`, `1 to 100`, `first 10 odd numbers`."""
        first = self._try(self._first_few)
        if first is not None:
            return first
        self._skip("every", "each")
        before = list(reversed(self._filters()))
        self._match(_NOUNS)
        start = self.at
        behind = self._behind()
        self._skip("there are", "are there", "are", "that are")
        bounds = self._try(self._bounds)
        if bounds is None:
            self.at, behind = start, []
            bounds = self._below()
        self._skip("inclusive", "included", "both included", ", inclusive", "( inclusive )")
        members = self._stepped(bounds)
        self._skip("inclusive")
        return self._wrapped(members, [*behind, *self._behind(), *before])

    def _below(self) -> Node:
        """`below 30`, where nothing says where to begin: from 1."""
        self._skip("there are", "are there", "are", "that are")
        self._need("below", "less than", "under", "smaller than")
        bound = self._tight()
        return apply("BELOW", bound, apply("RANGE", PlanConstant(1), bound, PlanConstant(1)))

    def _bounds(self) -> Node:
        """The range itself, with step 1."""
        self._skip("ranging", "in range", "in interval")
        if self._eat("strictly between"):
            first, last = self._ends("and")
            inner = apply("RANGE", first, last, PlanConstant(1))
            low = apply("MIN", apply("LIST", first, last))
            high = apply("MAX", apply("LIST", first, last))
            return apply("BELOW", high, apply("ABOVE", low, inner))
        if self._eat("between"):
            return apply("RANGE", *self._ends("and"), PlanConstant(1))
        if self._skip("up to and including", "up to", "through"):
            return self._counted(PlanConstant(1))
        if self._skip("starting at", "starting from", "starting with", "beginning at"):
            ends = self._ends("and ending at", "and ending with", "ending at", "up to", "to")
            return apply("RANGE", *ends, PlanConstant(1))
        self._skip("from")
        return apply("RANGE", *self._ends(*_TO), PlanConstant(1))

    def _ends(self, *words: str) -> tuple[Node, Node]:
        """Two bounds with one of these between them."""
        first = self._tight()
        self._need(*words)
        return first, self._tight()

    def _counted(self, step: Node, doubled: bool = False) -> Node:
        """From the step to a number that stands here, or to twice that number.

        A count that is not known to be positive may leave nothing: the range would go down.
        """
        value = self._value()
        count = self._tight()
        last = apply("MUL", PlanConstant(2), count) if doubled else count
        members = apply("RANGE", step, last, step)
        if value is not None and value >= 1:
            return members
        positive = apply("ABOVE", PlanConstant(0), members)
        return apply("BELOW", apply("ADD", last, PlanConstant(1)), positive)

    def _stepped(self, members: Node) -> Node:
        words = ("in steps of", "with step", "with a step of", "step", "counting by", "by")
        if not self._skip(*words):
            return members
        if not isinstance(members, Apply) or members.token != "RANGE":
            raise NoMatch
        return apply("RANGE", *members.arguments[:2], self._tight())

    def _first_few(self) -> Node:
        """`first 10 numbers` are 1 to 10, `first 10 even numbers` 2 to 20."""
        before = self._filters()
        self._need("first")
        start = self.at
        count = self._counted(PlanConstant(1))
        even, odd = self._eat("even"), self._eat("odd")
        if self._match(_NOUNS) is None:
            raise NoMatch
        after, members = self.at, count
        if even or odd:
            self.at = start
            members = self._counted(PlanConstant(2), doubled=True)
        if odd:
            self.at = start
            twice = apply("MUL", PlanConstant(2), self._tight())
            below = apply("BELOW", twice, apply("RANGE", PlanConstant(1), twice, PlanConstant(1)))
            members = apply("ODDS", below)
        self.at = after
        return self._wrapped(members, list(reversed(before)))


def _wrap(token: str, *numbers: Node) -> Callable[[Node], Node]:
    return lambda node: apply(token, *numbers, node)
