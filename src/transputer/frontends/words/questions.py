"""Questions of their own form: percentages asked for, differences, the best of a list."""

from transputer.frontends.words import phrases as table
from transputer.frontends.words.conditions import Conditions
from transputer.frontends.words.plan import Apply, Node, PlanConstant, apply
from transputer.frontends.words.reading import NoMatch
from transputer.frontends.words.tokens import Phrases, WordToken, phrases

_LEADS = phrases(table.LEADS)
_VERBS = phrases(table.VERBS)
_AGGREGATES = Phrases(table.AGGREGATES)
_COUNTED = Phrases(table.COUNTED)
_LISTS = phrases(table.LISTS)
_UPWARDS = (
    *("in ascending order", "in increasing order", "from smallest to largest", "in order"),
    *("from lowest to highest", "from least to greatest", "ascending", "from smallest to biggest"),
)
_DOWNWARDS = (
    *("in descending order", "in decreasing order", "from largest to smallest", "descending"),
    *("from biggest to smallest", "from highest to lowest", "from greatest to least"),
)
_BELOW = ("below", "under", "beneath", "short of")


class Questions(Conditions):
    """Reads such questions. `joining` says that the last word was one like `together`."""

    def __init__(self, words: list[WordToken]) -> None:
        super().__init__(words)
        self.joining = False

    def _special(self) -> Node:
        """`what percent of 50 is 10`, `5 more than 3`, `which is larger, 5 or 7`."""
        start = self.at
        for way in (
            *(self._percent_question, self._percent_after, self._more_than, self._how_much_more),
            *(self._which, self._how_many_of, self._chosen, self._joined, self._dotted),
            *(self._left_over, self._spread, self._taken_times, self._how_many_have),
        ):
            self.at = start
            node = self._try(way)
            if node is not None and self.at == len(self.words):
                return node
        raise NoMatch

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
            if self._eat("out of"):
                whole = self._expression()
                self._need("as", "in")
                self._skip("a")
                self._need(*percent)
                return _percentage(part, whole)
            self._need("is what", "as")
            self._skip("a")
            self._need(*percent)
            self._need("of")
            whole = self._expression()
        return _percentage(part, whole)

    def _percent_after(self) -> Node:
        """`80 after a 25% discount`."""
        value = self._expression()
        self._need("after a", "after an", "after", "with a", "with an")
        if self._percentage() is None:
            raise NoMatch
        share = apply("PCT", self._number_here(), value)
        if self._skip("increase", "raise", "rise", "gain", "markup", "tax", "tip"):
            return apply("ADD", value, share)
        self._need("discount", "decrease", "reduction", "drop", "cut", "loss")
        return apply("SUB", value, share)

    def _more_than(self) -> Node:
        """`5 more than 3` after `what is`; without it, it may be a comparison."""
        if self.at == 0:
            raise NoMatch
        first = self._tight()
        less = self._skip("less than", "fewer than", "lower than", "smaller than", *_BELOW)
        if not less:
            more = ("more than", "greater than", "larger than", "bigger than", "higher than")
            self._need(*more, "above", "beyond")
        second = self._tight()
        return apply("SUB", second, first) if less else apply("ADD", second, first)

    def _which(self) -> Node:
        if self._eat("which of"):
            members = self._list()
            self._need("is", "are")
            return apply(self._extreme(), members)
        self._need("which is", "which number is", "which one is")
        token = self._extreme()
        self._skip(",", ":", "of", "out of", "among")
        return apply(token, self._list())

    def _extreme(self) -> str:
        token = self._match(_AGGREGATES)
        if token not in ("MAX", "MIN"):
            raise NoMatch
        return token

    def _chosen(self) -> Node:
        """`out of 4, 9 and 2, pick the largest`."""
        self._need("out of", "of", "among", "from", "given", "for")
        self._skip("numbers", "list", "values")
        members = self._list()
        self._skip(",", ":")
        self._match(_LEADS) or self._match(_VERBS)
        token = self._match(_AGGREGATES)
        if token is None:
            raise NoMatch
        self._skip("one", "number", "value")
        return apply(token, members)

    def _how_much_more(self) -> Node:
        """`how much more is 9 than 4`, `by how much does 9 exceed 4`."""
        if self._skip("by how much does", "how much does"):
            first = self._expression()
            self._need("exceed")
            return apply("SUB", first, self._expression())
        if self._eat("by how much is"):
            first = self._expression()
            more = self._more()
        else:
            self._need("how much")
            more = self._more()
            self._skip("is")
            first = self._expression()
        self._need("than")
        second = self._expression()
        return apply("SUB", first, second) if more else apply("SUB", second, first)

    def _more(self) -> bool:
        more = self._skip("more", "larger", "bigger", "greater", "higher")
        if not more:
            self._need("less", "smaller", "lower", "fewer")
        return more

    def _left_over(self) -> Node:
        """`what is left when 5 is taken from 9`: 4; when 9 is divided by 5: 4 as well."""
        self._need("how much", "what")
        self._need("remains", "is left", "is left over", "is over")
        self._need("when", "if", "after")
        first = self._tight()
        self._skip("is")
        if self._eat("divided by"):
            return apply("MOD", first, self._tight())
        self._need("taken", "removed", "subtracted", "taken away", "deducted")
        self._need("from", "away from")
        return apply("SUB", self._tight(), first)

    def _spread(self) -> Node:
        """`range of 4, 9 and 2`, `difference between the largest and the smallest of …`."""
        high = ("largest", "biggest", "greatest", "highest", "maximum")
        low = ("smallest", "lowest", "least", "minimum")
        if not self._eat("range of"):
            self._need("difference between", "difference of")
            self._need(*high)
            self._skip("number", "value")
            self._need("and")
            self._need(*low)
            self._skip("number", "value")
            self._need("of", "in", "among")
        self._skip("list", "numbers")
        members = self._list()
        return apply("SUB", apply("MAX", members), apply("MIN", members))

    def _taken_times(self) -> Node:
        """`45 taken 8 times`."""
        first = self._tight()
        self._need("taken")
        second = self._tight()
        self._need("times")
        return apply("MUL", first, second)

    def _joined(self) -> Node:
        """`3 and 4 together`, whose last word has been taken off."""
        if not self.joining:
            raise NoMatch
        members = self._list()
        assert isinstance(members, Apply)
        pair = members.token == "LIST" and len(members.arguments) == 2
        return apply("ADD", *members.arguments) if pair else apply("SUM", members)

    def _dotted(self) -> Node:
        """`1 + 2 + ... + 100`."""
        first = self._tight()
        sign = self._word()
        if sign not in ("+", "*", "×"):
            raise NoMatch
        self._need(sign)
        second = self._tight()
        self._need(f"{sign} ... {sign}", f"{sign} .. {sign}")
        step = apply("SUB", second, first)
        members = apply("RANGE", first, self._tight(), step)
        return apply("SUM" if sign == "+" else "PROD", members)

    def _how_many_have(self) -> Node:
        """`how many digits does 2^100 have`."""
        self._need("how many")
        token = self._match(_COUNTED)
        if token is None:
            raise NoMatch
        self._need("does", "do")
        value = self._powers()
        self._need("have")
        return apply("COUNT", apply(token, value))

    def _listing(self) -> Node:
        """`sort 9, 2 and 4 in descending order`, `list the primes below 20`, `reverse 1, 4, 6`."""
        if self._skip("sort", "order", "arrange", "put"):
            return self._sorted(needs_order=self._word(-1) == "put")
        if self._skip("write", "write down", "say"):
            members = self._members()
            self._need("backwards", "in reverse", "in reverse order")
            return apply("BACKWARDS", members)
        if self._eat("reverse digits of"):
            return apply("FROM_DIGITS", apply("BACKWARDS", apply("DIGITS", self._powers())))
        if self._eat("reverse"):
            return apply("BACKWARDS", self._members())
        if self._word() == "odds" and self._word(1) == "of":
            raise NoMatch  # the odds may be chances
        said = self._skip("list", "name", "show", "enumerate", "write down")
        if not said and self._skip("which of", "which numbers in", "which numbers of"):
            self._skip("numbers")
        members = self._some_members()
        token = members.token if isinstance(members, Apply) else ""
        if token == "LIST" or token == "RANGE" and not said:
            raise NoMatch  # nothing says what is asked of them
        return members

    def _sorted(self, needs_order: bool) -> Node:
        """`9, 2 and 4 in descending order`, `from smallest to largest: 9, 2, 4`."""
        start = self.at
        self._match(_LISTS)
        said = self._direction()
        if not said:
            self.at = start
        members = apply("ORDERED", self._members())
        said = said or self._direction()
        if needs_order and not said:
            raise NoMatch
        return apply("BACKWARDS", members) if said == "down" else members

    def _direction(self) -> str:
        if self._skip(*_DOWNWARDS):
            return "down"
        return "up" if self._skip(*_UPWARDS) else ""

    def _how_many_of(self) -> Node:
        """`how many of 3, 8 and 9 are even`."""
        self._need("how many of")
        self._skip("numbers", "these numbers :", "these :")
        members = self._list()
        if isinstance(members, Apply) and members.token == "LIST":
            raise NoMatch
        return apply("COUNT", members)


def _percentage(part: Node, whole: Node) -> Node:
    return apply("MUL", apply("DIV", part, whole), PlanConstant(100))
