"""Comparisons, properties, and what depends on them."""

from transputer.frontends.words import phrases as table
from transputer.frontends.words.commands import Commands
from transputer.frontends.words.plan import Node, PlanConstant, apply
from transputer.frontends.words.reading import NoMatch
from transputer.frontends.words.tokens import Phrases, phrases

_COMPARISONS = Phrases(table.COMPARISONS)
_OPERATORS = Phrases(table.OPERATORS)
_VERBS = phrases(table.VERBS)
#: What a difference and a comparison may begin with.
_AMOUNTS = ("less", "more", "fewer", "below", "above")


class Conditions(Commands):
    """Reads conditions."""

    def _question(self) -> Node:
        """A yes-or-no question: `is 15 greater than 10`."""
        if not (self.at and self._skip("if", "whether", "that")):
            self._need(
                "is", "are", "was", "does", "do", "can", "check if", "check whether", "whether"
            )
        self._skip("it true that")
        self.asked = True
        return self._condition()

    def _condition(self) -> Node:
        """Comparisons joined by `and` and `or`, read from left to right."""
        node = self._negated()
        joined = ""
        while self.at < len(self.words):
            word = "and" if self._eat("and") else "or" if self._eat("or") else ""
            if not word:
                break
            if joined and joined != word:
                raise NoMatch  # `a and b or c` has two meanings
            joined = word
            self._skip("is")
            node = apply(word.upper(), node, self._negated())
        return node

    def _negated(self) -> Node:
        if self._eat("not"):
            return apply("NOT", self._comparison())
        if self._word() == "(":
            node = self._try(self._bracketed)
            if node is not None:
                return node
        return self._comparison()

    def _bracketed(self) -> Node:
        self._need("(")
        with self._deeper():
            node = self._condition()
        self._need(")")
        if _OPERATORS.match(self.words, self.at) or _COMPARISONS.match(self.words, self.at):
            raise NoMatch
        return node

    def _comparison(self) -> Node:
        if self._word() == "how":
            raise NoMatch  # `how many of 3 and 8 are more than 5` compares nothing
        left = self._expression()
        self.subject = left
        if self._eat("and"):
            right = self._expression()
            self._need("equal", "same", "are equal", "are same", "match")
            return apply("EQ", left, right)
        if self._skip("divide", "divides", "evenly divide"):
            return apply("EQ", apply("MOD", self._expression(), left), PlanConstant(0))
        said = self._skip("is", "are") or self.asked
        negated = self._eat("not")
        self._skip("a", "an")
        if not said and self._word() in _AMOUNTS:
            raise NoMatch  # `5 less than 12` may be seven
        if not said and self.words[0].text == "what" and self._word().isalpha():
            raise NoMatch  # `what is 5 greater than 12` is seventeen
        token = self._match(_COMPARISONS)
        if token is None:
            node = self._property(left)
        else:
            node = apply(token, left, self._expression())
            if _COMPARISONS.match(self.words, self.at):
                raise NoMatch
        return apply("NOT", node) if negated else node

    def _property(self, value: Node) -> Node:
        """`even`, `prime`, `divisible by 3`, `positive`."""
        zero, two = PlanConstant(0), PlanConstant(2)
        if self._skip("divisible by", "evenly divisible by", "multiple of", "be divided evenly by"):
            return apply("EQ", apply("MOD", value, self._expression()), zero)
        if self._skip("factor of", "divisor of"):
            return apply("EQ", apply("MOD", self._expression(), value), zero)
        if self._eat("power of"):
            return apply("IS_POWER", value, self._expression())
        if self._eat("between"):
            low = self._expression()
            self._need("and")
            inside = apply("GE", value, low)
            return apply("AND", inside, apply("LE", value, self._expression()))
        for word, node in (
            ("even", apply("EQ", apply("MOD", value, two), zero)),
            ("odd", apply("EQ", apply("MOD", value, two), PlanConstant(1))),
            ("prime", apply("PRIME", value)),
            ("perfect square", apply("IS_SQUARE", value)),
            ("square", apply("IS_SQUARE", value)),
            ("leap year", apply("LEAP_YEAR", value)),
            ("positive", apply("GT", value, zero)),
            ("negative", apply("LT", value, zero)),
            ("zero", apply("EQ", value, zero)),
        ):
            if self._eat(word):
                self._skip("number")
                return node
        raise NoMatch

    def _conditional(self) -> Node:
        """`if 5 > 3 then 10 otherwise 20`, `10 if 5 > 3 otherwise 20`."""
        self.asked = True
        if self._skip("if", "when", "in case"):
            test = self._condition()
            self._skip(",")
            self._skip("then")
            self._skip(",")
            then = self._choice()
            self._skip(",", ".", ";")
            self._need("otherwise", "else", "if not", "or else", "and otherwise")
            self._skip(",")
            return apply("IF", test, then, self._choice())
        then = self._choice()
        self._skip(",")
        self._need("if", "when")
        test = self._condition()
        self._skip(",", ";", ".")
        self._skip("and", "or")
        if self._skip("otherwise", "else"):
            self._skip(",")
            return apply("IF", test, then, self._choice())
        other = self._choice()
        self._need("otherwise", "if not", "else")
        return apply("IF", test, then, other)

    def _choice(self) -> Node:
        """What a condition chooses: a calculation, a step on its subject, or either with a verb."""
        node = self._try(self._command)
        subject = self.subject
        if node is None and subject is not None:
            node = self._try(lambda: self._step(subject))
        if node is None:
            self._match(_VERBS)
            node = self._command()
        return node
