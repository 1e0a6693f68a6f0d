"""Lists and ranges, with their filters, and what is made of them."""

from collections.abc import Callable

from transputer.frontends.words import phrases as table
from transputer.frontends.words.calculation import Calculation
from transputer.frontends.words.plan import Apply, Constant, Node, apply
from transputer.frontends.words.reading import No
from transputer.frontends.words.tokens import Phrases, phrases

_AGGREGATES = Phrases(table.AGGREGATES)
_NOUNS = phrases(table.NOUNS)
_FILTERS = Phrases(table.FILTERS)
_POWERS = Phrases(table.POWERS)


class Members(Calculation):
    """Reads lists and ranges."""

    def _aggregate(self) -> Node:
        """`sum of the even numbers from 1 to 10`, `largest of 4, 9 and 2`, `max(4, 9)`."""
        token = self._match(_AGGREGATES)
        if token is None:
            raise No
        members = self._members()
        return apply(token, members)

    def _members(self) -> Node:
        self._skip("of", "in", "among", "up")
        if self._eat("("):
            members = self._some_members()
            self._need(")")
            self.loose = ""
            return members
        members = self._some_members()
        self.loose = "list"
        return members

    def _some_members(self) -> Node:
        node = self._try(self._range)
        return self._list() if node is None else node

    def _list(self) -> Node:
        """`4, 9 and 2`; with filters before and behind: `even numbers among 4, 9 and 2`."""
        wraps = self._filters()
        if wraps:
            self._skip("numbers", "ones")
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
            raise No
        return self._wrapped(apply("LIST", *items), [*self._behind(), *wraps])

    def _filters(self) -> list[Callable[[Node], Node]]:
        """Adjectives before the noun, outermost first: `squares of even`, `multiples of 3`."""
        found: list[Callable[[Node], Node]] = []
        while True:
            power = self._match(_POWERS)
            if power is not None:
                self._skip("of")
                found.append(_wrap(power))
                continue
            kind = self._match(_FILTERS)
            if kind is not None:
                found.append(_wrap(kind))
                continue
            if self._eat("multiples of"):
                found.append(_wrap("MULTIPLES", self._tight()))
                continue
            return found

    def _behind(self) -> list[Callable[[Node], Node]]:
        """Conditions behind the noun or the range: `that are even`, `divisible by 3`."""
        found: list[Callable[[Node], Node]] = []
        while True:
            start = self.at
            if found:
                self._skip("and")
            self._skip("that are", "which are", "are", "that")
            kind = self._match(_FILTERS)
            if kind is not None:
                found.append(_wrap(kind))
            elif self._skip("divisible by", "multiples of"):
                found.append(_wrap("MULTIPLES", self._tight()))
            elif self._skip("greater than", "above", "larger than"):
                found.append(_wrap("ABOVE", self._tight()))
            elif self._skip("less than", "below", "smaller than"):
                found.append(_wrap("BELOW", self._tight()))
            else:
                self.at = start
                return found

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
        before = list(reversed(self._filters()))
        self._match(_NOUNS)
        behind = self._behind()
        self._skip("there are", "are there", "are")
        members = self._bounds()
        self._skip("inclusive", "included")
        members = self._stepped(members)
        self._skip("inclusive")
        return self._wrapped(members, [*behind, *self._behind(), *before])

    def _bounds(self) -> Node:
        """The range itself, with step 1."""
        one = Constant(1)
        if self._eat("strictly between"):
            first = self._tight()
            self._need("and")
            last = self._tight()
            inner = apply("RANGE", first, last, one)
            low = apply("MIN", apply("LIST", first, last))
            high = apply("MAX", apply("LIST", first, last))
            return apply("BELOW", high, apply("ABOVE", low, inner))
        if self._eat("between"):
            first = self._tight()
            self._need("and")
            return apply("RANGE", first, self._tight(), one)
        if self._eat("up to"):
            return apply("RANGE", one, self._tight(), one)
        self._skip("from")
        first = self._tight()
        self._need("up to", "down to", "to", "through", "until", "..", "...")
        return apply("RANGE", first, self._tight(), one)

    def _stepped(self, members: Node) -> Node:
        words = ("in steps of", "with step", "with a step of", "step", "counting by", "by")
        if not self._skip(*words):
            return members
        if not isinstance(members, Apply) or members.token != "RANGE":
            raise No
        return apply("RANGE", *members.arguments[:2], self._tight())

    def _first_few(self) -> Node:
        """`first 10 numbers` are 1 to 10, `first 10 even numbers` 2 to 20."""
        before = self._filters()
        self._need("first")
        count = self._tight()
        even, odd = self._eat("even"), self._eat("odd")
        if self._match(_NOUNS) is None:
            raise No
        two, one = Constant(2), Constant(1)
        doubled = apply("MUL", two, count)
        if even:
            members = apply("RANGE", two, doubled, two)
        elif odd:
            members = apply("RANGE", one, apply("SUB", doubled, one), two)
        else:
            members = apply("RANGE", one, count, one)
        # there are no first 0 numbers: the range would go down from 1
        members = apply("ABOVE", Constant(0), apply("BELOW", apply("ADD", doubled, one), members))
        return self._wrapped(members, list(reversed(before)))


def _wrap(token: str, *numbers: Node) -> Callable[[Node], Node]:
    return lambda node: apply(token, *numbers, node)
