"""Orders and chains: `subtract 49 from 69`, `…, then multiply by 5`."""

from transputer.frontends.words import phrases as table
from transputer.frontends.words.calculation import powered
from transputer.frontends.words.members import Members
from transputer.frontends.words.numbers import MULTIPLES
from transputer.frontends.words.plan import Apply, Node, PlanConstant, Slot, apply
from transputer.frontends.words.reading import NoMatch
from transputer.frontends.words.tokens import Phrases, phrases

_RANGE_COMMANDS = Phrases(table.RANGE_COMMANDS)
_STEPS = Phrases(table.STEPS)
_ALONE = Phrases(table.ALONE)
_STEP_ENDS = phrases(table.STEP_ENDS)
_CHANGES = Phrases(table.CHANGES)
_STARTS = phrases(table.STARTS)
_FIRST = phrases(("first ,",))
_ORDERS = frozenset("add subtract multiply divide take start begin double square".split())
_LINKS = phrases(table.LINKS)
_FROM_OTHER = phrases(f"subtract {pronoun} from" for pronoun in table.PRONOUNS)


class Commands(Members):
    """Reads orders and chains of them."""

    def _chain(self) -> Node:
        """A calculation and steps on its result: `16 - 3, then multiply by 5, then …`"""
        if any(token.text == "is" for token in self.words):
            self._skip("if", "when")  # `when 15 is taken from 50`
        self._match(_FIRST)
        node = self._command()
        while self.at < len(self.words):
            node = self._next(node)
        return node

    def _command(self) -> Node:
        """A calculation, or an order for one: `subtract 49 from 69`."""
        if self._word() == "first" and self._word(1) in _ORDERS:
            self._eat("first")
        if self._match(_STARTS):
            return self._expression()
        for way in (self._ordered, self._range_command):
            node = self._try(way)
            if node is not None:
                return node
        return self._expression()

    def _ordered(self) -> Node:
        """`add 11 and 94`, `subtract 49 from 69`, `multiply 7 by 8`, `double 4`."""
        if self._skip("add together", "add up", "add", "adding", "combine"):
            return self._added()
        if self._skip("subtract", "subtracting", "deduct", "remove"):
            return self._subtracted()
        if self._eat("take"):
            return self._taken()
        if self._skip("multiply together", "multiply", "multiplying"):
            return self._multiplied()
        if self._skip("divide", "dividing", "split", "share", "break"):
            return self._divided()
        return self._changed()

    def _added(self) -> Node:
        """`add 5 to 7`, `add 3, 4 and 5`, `add 10% to 50`."""
        if self._percentage() is not None:
            share = self._number_here()
            self._need("to")
            whole = self._expression()
            return apply("ADD", whole, apply("PCT", share, whole))
        sequence = self._try(self._sequence)
        if sequence is not None:  # `add the digits of 583`
            return apply("SUM", sequence)
        first = self._expression()
        if self._eat("to"):
            return apply("ADD", self._expression(), first)
        items = self._rest_of_list(first, "with")
        if isinstance(items, Apply) and len(items.arguments) == 2:
            return apply("ADD", *items.arguments)
        return apply("SUM", items)

    def _subtracted(self) -> Node:
        """`subtract 49 from 69`, `subtract 10% from 50`."""
        if self._percentage() is not None:
            share = self._number_here()
            self._need("from")
            whole = self._expression()
            return apply("SUB", whole, apply("PCT", share, whole))
        first = self._expression()
        self._need("from", "away from")
        return apply("SUB", self._expression(), first)

    def _taken(self) -> Node:
        """`take 5 away from 9`; and `take 9, …`, where steps follow."""
        away = self._eat("away")
        first = self._expression()
        if self._skip("from", "away from"):
            return apply("SUB", self._expression(), first)
        if away:
            raise NoMatch
        return first

    def _multiplied(self) -> Node:
        first = self._expression()
        if self._skip("by", "with"):
            return apply("MUL", first, self._expression())
        items = self._rest_of_list(first)
        if isinstance(items, Apply) and len(items.arguments) == 2:
            return apply("MUL", *items.arguments)
        return apply("PROD", items)

    def _divided(self) -> Node:
        """`divide 48 by 6`, `split 48 into 6 equal parts`; `divide 6 into 48` has two readings."""
        divide = self.words[self.at - 1].text in ("divide", "dividing")
        first = self._expression()
        self._skip("equally", "evenly")
        if self._eat("by"):
            return apply("DIV", first, self._expression())
        into = self._eat("into")
        if not into:
            self._need("among", "between")
        second = self._expression()
        said = self._skip(*table.PARTS)
        if divide and into and not said:
            raise NoMatch
        return apply("DIV", first, second)

    def _number_here(self) -> Node:
        """The number that stands here, as it is."""
        slot = self._slot()
        if slot is None:
            raise NoMatch
        self.at += 1
        return Slot(slot)

    def _rest_of_list(self, first: Node, *links: str) -> Node:
        """The list whose first item has been read."""
        items = [first]
        while True:
            start = self.at
            if not self._skip(", and", ",", "and", *links):
                break
            item = self._try(self._expression)
            if item is None:
                self.at = start
                break
            items.append(item)
        if len(items) < 2:
            raise NoMatch
        return apply("LIST", *items)

    def _changed(self) -> Node:
        """`increase 80 by 25%`, `halve 9`, `square 7`."""
        start = self.at
        token = self._match(_CHANGES)
        if token is not None:
            value = self._tight()
            if self._eat("by"):
                if self._percentage() is not None:
                    return self._by_percent(token, value)
                return apply(token, value, self._tight())
            self.at = start
        if self._eat("raise"):
            return self._expression()
        alone = self._match(_ALONE)
        if alone is None:
            raise NoMatch
        return powered(self._tight(), alone)

    def _range_command(self) -> Node:
        """`sum 1 to 10`, `multiply numbers from 2 to 4`, `count down from 10`."""
        if self._skip("count down from", "count backwards from"):
            first = self._tight()
            last = self._tight() if self._eat("to") else PlanConstant(0)
            return apply("LAST", apply("RANGE", first, last, PlanConstant(1)))
        if self._skip("count from", "count up from", "count up to"):
            counting = self.words[self.at - 1].text == "to"
            first = PlanConstant(1) if counting else self._tight()
            if not counting:
                self._need("up to", "down to", "to")
            members = self._stepped(apply("RANGE", first, self._tight(), PlanConstant(1)))
            return apply("LAST", members)
        token = self._match(_RANGE_COMMANDS)
        if token is None:
            raise NoMatch
        self._skip("up", "together")
        return apply(token, self._range())

    def _next(self, node: Node) -> Node:
        """One more step of a chain."""
        parted = False
        while self._skip(",", ";", "."):
            parted = True
        if self._match(_LINKS):
            parted = True
            self._skip(",")
        elif self._eat("and"):  # `start with 5 and add 3`: an order follows
            parted = parted or self._word().isalpha()
        if not parted:
            raise NoMatch
        return self._step(node)

    def _step(self, node: Node) -> Node:
        if self._match(_FROM_OTHER):
            return apply("SUB", self._tight(), node)
        if self._eat("take"):
            share = self._try(lambda: self._share(node))
            if share is not None:
                return share
            self.at -= 1
        token = self._match(_STEPS)
        if token is not None:
            if self._percentage() is not None and self.words[self.at - 1].text.isalpha():
                return self._by_percent(token, node)
            value = self._expression()
            if self.loose == "list" and token in ("ADD", "SUB"):
                raise self._two_readings(self.at - 1)
            self._match(_STEP_ENDS)
            return apply(token, node, value)
        alone = self._match(_ALONE)
        if alone is not None:
            return powered(node, alone)
        if self._slot() is not None and self._word() in MULTIPLES:
            slot = Slot(self._slot() or 0)
            self.at += 1
            self._skip(*table.PRONOUNS)
            return apply("MUL", node, slot)
        raise NoMatch

    def _share(self, node: Node) -> Node:
        """`take 20% of it`, `take half of that`."""
        slot = self._slot()
        if slot is None:
            raise NoMatch
        number = self.words[self.at].number
        self.at += 1
        self._need(*(f"of {pronoun}" for pronoun in table.PRONOUNS))
        percent = number is not None and number.percent
        return apply("PCT" if percent else "MUL", Slot(slot), node)
