"""Leaves that differ by a shift, as one: an access to bytes of a word, wherever they are in it.

A tree tells apart where in a word the bytes begin that a step reads or writes: splits on a small
number, with a leaf for each value. Where the leaves for some values are the same but for that
number of bytes, one leaf with shifts replaces them. That it says the same is checked for every
value, bit by bit: words of such leaves are sums of bits with weights.

Bytes that reach into the next word are read by a second head. Where its index is that of the first
and 1, one leaf reads `across` both words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from transputer.engines.lifted.decoder.expr import WordExpr, num
from transputer.engines.lifted.decoder.rows import Query, RowLeaf, RowSplit, RowWord, Tree

#: A sum of bits: the weight of each bit of a word, and a constant under None. In a form, an
#: expression of another kind stands for itself, as bit `WHOLE`.
Bits = dict[tuple[WordExpr, int] | None, int]
WHOLE = -1
BYTE, WORD = 8, 64
#: Values that the number may have: where in a word bytes begin.
PLACES = WORD // BYTE


def with_shifts(tree: Tree, across: bool = False) -> Tree:
    """The same tree, with one leaf for leaves that differ by a shift.

    With `across`, also where some of them read a second word.
    """
    return _merged(tree, across, {})


def _merged(tree: Tree, across: bool, ranges: Mapping[WordExpr, range]) -> Tree:
    """A tree with one leaf for some; `ranges` are the values that numbers can have there."""
    if isinstance(tree, RowLeaf):
        return _simpler(tree)
    if tree.condition.kind != "ge":
        yes, no = (_merged(side, across, ranges) for side in (tree.yes, tree.no))
        return replace(tree, yes=yes, no=no)
    (number,), (bound,) = tree.condition.parts, tree.condition.data
    values = ranges.get(number) or range(PLACES if _in_range(number, PLACES) else 0)
    leaves = [leaf for k in values if (leaf := _case(tree, number, k)) is not None]
    if values and len(leaves) == len(values):
        return _joined(tree, number, values, [*map(_simpler, leaves)], across)
    above = {**ranges, number: range(max(bound, values.start), values.stop)} if values else ranges
    below = {**ranges, number: range(values.start, min(bound, values.stop))} if values else ranges
    yes, no = _merged(tree.yes, across, above), _merged(tree.no, across, below)
    return replace(tree, yes=yes, no=no)


def _case(tree: Tree, number: WordExpr, k: int) -> RowLeaf | None:
    """The leaf where a number is k, if nothing else decides."""
    while isinstance(tree, RowSplit):
        condition = tree.condition
        if condition.kind != "ge" or condition.parts[0] is not number:
            return None
        tree = tree.yes if k >= condition.data[0] else tree.no
    return tree


def _joined(
    tree: RowSplit, number: WordExpr, values: range, cases: Sequence[RowLeaf], across: bool
) -> Tree:
    """A leaf for as many values in a row as possible, and splits between them."""
    runs: list[tuple[int, RowLeaf]] = []
    start = 0
    while start < len(cases):
        chosen, end = cases[start], start + 1
        for stop in range(start + 2, len(cases) + 1):
            wider = _one_leaf(cases[start:stop], number, values[start:stop], across)
            if wider is None:
                break
            chosen, end = wider, stop
        runs.append((values[start], chosen))
        start = end
    joined: Tree = runs[-1][1]
    for (_, leaf), (first, _) in zip(runs[-2::-1], runs[:0:-1], strict=True):
        joined = RowSplit(WordExpr("ge", (number,), (first,)), tree.queries, joined, leaf)
    return joined


def _one_leaf(
    leaves: Sequence[RowLeaf], number: WordExpr, values: range, across: bool
) -> RowLeaf | None:
    """One leaf for those of some values of a number."""
    queries = {h: q for leaf in leaves for h, q in leaf.queries.items()}
    if any(leaf.queries.get(h, q) != q for leaf in leaves for h, q in queries.items()):
        return None
    words = []
    for g, usual in enumerate(leaves[0].words):
        cases = [leaf.words[g] for leaf in leaves]
        if all(w.expr is usual.expr and w.guard is usual.guard for w in cases):
            words.append(usual)
            continue
        bits = (_bits(w.expr, number, k) for k, w in zip(values, cases, strict=True))
        forms = {k: form for k, form in zip(values, bits, strict=True) if form is not None}
        if any(w.guard for w in cases) or len(forms) < len(cases):
            return None
        family = _read(forms, number) or _written(forms, number) or _spilled(forms, number)
        if family is None and across:
            family = _crossed(forms, number, queries)
        if family is None:
            return None
        words.append(RowWord(family, None, usual.lifted))
    return RowLeaf(tuple(words), queries)


def _in_range(number: WordExpr, size: int) -> bool:
    """Whether a number is in [0, size): 3 bits of a word, or of the sum of two."""
    fields = [p for p in number.parts if p.kind == "field" and p.data == (0, 3)]
    if number.kind == "field":
        return number.data == (0, 3)
    if number.kind != "sum" or len(fields) != 2 or len(number.parts) != 3:
        return False
    (carry,) = (p for p in number.parts if p not in fields)
    whole = WordExpr("ge", (WordExpr("sum", tuple(fields)),), (size,))
    return carry.kind == "scale" and carry.data == (-size,) and carry.parts[0] == whole


# What leaves have in common: `forms` are their bits, by the value of the number


def _read(forms: Mapping[int, Bits], number: WordExpr) -> WordExpr | None:
    """Case k reads of one word what case 0 would, k bytes further."""
    words = {key[0] for form in forms.values() for key in form if key is not None}
    if len(words) != 1:
        return None
    (word,), least = words, min(forms)
    first = {_later(key, -BYTE * least): weight for key, weight in forms[least].items()}
    for k, form in forms.items():
        moved = {_later(key, BYTE * k): weight for key, weight in first.items()}
        if moved != form or any(key is not None and not 0 <= key[1] < WORD for key in moved):
            return None
    if any(key is not None and key[1] < 0 for key in first):
        return None
    return _sum(first, {word: WordExpr("shr", (word, _amount(number)), (WORD,))})


def _crossed(
    forms: Mapping[int, Bits], number: WordExpr, queries: dict[int, Query]
) -> WordExpr | None:
    """Case k reads of a word and the next one what case 0 does of the first, k bytes further."""
    low = {key[0] for key in forms.get(0, {}) if key is not None}
    high = {key[0] for form in forms.values() for key in form if key is not None} - low
    if len(low) != 1 or len(high) != 1:
        return None
    (one,), (two,) = low, high
    for k, form in forms.items():
        moved = Bits()
        for key, weight in forms[0].items():
            later = _later(key, BYTE * k)
            if later is not None and later[1] >= WORD:
                later = two, later[1] - WORD
            moved[later] = weight
        if moved != form:
            return None
    first, second = queries[one.data[0]], queries[two.data[0]]
    same = replace(second, index=first.index) == first and first.index.guard is None
    gap = _less(_form(second.index.expr), _form(first.index.expr), 1)
    if not same or second.index.guard is not None or gap != {None: 1}:
        return None
    return _sum(forms[0], {one: WordExpr("across", (one, two, _amount(number)))})


def _written(forms: Mapping[int, Bits], number: WordExpr) -> WordExpr | None:
    """Case k is a word in which low bytes of another one replace those from byte k on."""
    for old, new, size in _two_words(forms):
        for k, form in forms.items():
            place = range(BYTE * k, min(BYTE * k + size, WORD))
            if form != _replaced(old, new, place, -BYTE * k):
                break
        else:
            amount = _amount(number)
            gone = WordExpr("field", (WordExpr("shr", (old, amount), (WORD,)),), (0, size))
            come = WordExpr("field", (new,), (0, size))
            moved = [WordExpr("shl", (w, amount), (WORD,)) for w in (gone, come)]
            total = WordExpr("sum", (old, WordExpr("scale", (moved[0],), (-1,)), moved[1]))
            return WordExpr("mod", (total,), (1 << WORD,))
    return None


def _spilled(forms: Mapping[int, Bits], number: WordExpr) -> WordExpr | None:
    """Case k is a word that begins with the bytes of another one that do not fit from byte k on."""
    for old, new, size in _two_words(forms):
        for k, form in forms.items():
            place = range(max(BYTE * k + size - WORD, 0))
            if not k or form != _replaced(old, new, place, WORD - BYTE * k):
                break
        else:
            amount = WordExpr("sum", (WordExpr("scale", (_amount(number),), (-1,)), num(WORD)))
            come = WordExpr("shr", (WordExpr("field", (new,), (0, size)), amount), (WORD,))
            mask = WordExpr("shr", (num((1 << size) - 1), amount), (WORD,))
            gone = WordExpr("scale", (WordExpr("and", (old, mask)),), (-1,))
            return WordExpr("mod", (WordExpr("sum", (old, gone, come)),), (1 << WORD,))
    return None


def _two_words(forms: Mapping[int, Bits]) -> list[tuple[WordExpr, WordExpr, int]]:
    """The two words that forms have bits of, in both orders, and how many bits of the second."""
    words = {key[0]: None for form in forms.values() for key in form if key is not None}
    if len(words) != 2:
        return []
    one, two = words
    both = [(one, two), (two, one)]
    bits = [
        {key[1] for form in forms.values() for key in form if key and key[0] is new}
        for _, new in both
    ]
    return [(*pair, 1 << max(used).bit_length()) for pair, used in zip(both, bits, strict=True)]


def _replaced(old: WordExpr, new: WordExpr, place: range, by: int) -> Bits:
    """A word in which bits of another one are at a place, moved by a number of bits."""
    bits: Bits = {(old, i): 1 << i for i in range(WORD) if i not in place}
    return bits | {(new, i + by): 1 << i for i in place}


def _amount(number: WordExpr) -> WordExpr:
    return WordExpr("scale", (number,), (BYTE,))


def _later(key: tuple[WordExpr, int] | None, bits: int) -> tuple[WordExpr, int] | None:
    return None if key is None else (key[0], key[1] + bits)


def _bits(expr: WordExpr, number: WordExpr, k: int) -> Bits | None:
    """An expression as a sum of bits, where the number is k; None if it is none."""
    if expr.kind == "num":
        return {None: expr.data[0]} if expr.data[0] else {}
    if expr.kind == "word":
        return {(expr, i): 1 << i for i in range(WORD)}
    if expr.kind == "field" and expr.parts[0].kind == "word":
        at, count = expr.data
        return {(expr.parts[0], at + i): 1 << i for i in range(count)}
    if expr.kind == "ge":
        inner = _bits(expr.parts[0], number, k)
        return None if inner is None else _compared(inner, expr.data[0])
    if expr.kind not in ("scale", "sum"):
        return None
    parts, total = expr.parts, Bits()
    if expr.kind == "sum" and number.kind == "sum" and {*number.parts} <= {*parts}:
        parts, total = tuple(p for p in parts if p not in number.parts), Bits({None: k})
    for part in parts:
        form = _bits(part, number, k)
        if form is None:
            return None
        total = _less(total, form, -(expr.data[0] if expr.kind == "scale" else 1))
    return {key: weight for key, weight in total.items() if weight}


def _compared(form: Bits, bound: int) -> Bits | None:
    """Whether a sum of at most one bit reaches a bound, as such a sum."""
    offset = form.get(None, 0)
    keys = [key for key in form if key is not None]
    if len(keys) > 1:
        return None
    without = int(offset >= bound)
    result: Bits = {None: without} if without else {}
    for key in keys:
        change = int(offset + form[key] >= bound) - without
        if change:
            result[key] = change
    return result


# Digits with carries


def _simpler(leaf: RowLeaf) -> RowLeaf:
    """The same leaf, where carries are not checked that are proved to be right."""
    queries = {h: replace(q, index=_without_carries(q.index)) for h, q in leaf.queries.items()}
    return RowLeaf(tuple(map(_without_carries, leaf.words)), queries)


@lru_cache(maxsize=1024)
def _without_carries(row_word: RowWord) -> RowWord:
    """A number of digits that are proved to be proper, without what checks them and carries."""
    expr, guard = row_word.expr, row_word.guard
    if guard is not None and _holds(guard):
        guard = None
    if _carries(expr):
        form = _form(expr)
        if all(key is None or key[1] != WHOLE or key[0].kind == "ge" for key in form):
            expr = _sum(form)
    return replace(row_word, expr=expr, guard=guard)


def _carries(expr: WordExpr) -> bool:
    """Whether a sum has terms that are divided or clamped."""
    if expr.kind in ("sum", "scale"):
        return any(map(_carries, expr.parts))
    return expr.kind in ("floor", "clamp")


def _holds(guard: WordExpr) -> bool:
    """Whether it is proved that all digits are proper, which is what a guard says."""
    if guard.kind == "product":
        return all(map(_holds, guard.parts))
    bound = 0
    if guard.kind == "not":
        (guard,), bound = guard.parts, 256
    return guard.kind == "ge" and guard.data == (bound,) and _proper(_form(guard.parts[0]))


def _proper(digit: Bits) -> bool:
    """Whether a sum is in [0, 256): by bounds, or because it is what remains of a division.

    That is so for y - 256 floor(x / 256 s) if x = s y + r with r in [0, s). Where y has a term
    floor(z / s), r may be z mod s: then x is z and s times the other terms.
    """
    if _within(digit, 256):
        return True
    carries = [key[0] for key, w in digit.items() if key and key[1] == WHOLE and w == -256]
    if len(carries) != 1 or carries[0].kind != "floor" or carries[0].data[0] % 256:
        return False
    scale, over = carries[0].data[0] // 256, _form(carries[0].parts[0])
    rest = {key: w for key, w in digit.items() if key != (carries[0], WHOLE)}
    for key, weight in rest.items():
        if key and key[1] == WHOLE and weight == 1 and key[0].data == (scale,):
            others = {k: w for k, w in rest.items() if k != key}
            below = _form(key[0].parts[0])
            if key[0].kind == "floor" and not _less(_less(over, others, scale), below, 1):
                return True
    left = _less(over, rest, scale)
    for key, weight in left.items():
        if key and key[1] == WHOLE and weight == -scale and key[0].data == (scale,):
            both = {k: w for k, w in left.items() if k != key}
            if key[0].kind == "ge" and _within(both, 2 * scale):
                return _form(key[0].parts[0]) == both
    return _within(left, scale)


def _within(form: Bits, size: int) -> bool:
    """Whether a sum is in [0, size), by the bounds of its terms."""
    lo = hi = form.get(None, 0)
    for key, weight in form.items():
        if key is None:
            continue
        most = _most(key[0]) if key[1] == WHOLE else 1
        if most is None:
            return False
        lo, hi = lo + min(weight * most, 0), hi + max(weight * most, 0)
    return lo >= 0 and hi < size


def _most(expr: WordExpr) -> int | None:
    """The highest value of an expression that is not below 0; None if it is not known."""
    if expr.kind == "ge":
        return 1
    if expr.kind != "floor":
        return None
    form = _form(expr.parts[0])
    if any(weight < 0 or (key and key[1] == WHOLE) for key, weight in form.items()):
        return None
    return sum(form.values()) // expr.data[0]


def _form(expr: WordExpr) -> Bits:
    """An expression as a sum of bits, and of expressions of other kinds.

    A digit that is proved to be proper is not clamped.
    """
    total = Bits()
    _gather(expr, 1, total)
    return {key: weight for key, weight in total.items() if weight}


def _gather(expr: WordExpr, factor: int, total: Bits) -> None:
    """Add a multiple of an expression to a sum."""
    if expr.kind == "sum":
        for part in expr.parts:
            _gather(part, factor, total)
    elif expr.kind == "scale":
        _gather(expr.parts[0], factor * expr.data[0], total)
    elif expr.kind == "clamp" and expr.data == (256,) and _proper(_form(expr.parts[0])):
        _gather(expr.parts[0], factor, total)
    elif expr.kind == "num":
        total[None] = total.get(None, 0) + factor * expr.data[0]
    elif expr.kind == "field" and expr.parts[0].kind == "word":
        for i in range(expr.data[1]):
            key = expr.parts[0], expr.data[0] + i
            total[key] = total.get(key, 0) + (factor << i)
    else:
        total[expr, WHOLE] = total.get((expr, WHOLE), 0) + factor


def _less(one: Bits, two: Bits, factor: int) -> Bits:
    """one - factor * two."""
    total = dict(one)
    for key, weight in two.items():
        total[key] = total.get(key, 0) - factor * weight
    return {key: weight for key, weight in total.items() if weight}


def _sum(form: Bits, change: Mapping[WordExpr, WordExpr] | None = None) -> WordExpr:
    """A form as an expression; some words are changed to others."""
    terms = [num(form[None])] if None in form else []
    words = {key[0]: None for key in form if key}
    for word in words:
        weights = {key[1]: weight for key, weight in form.items() if key and key[0] is word}
        while weights:
            at, count = min(weights), 1
            weight = weights.pop(at)
            while at != WHOLE and weights.get(at + count) == weight << count:
                del weights[at + count]
                count += 1
            term = (change or {}).get(word, word)
            term = term if at == WHOLE else WordExpr("field", (term,), (at, count))
            terms.append(term if weight == 1 else WordExpr("scale", (term,), (weight,)))
    return terms[0] if len(terms) == 1 else WordExpr("sum", tuple(terms))


__all__ = ["with_shifts"]
