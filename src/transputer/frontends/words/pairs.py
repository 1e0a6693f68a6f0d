"""Questions of one operation on two numbers whose words do not stand in the order of the sum.

A table of whole questions: the first number of the text is X, the second Y, and a question is
read only if every word of it is one of a row. `[a|b]` stands for either, `[a|]` for a or nothing.
"""

from collections.abc import Iterator
from functools import cache
from itertools import product

_GET = "[get|make|reach|have|give|obtain|arrive at|end up with]"
_GIVES = "[gives|makes|is|equals|yields|results in|gives me|gives you]"
_I = "[i|you|we|one]"
_MUST = f"[must {_I}|do {_I}|should {_I}|do {_I} need to|do {_I} have to|can {_I}|would {_I}]"
_BE = "[must|should|has to|needs to|can]"
_WHAT = "[what|what number|which number|what value|how much]"
_FIT = "[go into|fit into|fit in|go in|fit inside|divide into]"
_LOTS = "[lots|groups|sets|portions|batches|chunks|pieces|packets|bundles|bunches|units|blocks]"
_SHARED = "[shared|split|distributed] [equally|evenly|fairly|]"
_STAYS = "[remains|stays|is left]"
_TAKE = "[take away|take off|remove|subtract|lose]"
_TAKING = "[taking away|taking off|removing|subtracting|losing]"

#: Questions, and the operation with its operands.
TABLE = f"""
{_WHAT} {_MUST} add to X to {_GET} Y = SUB Y X
{_WHAT} {_BE} be added to X to {_GET} Y = SUB Y X
{_WHAT} [added to|plus|on top of] X {_GIVES} Y = SUB Y X
{_WHAT} is missing [from|between] X [to|and] [get|make|reach|] Y = SUB Y X
X plus [what|what number|which number|how much] {_GIVES} Y = SUB Y X
[how far|how much] is [it |][from] X [up |][to] Y = SUB Y X
{_WHAT} {_MUST} [subtract|take|take away|remove|deduct] from X to {_GET} Y = SUB X Y
{_WHAT} {_BE} be [subtracted|taken|taken away|removed|deducted] from X to {_GET} Y = SUB X Y
{_WHAT} [subtracted from|taken from|deducted from] X {_GIVES} Y = SUB X Y
X minus [what|what number|which number|how much] {_GIVES} Y = SUB X Y
{_WHAT} [times|multiplied by|multiplied with] X {_GIVES} Y = DIV Y X
X times [what|what number|which number] {_GIVES} Y = DIV Y X
[by what|by what number|by which number|by how much] {_MUST} multiply X to {_GET} Y = DIV Y X
[what|what number|which number] {_MUST} multiply X by to {_GET} Y = DIV Y X
[by what|by what number|by which number] {_BE} X be multiplied to {_GET} Y = DIV Y X
[what|what number|which number] divided by X {_GIVES} Y = MUL X Y
[by what|by what number|by which number] {_MUST} divide X to {_GET} Y = DIV X Y
X divided by [what|what number|which number] {_GIVES} Y = DIV X Y
[how many times|how often] [does|can|will|would] X {_FIT} Y = DIV Y X
[how many times|how often] is X [contained in|in] Y = DIV Y X
how many times [larger|bigger|greater|as large|as big|as great|as much] [is] X [than|as] Y = DIV X Y
how many {_LOTS} of [size |]X [are|are there|fit|go] [in|into] Y = DIV Y X
how many {_LOTS} of [size |]X [does] Y [contain|hold|have] = DIV Y X
how many {_LOTS} of [size |]X can [be made|{_I} make] [from|out of] Y = DIV Y X
[ratio|quotient] [of|between] X [to|and|over] Y = DIV X Y
X as a [fraction|share|proportion|multiple] of Y = DIV X Y
X in relation to Y = DIV X Y
X {_SHARED} [among|between|by|into|over] Y [parts|people|ways|groups|shares|] = DIV X Y
area of [a |]rectangle [of|with sides|with sides of|measuring] X [by|and|x|times] Y = MUL X Y
X [copies|multiples|repeats|instances] of [a |number |]Y = MUL X Y
[add|add up|sum up] X [copies|repeats] of [number |]Y = MUL X Y
X [repeated|taken|added to itself|counted] Y times = MUL X Y
X times as [much|many|large|big] as Y = MUL X Y
X [scaled|scaled up|magnified|enlarged|multiplied] by a factor of Y = MUL X Y
[scale|scale up|magnify|enlarge|multiply] X by a factor of Y = MUL X Y
[scale|blow|magnify] X up by a factor of Y = MUL X Y
[scale down|shrink|reduce] X by a factor of Y = DIV X Y
[scale|shrink|bring] X down by a factor of Y = DIV X Y
X [combined with|together with|joined with|along with|in addition to|on top of] Y = ADD X Y
[combine|join|unite|pool|merge] X [and|with] Y = ADD X Y
[put|bring] X and Y together = ADD X Y
X with Y [added|added to it|on top|more] = ADD X Y
X with Y [removed|taken away|taken off|subtracted|deducted|left out] = SUB X Y
X without Y = SUB X Y
[distance|gap|space] [between|from] X [and|to] Y = SUB Y X
what {_STAYS} of X [after|when|once|if] [{_I}|] {_TAKE} Y = SUB X Y
what {_STAYS} of X after {_TAKING} Y = SUB X Y
"""


def reading(words: tuple[str, ...]) -> tuple[str, str, str] | None:
    """The operation and its operands, X or Y, if the words are a row's."""
    return _rows().get(words)


@cache
def _rows() -> dict[tuple[str, ...], tuple[str, str, str]]:
    rows: dict[tuple[str, ...], tuple[str, str, str]] = {}
    for line in filter(None, TABLE.splitlines()):
        asked, _, told = line.rpartition(" = ")
        operation, first, second = told.split()
        for text in _texts(asked):
            rows[tuple(text.split())] = (operation, first, second)
    return rows


def _texts(pattern: str) -> Iterator[str]:
    """Every text of a pattern; brackets may stand in brackets."""
    parts: list[list[str]] = [[""]]
    at = 0
    while at < len(pattern):
        if pattern[at] == "[":
            end = _closing(pattern, at)
            parts.append([t for choice in _choices(pattern[at + 1 : end]) for t in _texts(choice)])
            at = end + 1
        else:
            end = pattern.find("[", at)
            end = len(pattern) if end < 0 else end
            parts.append([pattern[at:end]])
            at = end
    return ("".join(chosen) for chosen in product(*parts))


def _closing(text: str, at: int) -> int:
    depth = 0
    for place in range(at, len(text)):
        depth += (text[place] == "[") - (text[place] == "]")
        if depth == 0:
            return place
    raise ValueError(f"a bracket is not closed in {text!r}")


def _choices(text: str) -> list[str]:
    """The parts between bars that are not in inner brackets."""
    choices, depth = [""], 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and depth == 0:
            choices.append("")
        else:
            choices[-1] += letter
    return choices
