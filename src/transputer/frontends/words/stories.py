"""The plainest stories of two numbers, as patterns that must fit a whole text.

Only what can be read in one way: the same thing is counted throughout, one verb says whether
there are more or fewer, and a question, where there is one, asks for what is left. All other
stories are for a model.
"""

import re
from collections.abc import Sequence

from transputer.frontends.words.numbers import Number, slotted
from transputer.frontends.words.plan import Plan, Slot, apply

_FEWER = (
    "gives? away|gave away|loses?|lost|eats?|ate|sells?|sold|spends?|spent|uses?|used|"
    "throws? away|threw away|breaks?|broke|drops?|dropped|donates?|donated"
)
_MORE = (
    "finds?|found|buys?|bought|gets?|got|receives?|received|wins?|won|picks?|picked|"
    "collects?|collected|gains?|gained|earns?|earned"
)
_OUT = "leak out|leaked out|leak|leaked|spill|spilled|fall off|fell off|evaporate|evaporated"
_WHO = r"(?P<who>[a-z]+)"
_WHAT = r"(?P<what>[a-z]+(?: [a-z]+)?)"
_LEFT = (
    r"(?: how (?:many|much)(?: (?P=what))? (?:remains?|(?:is|are) left|"
    r"do(?:es)? (?:she|he|it|they|(?P=who)) have(?: left| now)?)\??)?"
)
_THEN = r"(?:she|he|they|(?P=who)) (?:then )?"
_SAME = r"(?: (?:more )?(?P=what)| more)?(?: of them)?"

#: A pattern of the whole text with its numbers as slots, and what to do with the two.
STORIES = tuple(
    (re.compile(pattern), token)
    for pattern, token in (
        (rf"{_WHO} ha[sd] n0 {_WHAT}\. {_THEN}(?:{_FEWER}) n1{_SAME}\.?{_LEFT}", "SUB"),
        (rf"{_WHO} ha[sd] n0 {_WHAT}\. {_THEN}(?:{_MORE}) n1{_SAME}\.?{_LEFT}", "ADD"),
        (
            rf"(?:an? )?{_WHO} (?:has|had|holds|contains) n0 {_WHAT}\. "
            rf"n1(?: (?P=what))? (?:{_OUT})\.?{_LEFT}",
            "SUB",
        ),
        (
            rf"each (?P<box>[a-z]+) (?:holds|has|contains) n0 {_WHAT}\. "
            r"how many(?: (?P=what))?(?: are)?(?: there)? in n1 (?P=box)(?:e?s)\??",
            "MUL",
        ),
        (
            rf"{_WHAT} costs? n0 [a-z]+ each\. (?:what is |what do )?(?:the )?cost (?:for|of) n1"
            r"(?: (?P=what))?\??",
            "MUL",
        ),
        (rf"{_WHAT} costs? n0 [a-z]+ each\. how much (?:for|do|are) n1(?: (?P=what))?\??", "MUL"),
    )
)


def story(text: str, numbers: Sequence[Number]) -> Plan | None:
    """The plan of a text that is one of the stories, else None."""
    if len(numbers) != 2 or len(text) > 1000:
        return None
    plain = " ".join(slotted(text, numbers).lower().split())
    for pattern, token in STORIES:
        if pattern.fullmatch(plain):
            return Plan(apply(token, Slot(0), Slot(1)))
    return None
