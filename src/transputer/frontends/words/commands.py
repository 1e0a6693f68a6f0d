"""Orders and chains: `subtract 49 from 69`, `…, then multiply by 5`."""

from transputer.frontends.words import phrases as table
from transputer.frontends.words.calculation import powered
from transputer.frontends.words.members import Members
from transputer.frontends.words.numbers import MULTIPLES
from transputer.frontends.words.plan import Apply, Constant, Node, Slot, apply
from transputer.frontends.words.reading import No
from transputer.frontends.words.tokens import Phrases

_RANGE_COMMANDS = Phrases(table.RANGE_COMMANDS)
_STEPS = Phrases(table.STEPS)
_ALONE = Phrases(table.ALONE)


class Commands(Members):
    """Reads orders and chains of them."""

    def _chain(self) -> Node:
        """A calculation and steps on its result: `16 - 3, then multiply by 5, then …`"""
        node = self._command()
        while self.at < len(self.words):
            node = self._next(node)
        return node

    def _command(self) -> Node:
        """A calculation, or an order for one: `subtract 49 from 69`."""
        if self._skip("start with", "start from", "begin with"):
            return self._expression()
        for way in (self._ordered, self._range_command):
            node = self._try(way)
            if node is not None:
                return node
        return self._expression()

    def _ordered(self) -> Node:
        """`add 11 and 94`, `subtract 49 from 69`, `multiply 7 by 8`, `double 4`."""
        if self._eat("add"):
            return self._added()
        if self._eat("subtract"):
            first = self._expression()
            self._need("from")
            return apply("SUB", self._expression(), first)
        if self._eat("multiply"):
            first = self._expression()
            if not self._eat("by") and not self._eat("with"):
                return apply("PROD", self._rest_of_list(first))
            return apply("MUL", first, self._expression())
        if self._eat("divide"):
            first = self._expression()
            self._need("by")
            return apply("DIV", first, self._expression())
        return self._changed()

    def _added(self) -> Node:
        first = self._expression()
        if self._eat("to"):
            second = self._expression()
            return apply("ADD", second, first)
        items = self._rest_of_list(first)
        if isinstance(items, Apply) and len(items.arguments) == 2:
            return apply("ADD", *items.arguments)
        return apply("SUM", items)

    def _rest_of_list(self, first: Node) -> Node:
        """The list whose first item has been read."""
        items = [first]
        while True:
            start = self.at
            if not self._skip(", and", ",", "and"):
                break
            item = self._try(self._expression)
            if item is None:
                self.at = start
                break
            items.append(item)
        if len(items) < 2:
            raise No
        return apply("LIST", *items)

    def _changed(self) -> Node:
        """`increase 80 by 25%`, `halve 9`, `square 7`."""
        for word, token in (("increase", "ADD"), ("decrease", "SUB"), ("reduce", "SUB")):
            if self._eat(word):
                value = self._tight()
                self._need("by")
                if self._percentage() is not None:
                    return self._by_percent(token, value)
                return apply(token, value, self._tight())
        alone = self._match(_ALONE)
        if alone is None:
            raise No
        return powered(self._tight(), alone)

    def _range_command(self) -> Node:
        """`sum 1 to 10`, `multiply numbers from 2 to 4`, `count down from 10`."""
        if self._skip("count down from", "count backwards from"):
            first = self._tight()
            last = self._tight() if self._eat("to") else Constant(0)
            return apply("LAST", apply("RANGE", first, last, Constant(1)))
        if self._skip("count from", "count up from", "count up to"):
            counting = self.words[self.at - 1].text == "to"
            first = Constant(1) if counting else self._tight()
            if not counting:
                self._need("up to", "down to", "to")
            members = self._stepped(apply("RANGE", first, self._tight(), Constant(1)))
            return apply("LAST", members)
        token = self._match(_RANGE_COMMANDS)
        if token is None:
            raise No
        self._skip("up", "together")
        return apply(token, self._range())

    def _next(self, node: Node) -> Node:
        """One more step of a chain."""
        parted = False
        while self._skip(",", ";", "."):
            parted = True
        for words in ("and then", "then", "next", "after that", "finally", "and finally", "and"):
            if self._eat(words):
                parted = parted or words != "and"
                self._skip(",")
                break
        if not parted:
            raise No
        return self._step(node)

    def _step(self, node: Node) -> Node:
        if self._skip("subtract it from", "subtract that from"):
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
                raise No
            self._skip("to it", "to that", "from it", "to result", "from result")
            return apply(token, node, value)
        alone = self._match(_ALONE)
        if alone is not None:
            return powered(node, alone)
        if self._slot() is not None and self._word() in MULTIPLES:
            slot = Slot(self._slot() or 0)
            self.at += 1
            self._skip("it", "that", "result")
            return apply("MUL", node, slot)
        raise No

    def _share(self, node: Node) -> Node:
        """`take 20% of it`, `take half of that`."""
        slot = self._slot()
        if slot is None:
            raise No
        number = self.words[self.at].number
        self.at += 1
        self._need("of it", "of that", "of result")
        percent = number is not None and number.percent
        return apply("PCT" if percent else "MUL", Slot(slot), node)
