"""Expressions: infix with precedence, functions in words, shares."""

from transputer.frontends.words import phrases as table
from transputer.frontends.words.numbers import MULTIPLES
from transputer.frontends.words.plan import Node, PlanConstant, Slot, apply
from transputer.frontends.words.reading import NoMatch, TextReading, TooInvolved
from transputer.frontends.words.tokens import Phrases

#: Functions in words that may be looked for in one text.
PATIENCE = 3000

_OPERATORS = Phrases(table.OPERATORS)
_POSTFIX = Phrases(table.POSTFIX)
_FUNCTIONS = Phrases(table.FUNCTIONS)
_PAIRS = Phrases(table.PAIRS)
_SHARES = ("of ", "off ", "more than", "less than", "discount on")
_PERCENT_STEPS = {"ADD", "SUB"}


class Calculation(TextReading):
    """Reads expressions."""

    def _expression(self) -> Node:
        """An expression; what was read at a place before is not read again."""
        start = self.at
        if start not in self.known:
            node = self._try(self._infix)
            self.known[start] = (node, self.at, self.loose)
        node, self.at, self.loose = self.known[start]
        if node is None:
            raise NoMatch
        return node

    def _infix(self) -> Node:
        """Infix with precedence and brackets, by two stacks; brackets nest without limit."""
        values: list[Node] = []
        waiting: list[tuple[str, int]] = []
        while True:
            if self._eat("("):
                waiting.append(("(", 0))
                continue
            if self._skip("-", "−", "minus"):
                waiting.append(("NEG", table.NEGATION))
                continue
            values.append(self._operand())
            while self._closing(values, waiting):
                pass
            operator = self._operator(values, waiting)
            if operator is None:
                break
            self._reduce(values, waiting, operator)
            waiting.append(operator)
        if any(token == "(" for token, _ in waiting):
            raise NoMatch
        self._reduce(values, waiting, ("", 0))
        return values[0]

    def _closing(self, values: list[Node], waiting: list[tuple[str, int]]) -> bool:
        """What may stand behind an operand without another one: a bracket, `!`, `squared`."""
        if any(token == "(" for token, _ in waiting) and self._eat(")"):
            self._reduce(values, waiting, (")", 0))
            waiting.pop()
            self.loose = ""
            return True
        if self._ordinal_power(values):
            return True
        token = self._match(_POSTFIX)
        if token is None:
            return False
        if self.loose:
            raise self._two_readings(self.at - 1)  # is it the square of 3 that is meant?
        values.append(powered(values.pop(), token))
        return True

    def _operator(
        self, values: list[Node], waiting: list[tuple[str, int]]
    ) -> tuple[str, int] | None:
        start = self.at
        operator = self._match(_OPERATORS)
        if operator is None:
            return None
        word = self.words[start].text
        if word == "less" and self._word() == "than":
            self.at = start
            return None
        if word in self.names:
            raise NoMatch
        if self.loose == "list" or (self.loose and word.isalpha()):
            raise self._two_readings(start)  # `the sum of 3 and 5 times 2`
        if operator[0] == "RSUB" and (len(values) > 1 or waiting):
            raise NoMatch
        if self._percentage() is not None and len(values) == 1 and not waiting:
            values[0] = self._by_percent(operator[0], values[0])
            return self._operator(values, waiting)
        if operator[0] == "POW" and self._signed(start - 1):
            raise self._two_readings(start)  # is -2 ^ 2 four, or minus four?
        return operator

    def _ordinal_power(self, values: list[Node]) -> bool:
        """`2 to the 64th power`, `10 to the 6th`."""
        start = self.at
        if self._skip("raised to", "to") and (slot := self._slot()) is not None:
            number = self.words[self.at].number
            if number is not None and number.ordinal and not self.loose:
                self.at += 1
                self._skip("power")
                values.append(apply("POW", values.pop(), Slot(slot)))
                return True
        self.at = start
        return False

    def _two_readings(self, place: int) -> NoMatch:
        """What to raise where the word at this place can be read in two ways."""
        self.unclear = self.unclear or self.words[place].text
        return NoMatch()

    def _signed(self, place: int) -> bool:
        return self.words[place].slot is not None and self.words[place].text[0] in "-−"

    def _percentage(self) -> Slot | None:
        """A percentage that stands here and is not `of` anything."""
        if self.at >= len(self.words):
            return None
        number = self.words[self.at].number
        behind = f"{self._word(1)} {self._word(2)}"
        if number is None or not number.percent or behind.startswith(_SHARES):
            return None
        return Slot(self.words[self.at].slot or 0)

    def _by_percent(self, token: str, value: Node) -> Node:
        share = self._percentage()
        spoken = self.words[self.at - 1].text.isalpha()
        if share is None or token not in _PERCENT_STEPS or not spoken:
            raise NoMatch
        self.at += 1
        return apply(token, value, apply("PCT", share, value))

    @staticmethod
    def _reduce(
        values: list[Node], waiting: list[tuple[str, int]], coming: tuple[str, int]
    ) -> None:
        """Applies what binds tighter than what is coming."""
        while waiting and waiting[-1][0] != "(":
            token, level = waiting[-1]
            if level < coming[1] or level == coming[1] and token in table.RIGHT:
                return
            waiting.pop()
            right = values.pop()
            if token == "NEG":
                values.append(apply("NEG", right))
            elif token == "RSUB":
                values.append(apply("SUB", right, values.pop()))
            else:
                values.append(apply(token, values.pop(), right))

    # -- operands

    def _operand(self) -> Node:
        """A number, a name, a share of an operand, or a function in words."""
        self.loose = ""
        if self._slot() is not None:
            return self._number()
        word = self._word()
        if word in self.names:
            self.at += 1
            return self.names[word]
        self.work += 1
        if self.work > PATIENCE:
            raise TooInvolved
        with self._deeper():
            for way in (
                *(self._pair, self._second, self._aggregate, self._function),
                self._remainder,
            ):
                node = self._try(way)
                if node is not None:
                    return node
        raise NoMatch

    def _number(self) -> Node:
        token = self.words[self.at]
        if token.number is None or token.slot is None:
            raise NoMatch
        self.at += 1
        self.furthest = max(self.furthest, self.at)
        slot = Slot(token.slot)
        if token.number.time:
            raise NoMatch
        if token.number.ordinal:
            return self._place(slot)
        if token.number.percent:
            return self._percent_of(slot)
        halved = token.text == "half" and self._slot() is not None
        part = token.number.value.denominator != 1 and self._word() == "of"
        if token.text in MULTIPLES or halved or part:
            self._skip("of")
            with self._deeper():
                node = apply("MUL", slot, self._tight())
            self.loose = "word"
            return node
        return slot

    def _place(self, slot: Node) -> Node:
        """What an ordinal counts: `10th prime`, `4th root of`, `3rd largest of`."""
        for words, token in table.SERIES:
            if self._skip(*words):
                self._skip("number", "term")
                return apply(token, slot) if token != "TRIANGULAR" else triangular(slot)
        if self._eat("root of"):
            return apply("ROOT", self._tight(), slot)
        return self._ranked(slot)

    def _second(self) -> Node:
        """`second largest of 4, 9 and 2`."""
        self._need("second")
        return self._ranked(PlanConstant(2))

    def _ranked(self, place: Node) -> Node:
        """For those who read lists."""
        raise NoMatch

    def _percent_of(self, slot: Slot) -> Node:
        off = self._skip("off", "less than", "discount on")
        more = not off and self._eat("more than")
        if not off and not more:
            self._need("of")
        with self._deeper():
            whole = self._tight()
        self.loose = "word"
        share = apply("PCT", slot, whole)
        if off or more:
            return apply("SUB" if off else "ADD", whole, share)
        return share

    def _powers(self) -> Node:
        """One operand with its powers: `2^100`, `10!`, `3 to the power of 40`."""
        values = [self._tight()]
        while True:
            if self._closing(values, []):
                continue
            operator = _OPERATORS.match(self.words, self.at)
            if operator is None or operator[0][0] != "POW":
                return values[0]
            self.at = operator[1]
            values = [apply("POW", values[0], self._tight())]

    def _tight(self) -> Node:
        """One operand: a number, a name, something in brackets, or a function."""
        if self._eat("("):
            node = self._expression()
            self._need(")")
            self.loose = ""
            return node
        if self._skip("-", "−"):
            return apply("NEG", self._tight())
        return self._operand()

    def _function(self) -> Node:
        """`square root of 16`, `factorial 5`."""
        token = self._match(_FUNCTIONS)
        if token is None:
            raise NoMatch
        self._skip("of", "with index", "number")
        node = powered(self._tight(), token)
        self.loose = "word"
        return node

    def _pair(self) -> Node:
        """`gcd of 48 and 36`, `difference between 69 and 49`, `gcd(48, 36)`."""
        token = self._match(_PAIRS)
        if token is None:
            raise NoMatch
        between = self._eat("between")
        if not between:
            self._skip("of")
        bracket = self._eat("(")
        first = self._tight()
        self._need(",", "and")
        second = self._tight()
        if bracket:
            self._need(")")
        self.loose = "" if bracket else "list"
        node = apply(token, first, second)
        return apply("ABS", node) if between and token == "SUB" else node

    def _remainder(self) -> Node:
        """`remainder when 17 is divided by 5`, `remainder of 17 divided by 5`."""
        self._need("remainder when", "remainder of", "remainder if")
        first = self._tight()
        self._skip("is")
        self._need("divided by", "/", "÷")
        node = apply("MOD", first, self._tight())
        self.loose = "list"
        return node

    def _aggregate(self) -> Node:
        """Functions of lists, for those who read lists."""
        raise NoMatch


def powered(node: Node, token: str) -> Node:
    """A function by its token; digits are exponents, and HALF needs no number of the text."""
    if token == "HALF":
        return apply("DIV", node, PlanConstant(2))
    if token == "TRIANGULAR":
        return triangular(node)
    if token == "CBRT":
        return apply("ROOT", node, PlanConstant(3))
    if token == "RECIPROCAL":
        return apply("DIV", PlanConstant(1), node)
    return apply("POW", node, PlanConstant(int(token))) if token.isdecimal() else apply(token, node)


def triangular(count: Node) -> Node:
    """1 + 2 + … up to a number."""
    return apply("DIV", apply("MUL", count, apply("ADD", count, PlanConstant(1))), PlanConstant(2))
