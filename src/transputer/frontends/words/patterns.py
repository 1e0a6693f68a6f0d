"""Questions that are read as a whole: patterns of a text, and the program that answers it.

A pattern must fit the whole text, every word of it. Only what can be read in one way is here: the
same thing is counted throughout, one verb says whether there are more or fewer, units belong to one
dimension. All other stories are for a model. In a pattern `{A}` is a number, `{A%}` a percentage,
`{A:t}` a time of day, `{A$}` an amount of money, `{F}` a word like `doubles`, `{O}` the number 1,
`{D}` and `{E}` are dates, `{U}` and `{V}` the same unit, and `{Q}` is a quantity with its units. A
program may depend on the word that the group `pick` fits.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache

from transputer.frontends.words.language import read_program
from transputer.frontends.words.measures import (
    QUANTITY,
    amount,
    convert,
    currencies,
    dated,
    quantity_minutes,
)
from transputer.frontends.words.numbers import MULTIPLES, Number
from transputer.frontends.words.plan import Plan
from transputer.values import dataclass

#: Characters of a text, at most; patterns are for sentences.
LONGEST = 400

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
    r"do(?:es)? (?:she|he|it|they|(?P=who)) have(?: left| now)?))?"
)
_THEN = r"(?:she|he|they|(?P=who)) (?:then )?"
_SAME = r"(?: (?:more )?(?P=what)| more)?(?: of them)?"
_PER = r"(?:every|each|a|per) (?P<per>hour|day|week|month|year)"
_AFTER = r"(?:after|in) {B} (?P=per)s?"
_HOW_MUCH = r"(?:how much|what) (?:money )?(?:do i|will i|do you|does (?:he|she|it)|have i)"
_MOVES = r"(?:drives|travels|goes|moves|runs|flies|rides|walks|cycles|is driving)"
_SPEED = r"(?P<length>km|miles|metres|meters|m)(?:/h| per hour| an hour)"
_PAY = r"(?:what|how much) (?:do|must|should|will) i pay(?: in total)?"
_CHANGE = r"how much change do i get(?: back)?"
_BILL = r"(?: bill| note)?"
_COST = r"(?:how much|what) (?:do|does|would|will) "
_STEPS = r"(?:how many (?:collatz )?steps|(?:number of )?collatz steps|how many collatz steps)"

_INTEREST = {"compound": "A * (1 + R / 100) ** B", "simple": "A + A * R / 100 * B"}
_OFF = "C - percent(B, C) if C > A else C"
_RECTANGLE = {"perimeter": "2 * (A + B)", "area": "A * B"}

#: A pattern, and the program that answers it; behind it the unit or the kind of the answer.
_TABLE = (
    # stories of two numbers
    (rf"{_WHO} ha[sd] {{A}} {_WHAT}\. {_THEN}(?:{_FEWER}) {{B}}{_SAME}\.?{_LEFT}", "A - B"),
    (rf"{_WHO} ha[sd] {{A}} {_WHAT}\. {_THEN}(?:{_MORE}) {{B}}{_SAME}\.?{_LEFT}", "A + B"),
    (rf"(?:an? )?{_WHO} (?:has|had|holds|contains) {{A}} {_WHAT}\. "
     rf"{{B}}(?: (?P=what))? (?:{_OUT})\.?{_LEFT}", "A - B"),
    (rf"each (?P<box>[a-z]+) (?:holds|has|contains) {{A}} {_WHAT}\. "
     r"how many(?: (?P=what))?(?: are)?(?: there)? in {B} (?P=box)(?:e?s)", "A * B"),
    (rf"{_WHAT} costs? {{A}} [a-z]+ each\. (?:what is |what do )?(?:the )?cost (?:for|of) {{B}}"
     r"(?: (?P=what))?", "A * B"),
    (rf"{_WHAT} costs? {{A}} [a-z]+ each\. how much (?:for|do|are) {{B}}(?: (?P=what))?", "A * B"),
    (rf"{_WHO} is {{A}}(?: years old)?\. (?:his|her) (?P<kin>sister|brother|cousin|friend|wife|"
     r"husband|mother|father) is {B} years (?P<pick>older|younger)\. "
     r"how old is (?:his|her) (?P=kin)", {"older": "A + B", "younger": "A - B"}),
    # money
    (r"(?:an?|one|each) (?P<thing>[a-z]+) costs {A$}(?: each)?\. "
     rf"{_COST}{{B}} (?P=thing)e?s cost", "A * B"),
    (rf"{_COST}{{A}} [a-z]+ (?:at|for) {{B$}} each cost", "A * B"),
    (r"(?:if )?{A} (?P<thing>[a-z]+?)(?:e?s)? costs? {B$}[.,] "
     rf"{_COST}(?:{{C}}|one) (?P=thing)(?:e?s)? cost", "B / A * C"),
    (rf"i pay with (?:an? )?{{A$}}{_BILL} for (?:an? |my )?(?:[a-z]+ (?:of|for|that costs) {{B$}}|"
     rf"{{B$}} [a-z]+)\. {_CHANGE}", "A - B"),
    (rf"i pay for (?:an? |my )?(?:[a-z]+ of {{B$}}|{{B$}} [a-z]+) with (?:an? )?{{A$}}{_BILL}\. "
     rf"{_CHANGE}", "A - B"),
    (r"(?:an?|my|the) [a-z]+ (?:costs|is) {A$}(?: and|[.,]) (?:i (?:leave|add|give|pay)|with) "
     rf"an? {{B%}} tip[.,] (?:what is the total|what do i pay in total|{_PAY})",
     "A + percent(B, A)"),
    (r"an? (?:{A$} [a-z]+|[a-z]+ costs {A$}(?: and|\. it)) is {B%} off\. "
     r"(?:what is the sale price|what does it cost(?: now)?|how much does it cost(?: now)?|"
     r"what is the new price)", "A - percent(B, A)"),
    (r"i (?:earn|make) {A$} (?:an|per|every) hour\. how much do i (?:earn|make) in {B} hours",
     "A * B"),
    (rf"i (?:save|put aside) {{A$}} {_PER}\. (?:{_HOW_MUCH}) (?:have |saved |have saved )?{_AFTER}",
     "A * B"),
    (r"(?:i (?:put|invest|deposit) )?{A$} (?:in (?:the|a) bank )?at {R%} (?P<pick>compound|simple) "
     r"interest (?:(?:per|a|every) year )?for {B} years(?:\. how much money do i have)?",
     _INTEREST),
    (r"i (?:put|invest|deposit) {A$} (?:in (?:the|a) bank )?at {R%} (?P<pick>compound|simple) "
     rf"interest(?: (?:per|a|every) year)?\. {_HOW_MUCH} have after {{B}} years", _INTEREST),
    (r"{A$} earn {R%} interest every year, compounded\. what do i have after {B} years",
     "A * (1 + R / 100) ** B"),
    # growth
    (rf"(?:an? )?(?:[a-z]+ of )?{{A}}(?: [a-z]+)? {{F}} {_PER}\. how (?:many|large|big) "
     rf"(?:[a-z]+ )?(?:is it|are there|is the [a-z]+) {_AFTER}", "A * F ** B"),
    (r"(?:how often|how many times) (?:must|can|do|does) (?:i|you|we|one) (?:have to )?halve {A} "
     r"until it is (?:below|less than|under) {B}", "times_until_below(A, 2, B)"),
    (r"(?:how often|how many times) (?:must|can|do|does) (?:i|you|we|one) (?:have to )?halve {A} "
     r"(?:until (?:you|we|i) (?:reach|get)|to (?:get|reach)) {B}", "exponent(A / B, 2)"),
    (r"(?:how often|how many times) (?:must|do) (?:i|you|we) (?:have to )?{F} {A} to "
     r"(?:get|reach|make) {B}", "exponent(B / A, F)"),
    (r"(?:i|we|you)? ?{F} {A} {B} times\.?(?: what (?:do i get|do you get|is the result))?",
     "A * F ** B"),
    (r"start(?:ing)? (?:with|at|from) {A} and (?P<pick>add|subtract) {B} {C} times\."
     r"(?: what(?: (?:is left|do (?:you|i) get|is the result)|s left))?",
     {"add": "A + B * C", "subtract": "A - B * C"}),
    (r"(?:start|begin) with {A} and {F} it {B} times\.?(?: what (?:number )?(?:do (?:you|i) "
     r"(?:get|have|end up with)|is the result))?", "A * F ** B"),
    # algorithms
    (rf"{_STEPS} (?:does|do) (?:the |it )?(?:collatz (?:sequence|chain) )?(?:take|need)"
     r"(?: to (?:get|go))? from {A} to {O}", "count(collatz(A)) - 1"),
    (rf"{_STEPS} does the collatz (?:sequence|chain) (?:take|need) to (?:reach|get to) {{O}} "
     r"(?:starting (?:from|at|with)|from) {A}", "count(collatz(A)) - 1"),
    (r"(?:number of )?collatz steps (?:for|of|from) {A}", "count(collatz(A)) - 1"),
    (r"how many steps does {A} (?:take|need) to (?:reach|get to) {O} in the collatz "
     r"(?:sequence|chain)", "count(collatz(A)) - 1"),
    (r"(?:write|what is|convert) {A} (?:in|to) binary", "binary(A)"),
    (r"round {A} to {B} (?:decimals|decimal places|places|digits)", "round_to(A, 1 / 10 ** B)"),
    (r"round {A} to the nearest (?:{B}|ten)", "round_to(A, B)"),
    (r"(?:what is )?{A} divided by {B},? rounded (?P<pick>down|up)",
     {"down": "A // B", "up": "ceil(A / B)"}),
    (r"(?:what is )?(?:the )?integer part of {A} divided by {B}", "A // B"),
    (r"how many ways are there to choose {A} (?:of|out of|from) {B} [a-z]+", "choose(B, A)"),
    (r"how many ways can {A} [a-z]+ be arranged(?: on a shelf| in a row)?", "factorial(A)"),
    (r"in how many orders can {A} [a-z]+ (?:finish|stand|be arranged)", "factorial(A)"),
    (r"how many handshakes are there among {A} people", "choose(A, 2)"),
    (r"{A%} of what(?: number)? is {B}", "B * 100 / A"),
    (r"(?:by what factor does|what factor takes) {A} (?:have to grow to become|to) {B}", "B / A"),
    (r"simplify {A}", "A"),
    # geometry
    (r"(?:what is |find )?(?:the )?(?P<pick>perimeter|area) of a rectangle (?:that is|which is) "
     r"{A} {U} (?:long|wide) and {B} {V} (?:wide|long)", _RECTANGLE),
    (r"(?:what is |find )?(?:the )?(?P<pick>perimeter|area) of a rectangle (?:with sides|"
     r"with sides of|of|measuring) {A} {U} (?:and|by) {B} {V}", _RECTANGLE),
    (r"a rectangle is {A} {U} (?:long|wide) and {B} {V} (?:wide|long)\. what is its "
     r"(?P<pick>perimeter|area)(?: in [a-z]+)?", _RECTANGLE),
    (r"(?:what is |find )?(?:the )?area of a triangle with base {A}(?: {U})? and height {B}"
     r"(?: {V})?", "A * B / 2"),
    (r"a triangle has (?:a )?base (?:of )?{A}(?: {U})? and (?:a )?height (?:of )?{B}(?: {V})?\. "
     r"what is its area", "A * B / 2"),
    (r"(?:what is )?(?:the )?volume of a cube with (?:a )?side (?:of )?{A}(?: {U})?", "A ** 3"),
    (r"a right triangle has legs (?:of )?{A}(?: {U})? and {B}(?: {V})?\. "
     r"how long is the hypotenuse", "sqrt(A ** 2 + B ** 2)"),
    # speed
    (rf"(?:an?|the) [a-z]+ {_MOVES}(?: at)? {{A}} {_SPEED} for {{B}} hours\. "
     rf"how far (?:does|will) it (?:go|drive|travel|get|fly)", "A * B"),
    (r"(?:an?|the) [a-z]+ (?:covers|drives|travels|goes|flies) {A} (?:km|miles) in {B} hours\. "
     r"what is its (?:average )?speed(?: in (?:km|miles)(?:/h| per hour))?", "A / B"),
    (r"how (?:long does it take|many hours does it take) to (?:drive|travel|go|cover|fly) {A} "
     r"(?P<length>km|miles) at {B} (?P=length)(?:/h| per hour)(?:,? in hours)?", "A / B"),
    (rf"(?:an?|the) [a-z]+ {_MOVES}(?: at)? {{A}} {_SPEED}\. how (?:long|many hours) does it take "
     r"to (?:drive|travel|go|cover|fly) {B} (?P=length)", "B / A"),
    # conditions
    (r"if i spend (?P<pick>more than|over|at least) {A$} i get {B%} off\. i spend {C$}\. "
     rf"{_PAY}", {"more than": _OFF, "over": _OFF, "at least": _OFF.replace(">", ">=")}),
    (r"an? [a-z]+ (?:charges|costs) {A$} for adults and {B$} for children under {C}\. [a-z]+ is {H}"
     r"(?: years old)?\. how much (?:is|does) (?:his|her|the) ticket(?: cost)?",
     "B if H < C else A"),
    (r"orders of {A$} or more get {B%} off\. i (?:order for|spend|buy for) {C$}\. "
     rf"{_PAY}", "C - percent(B, C) if C >= A else C"),
    (r"shipping is {A$} for orders (?:below|under) {B$} and free otherwise\. i order for {C$}\. "
     rf"{_PAY}", "C + A if C < B else C"),
    (r"if today is above {A} degrees i drink {B} glasses of water, otherwise {C}\. it is {H} "
     r"degrees\. how many glasses do i drink", "B if H > A else C"),
    (r"i have {A$}(?: and|\.) an? [a-z]+ costs {B$}\. (?:can i afford it|is (?:that|it) enough|"
     r"do i have enough(?: money)?)", "A >= B"),
    (r"i have {A$}\. can i buy {B} [a-z]+ (?:at|for) {C$} each", "A >= B * C"),
    (r"if you buy {A} or more [a-z]+ they cost {B$} each, otherwise {C$} each\. "
     rf"{_COST}{{H}} [a-z]+ cost", "H * B if H >= A else H * C"),
    (r"how many days (?:did|does) (?:the )?year {A} have", "366 if leap_year(A) else 365", "days"),
    # units, times of day, dates
    (r"how many (?P<to>[a-z]+) (?:is|are|are there|do|does|make|are contained|in)?(?: in)? ?{Q}"
     r"(?: have| make| last)?", "CONVERT"),
    (r"(?:convert|change) {Q} (?:to|into) (?P<to>[a-z]+)", "CONVERT"),
    (r"(?:what is |how much is )?{Q} in (?P<to>[a-z]+)", "CONVERT"),
    (r"convert {A} (?:degrees )?celsius (?:to|into) (?:degrees )?fahrenheit", "A * 9 / 5 + 2 * 16"),
    (r"convert {A} (?:degrees )?fahrenheit (?:to|into) (?:degrees )?celsius",
     "(A - 2 * 16) * 5 / 9"),
    (r"how many minutes (?:are there |are |is it )?(?:between|from) {A:t} (?:and|to|until) {B:t}",
     "(B - A) % 1440", "minutes"),
    (r"(?:an?|the|my) [a-z]+ (?:starts|begins|leaves) at {A:t} and (?:ends|arrives|finishes) at "
     r"{B:t}\. how many minutes (?:does it (?:last|take)|is it)", "(B - A) % 1440", "minutes"),
    (r"(?:an?|the|my) [a-z]+ (?:starts|begins|leaves) at {A:t} and (?:lasts|takes) {Q}\. "
     r"(?:when|what time) does it (?:end|finish|arrive)", "CLOCK", "time"),
    (r"what (?:is the )?(?:date|day)(?: is)?(?: it)? {A} days? (?:after|from) {D}",
     "calendar_date(D + A)", "date"),
    (r"what (?:is the )?(?:date|day)(?: is)?(?: it)? {A} days? before {D}",
     "calendar_date(D - A)", "date"),
    (r"how many days (?:are there |are |is it )?from {D} (?:to|until) {E}", "E - D", "days"),
    (r"how many days (?:are there |are )?between {D} and {E}", "abs(E - D)", "days"),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Row:
    pattern: re.Pattern[str]
    program: str | dict[str, str]
    form: str


@cache
def _rows() -> tuple[_Row, ...]:
    return tuple(
        _Row(re.compile(_expanded(row[0])), row[1], row[2] if len(row) > 2 else "")
        for row in _TABLE
    )


_PARTS = {
    "": r"n\d+(?![\d%#t])",
    "%": r"n\d+%",
    ":t": r"n\d+t",
    "$": r"n\d+ (?:dollars?|euros?|pounds?|cents?)",
}


def _expanded(pattern: str) -> str:
    """The regular expression of a pattern; a part that stands twice is one of the two."""

    def part(match: re.Match[str]) -> str:
        name, kind = match[1], match[2]
        if name == "Q":
            return f"(?P<Q>{QUANTITY})"
        if name in "DE":
            return rf"(?P<{name}>d\d+)"
        if name in "UV":
            return f"(?P<{name}>[a-z]+)"
        seen[name] = seen.get(name, 0) + 1
        return f"(?P<{name}{seen[name]}>{_PARTS[kind]})"

    seen: dict[str, int] = {}
    return re.sub(r"\{([A-Z])(%|:t|\$|)\}", part, pattern)


def match(text: str, numbers: Sequence[Number]) -> tuple[Plan, str] | None:
    """The plan of a text that one pattern fits, and the form of its answer; else None."""
    if len(text) > LONGEST or not numbers and "how many" not in text.lower():
        return None
    plain, dates = dated(_plain(text, numbers))
    if len(currencies(plain)) > 1:
        return None
    for row in _rows():
        fit = row.pattern.fullmatch(plain)
        program = _program(row, fit, numbers, dates) if fit else None
        if program is not None:
            source, form = program
            return read_program(source), form
    return None


def _plain(text: str, numbers: Sequence[Number]) -> str:
    """The text in lower case with `n0`, `n1%`, `n2t`, `n3#` for its numbers; money behind them."""
    parts, at = [], 0
    for index, number in enumerate(numbers):
        mark = "%" if number.percent else "t" if number.time else "#" if number.ordinal else ""
        parts += [text[at : number.start], f"n{index}{mark}"]
        at = number.end
    plain = "".join([*parts, text[at:]]).lower().replace("’", "'").replace("'", "")
    for sign, name in (("$", "dollars"), ("€", "euros"), ("£", "pounds")):
        plain = re.sub(rf"{re.escape(sign)} ?(n\d+)(?: {name})?", rf"\1 {name}", plain)
    plain = re.sub(r"(n\d+)-(dollar|euro|pound|minute|hour|metre|meter)\b", r"\1 \2", plain)
    plain = re.sub(r"(n\d+)([a-z]{1,2})\b(?<!t)", r"\1 \2", plain)
    return " ".join(plain.split()).rstrip("?!. ")


def _program(
    row: _Row, fit: re.Match[str], numbers: Sequence[Number], dates: Sequence[str]
) -> tuple[str, str] | None:
    """The program of a row with the slots of the text, and the form of its answer."""
    groups, names = fit.groupdict(), dict(_named(fit))
    if groups.get("U") != groups.get("V"):
        return None
    said = {name: numbers[int(slot[1:])] for name, slot in names.items()}
    if "O" in said and said["O"].value != 1:
        return None
    if "F" in said and said["F"].text.lower() not in MULTIPLES:
        return None
    if "A" in said and "B" in said and said["A"].time and said["B"].time and _unclear(said):
        return None
    if row.program == "CONVERT":
        return convert(groups["Q"], groups["to"])
    if row.program == "CLOCK":
        minutes = quantity_minutes(groups["Q"])
        return None if minutes is None else (f"clock({names['A']} + {minutes})", row.form)
    program = row.program if isinstance(row.program, str) else row.program[groups["pick"]]
    for name in "DE":
        if groups.get(name):
            names[name] = dates[int(groups[name][1:])]
    source = re.sub(r"\b[A-Z]\b", lambda m: names.get(m[0]) or _UNSAID[m[0]], program)
    return source, row.form or amount(fit.string, program)


def _unclear(said: Mapping[str, Number]) -> bool:
    """Whether the second of two times may be of the afternoon or of the next day."""
    half = any(said[name].text[-1] in "mM." for name in "AB")
    return said["B"].value < said["A"].value and not half


#: `one shirt` and `the nearest ten` have no slot.
_UNSAID = {"B": "10", "C": "1"}


def _named(fit: re.Match[str]) -> Iterator[tuple[str, str]]:
    for key, value in fit.groupdict().items():
        if value is not None and len(key) == 2 and key[0].isupper() and key[1].isdecimal():
            digits = re.match(r"n(\d+)", value)
            if digits:
                yield key[0], f"N{digits[1]}"
