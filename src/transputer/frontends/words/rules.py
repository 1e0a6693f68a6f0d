"""The rules: explicit calculations in words and symbols, read completely or not at all.

This is what works without any model. Nothing is guessed: a text of which one word is not
understood, or that can be read in two ways, is refused.
"""

from collections.abc import Sequence

from transputer.frontends.words import phrases as table
from transputer.frontends.words.conditions import Conditions
from transputer.frontends.words.numbers import Number
from transputer.frontends.words.operations import Type
from transputer.frontends.words.plan import Constant, Name, Node, Plan, apply, type_of
from transputer.frontends.words.planner import Abstained, Proposal
from transputer.frontends.words.reading import No, TooInvolved
from transputer.frontends.words.stories import story
from transputer.frontends.words.tokens import Phrases, Token, phrases, tokens

_LEADS = phrases(table.LEADS)
_AGGREGATES = Phrases(table.AGGREGATES)


class Rules:
    """The planner that knows rules alone. It is sure of what it reads."""

    name = "rules"
    threshold = 1.0

    def propose(self, text: str, numbers: Sequence[Number]) -> Sequence[Proposal]:
        """The one plan of a text that the rules read completely; else `Abstained`."""
        reader = _Reader(tokens(text, numbers))
        try:
            return [Proposal(reader.plan(), 1.0)]
        except No:
            told = story(text, numbers)
            if told is None:
                raise Abstained(reader.reason()) from None
            return [Proposal(told, 1.0)]
        except TooInvolved:
            raise Abstained("the rules do not come to an end with this") from None


class _Reader(Conditions):
    """Reads one whole text."""

    def __init__(self, words: list[Token]) -> None:
        super().__init__(words)
        self.lets: list[Node] = []
        self.as_number = self.said_is = False

    def plan(self) -> Plan:
        """The plan of the whole text."""
        self._strip_end()
        brackets = [token.text for token in self.words if token.slot is None]
        if brackets.count("(") != brackets.count(")"):
            raise No
        self._assignments()
        self._leads()
        node = self._first_of(
            self._conditional, self._question, self._special, self._chain, self._bare
        )
        if self.as_number and type_of(node) is Type.BOOLEAN:
            node = apply("NUMBER", node)
        return Plan(node, tuple(self.lets))

    def _bare(self) -> Node:
        """A comparison without a question: `15 > 10`."""
        self.asked = self.said_is
        return self._condition()

    def _strip_end(self) -> None:
        """Takes `=`, `is` and punctuation off the end. A comparison before `=` is a number."""
        while self.words and self.words[-1].slot is None:
            word = self.words[-1].text
            if word == "!" and len(self.words) > 1 and self.words[-2].slot is not None:
                return
            if word not in ("?", ".", "!", "=", "is", "equals", ";", ","):
                return
            self.as_number = self.as_number or word == "="
            self.said_is = self.said_is or word == "is"
            self.words.pop()

    def _assignments(self) -> None:
        """`let a = 3; b = a + 1;` before the calculation."""
        while True:
            start = self.at
            self._skip("let", "set")
            name = self._word()
            assigned = name.isalpha() and self._word(1) in ("=", "be", "to")
            if not assigned or self._slot() is not None or name == "is":
                self.at = start
                return
            self.at += 2
            value = self._expression()
            if not self._skip(";", ",", "."):
                raise No
            self._skip("and", "then")
            self.names[name] = Name(len(self.lets))
            self.lets.append(value)

    def _leads(self) -> None:
        while found := _LEADS.match(self.words, self.at):
            self.at = found[1]
            self._skip(":", ",")

    def _special(self) -> Node:
        """`what percent of 50 is 10`, `5 more than 3`, `which is larger, 5 or 7`."""
        for way in (self._percent_question, self._more_than, self._which, self._how_many_of):
            node = self._try(way)
            if node is not None and self.at == len(self.words):
                return node
        raise No

    def _percent_question(self) -> Node:
        percent = ("percent", "percentage", "per cent")
        if self._eat("what"):
            self._need(*percent)
            self._need("of")
            whole = self._expression()
            self._need("is")
            part = self._expression()
        else:
            part = self._expression()
            self._need("is what", "as")
            self._skip("a")
            self._need(*percent)
            self._need("of")
            whole = self._expression()
        return apply("MUL", apply("DIV", part, whole), Constant(100))

    def _more_than(self) -> Node:
        """`5 more than 3` after `what is`; without it, it may be a comparison."""
        if self.at == 0:
            raise No
        first = self._tight()
        less = self._eat("less than")
        if not less:
            self._need("more than")
        second = self._tight()
        return apply("SUB", second, first) if less else apply("ADD", second, first)

    def _which(self) -> Node:
        self._need("which is", "which number is", "which one is")
        token = self._match(_AGGREGATES)
        if token not in ("MAX", "MIN"):
            raise No
        self._skip(",", ":", "of")
        return apply(token, self._list())

    def _how_many_of(self) -> Node:
        """`how many of 3, 8 and 9 are even`."""
        self._need("how many of")
        return apply("COUNT", self._list())
