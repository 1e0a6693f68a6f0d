"""The rules: explicit calculations in words and symbols, read completely or not at all.

They work without a model and guess nothing: they refuse a text with a word that they do not
understand, or with two readings.
"""

from collections.abc import Sequence

from transputer.frontends.words import pairs, patterns
from transputer.frontends.words import phrases as table
from transputer.frontends.words.numbers import Number, find
from transputer.frontends.words.operations import PlanType
from transputer.frontends.words.plan import Name, Node, Plan, Slot, apply, type_of
from transputer.frontends.words.planner import Abstained, Proposal, TwoReadings
from transputer.frontends.words.questions import Questions
from transputer.frontends.words.reading import NoMatch, TooInvolved
from transputer.frontends.words.tokens import WordToken, phrases, tokens

_LEADS = phrases(table.LEADS)
_ENDS = {tuple(phrase.split()) for phrase in table.ENDS}
_LONGEST = max(map(len, _ENDS))
_GIVEN = phrases(table.GIVEN)
_BECOMES = ("=", "is", "be", "equals", "to")
#: Words before `is` and `=` that are no names.
_TAKEN = frozenset("what which is it that this result answer an he she they there".split())


class Rules:
    """The planner of the rules. Its confidence is always 1."""

    name = "rules"
    threshold = 1.0

    def propose(self, text: str, numbers: Sequence[Number]) -> Sequence[Proposal]:
        """The one plan of a text that the rules read completely; else `Abstained`.

        The rules also read ordinals and times of day. `TwoReadings` where two plans would do.
        """
        own = find(text, ordinals=True)
        reader = _Reader(tokens(text, own))
        try:
            return [Proposal(reader.plan(), 1.0, own)]
        except NoMatch:
            fit = patterns.match(text, own)
            if fit is None and reader.unclear:
                raise TwoReadings(
                    f"there are two readings: what does {reader.unclear!r} apply to?"
                ) from None
            if fit is None:
                raise Abstained(reader.reason()) from None
            plan, form = fit
            return [Proposal(plan, 1.0, own, form)]
        except TooInvolved:
            raise Abstained("the rules do not come to an end with this") from None


class _Reader(Questions):
    """Reads one whole text."""

    def __init__(self, words: list[WordToken]) -> None:
        super().__init__(words)
        self.lets: list[Node] = []
        self.as_number = self.said_is = False

    def plan(self) -> Plan:
        """The plan of the whole text."""
        self._strip_end()
        self._strip_phrases()
        brackets = [token.text for token in self.words if token.slot is None]
        if brackets.count("(") != brackets.count(")"):
            raise NoMatch
        self._assignments()
        node = self._whole()
        if self.as_number and type_of(node) is PlanType.BOOLEAN:
            node = apply("NUMBER", node)
        return Plan(node, tuple(self.lets))

    def _whole(self) -> Node:
        """The calculation, as it stands or behind words that only ask for it."""
        start = self.at
        for way in (self._left_over, self._worded):
            self.at = start
            node = self._try(way)
            if node is not None and self.at == len(self.words):
                return node
        self.at = start
        self._leads()
        return self._first_of(
            *(self._conditional, self._question, self._special, self._worded, self._chain),
            *(self._bare, self._listing),
        )

    def _worded(self) -> Node:
        """`what must I add to 5 to get 9`: two plain numbers and a row's words, to the end."""
        rest = self.words[self.at :]
        slots = [token.slot for token in rest if token.slot is not None]
        if len(slots) != 2 or any(token.number and token.number.percent for token in rest):
            raise NoMatch
        names = iter("XY")
        words = (token.text if token.slot is None else next(names) for token in rest)
        row = pairs.reading(tuple(words))
        if row is None:
            raise NoMatch
        self.at = len(self.words)
        operation, *operands = row
        return apply(operation, *(Slot(slots["XY".index(name)]) for name in operands))

    def _bare(self) -> Node:
        """A comparison without a question: `15 > 10`."""
        self.asked = self.said_is
        return self._condition()

    def _strip_end(self) -> None:
        """Strip `=`, `is` and punctuation from the end. A comparison before `=` is a number."""
        while self.words and self.words[-1].slot is None:
            word = self.words[-1].text
            if word == "!" and len(self.words) > 1 and self.words[-2].slot is not None:
                return
            if word not in ("?", ".", "!", "=", "is", "equals", ";", ","):
                return
            self.as_number = self.as_number or word == "="
            self.said_is = self.said_is or word == "is"
            self.words.pop()

    def _strip_phrases(self) -> None:
        """Strip phrases from the end that only ask for what went before."""
        while True:
            words = [token.text if token.slot is None else "" for token in self.words]
            asks = words[:2] in (["what", "does"], ["what", "do"])
            if asks and words[-1] == "equal":
                self.words.pop()
                continue
            length = next((n for n in range(_LONGEST, 0, -1) if tuple(words[-n:]) in _ENDS), 0)
            if not length or length >= len(words):
                return
            self.joining = self.joining or " ".join(words[-length:]) in table.JOINING
            del self.words[-length:]
            self._strip_end()

    def _assignments(self) -> None:
        """`let a = 3; b = a + 1;` before the calculation, or `if a is 3 and b is 4` around it."""
        self._given_last()
        self._taken_first()
        while True:
            start = self.at
            self._match(_GIVEN)
            if not self._names_something(self.at) or self._word() in self.names:
                self.at = start
                return
            name = self._word()
            self.at += 2
            value = self._expression()
            if not self._skip(";", ",", ".") and self._word() != "and":
                raise NoMatch
            self._skip("and", "then")
            self.names[name] = Name(len(self.lets))
            self.lets.append(value)
            self.known.clear()

    def _taken_first(self) -> None:
        """`Take 8. If it is odd, …`: the number is `it`."""
        start = self.at
        if self._skip("take", "start with", "consider"):
            value = self._try(self._tight)
            if value is not None and self._skip(".", ";", ",") and self._word() == "if":
                self.names["it"] = Name(len(self.lets))
                self.lets.append(value)
                self.known.clear()
                return
        self.at = start

    def _names_something(self, place: int) -> bool:
        """Whether a name stands there that gets a value."""
        if place + 1 >= len(self.words) or self.words[place].slot is not None:
            return False
        name, word = self.words[place].text, self.words[place + 1].text
        return name.isalpha() and len(name) <= 12 and name not in _TAKEN and word in _BECOMES

    def _given_last(self) -> None:
        """`x * 2 where x is 5` is read as `where x is 5, x * 2`."""
        for place in range(1, len(self.words) - 2):
            given = self.words[place].text in ("where", "if", "when", "given", "for")
            value = self.words[place + 3 : place + 4]
            valued = bool(value) and (value[0].slot is not None or not value[0].text.isalpha())
            if given and valued and self._names_something(place + 1):
                first, last = self.words[:place], self.words[place:]
                while first and first[-1].text in (",", ";", "."):
                    first.pop()
                self.words = [*last, WordToken(","), *first]
                return

    def _leads(self) -> None:
        while match := _LEADS.match(self.words, self.at):
            self.at = match[1]
            self._skip(":", ",")
