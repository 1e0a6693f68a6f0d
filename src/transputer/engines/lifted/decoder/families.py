"""Leaves that differ by a shift, as one: an access to bytes of a word, wherever they are in it.

A tree tells apart where in a word the bytes begin that a step reads or writes: a chain of splits
on a small number, with a leaf for each value. Where the leaves are the same but for that number
of bytes, one leaf with shifts replaces them. That it says the same is checked for every value, bit
by bit: words of such leaves are sums of bits with weights.
"""

from collections.abc import Iterator
from dataclasses import replace

from transputer.engines.lifted.decoder.expr import WordExpr, num
from transputer.engines.lifted.decoder.rows import RowLeaf, RowSplit, RowWord, Tree

#: A sum of bits: the weight of each bit of a word, and a constant under None.
Bits = dict[tuple[WordExpr, int] | None, int]
BYTE, WORD = 8, 64
#: Values that the number may have: where in a word bytes begin.
PLACES = WORD // BYTE


def with_shifts(tree: Tree) -> Tree:
    """The same tree, with one leaf for leaves that differ by a shift."""
    if isinstance(tree, RowLeaf):
        return tree
    chain = [*_chain(tree)]
    merged = _merged(chain)
    if merged is None:
        return replace(tree, yes=with_shifts(tree.yes), no=with_shifts(tree.no))
    leaf, count = merged
    if count == len(chain):
        return leaf
    rest = chain[count - 1][0]  # the split of which the last leaf that was merged is a side
    assert rest is not None
    return RowSplit(rest.condition, rest.queries, rest.yes, leaf)


def _chain(tree: RowSplit) -> Iterator[tuple[RowSplit | None, int, RowLeaf]]:
    """Leaves for 0, 1, .. of the number that a chain of splits tells apart, with their splits."""
    (number,), place = tree.condition.parts, 0
    split: Tree = tree
    while isinstance(split, RowSplit):
        condition = split.condition
        if condition.kind != "ge" or condition.data != (place + 1,):
            return
        if condition.parts[0] is not number or not isinstance(split.no, RowLeaf):
            return
        yield split, place, split.no
        split, place = split.yes, place + 1
    yield None, place, split


def _merged(chain: list[tuple[RowSplit | None, int, RowLeaf]]) -> tuple[RowLeaf, int] | None:
    """One leaf for the first ones of a chain, and how many they are."""
    if len(chain) < 2 or chain[0][0] is None:
        return None
    number = chain[0][0].condition.parts[0]
    if not _in_range(number, PLACES):
        return None
    first, best = chain[0][2], None
    shifted: dict[int, RowWord] = {}
    for count in range(2, len(chain) + 1):
        leaves = [leaf for _, _, leaf in chain[:count]]
        queries = {h: q for leaf in leaves for h, q in leaf.queries.items()}
        if any(leaf.queries.get(h, q) != q for leaf in leaves for h, q in queries.items()):
            break
        shifted = {}
        for g, usual in enumerate(first.words):
            cases = [leaf.words[g] for leaf in leaves]
            if any(w.expr is not usual.expr or w.guard is not usual.guard for w in cases):
                family = None if any(w.guard for w in cases) else _family(cases, number)
                if family is None:
                    return best
                shifted[g] = RowWord(family, None, usual.lifted)
        words = tuple(shifted.get(g, w) for g, w in enumerate(first.words))
        best = RowLeaf(words, queries), count
    return best


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


def _family(cases: list[RowWord], number: WordExpr) -> WordExpr | None:
    """An expression that is that of case k where the number is k, for every k."""
    bits = [_bits(word.expr, number, k) for k, word in enumerate(cases)]
    if any(b is None for b in bits):
        return None
    forms = [b for b in bits if b is not None]
    return _read(forms, number) or _written(forms, number)


def _read(forms: list[Bits], number: WordExpr) -> WordExpr | None:
    """Case k reads of one word what case 0 does, k bytes further."""
    words = {key[0] for form in forms for key in form if key is not None}
    if len(words) != 1:
        return None
    (word,) = words
    for k, form in enumerate(forms):
        moved = {_later(key, BYTE * k): weight for key, weight in forms[0].items()}
        if moved != form or any(key is not None and key[1] >= WORD for key in moved):
            return None
    return _sum(forms[0], WordExpr("shr", (word, _amount(number)), (WORD,)))


def _written(forms: list[Bits], number: WordExpr) -> WordExpr | None:
    """Case k is a word in which the low bytes of another one replace those from byte k on."""
    words = {key[0] for form in forms for key in form if key is not None}
    if len(words) != 2:
        return None
    for old, new in (tuple(words), tuple(words)[::-1]):
        size = sum(1 for key in forms[0] if key is not None and key[0] is new)
        for k, form in enumerate(forms):
            place = range(BYTE * k, BYTE * k + size)
            wanted: Bits = {(old, i): 1 << i for i in range(WORD) if i not in place}
            wanted |= {(new, i - place.start): 1 << i for i in place}
            if form != wanted or place.stop > WORD:
                break
        else:
            amount = _amount(number)
            gone = WordExpr("field", (WordExpr("shr", (old, amount), (WORD,)),), (0, size))
            come = WordExpr("field", (new,), (0, size))
            moved = [WordExpr("shl", (w, amount), (WORD,)) for w in (gone, come)]
            total = WordExpr("sum", (old, WordExpr("scale", (moved[0],), (-1,)), moved[1]))
            return WordExpr("mod", (total,), (1 << WORD,))
    return None


def _amount(number: WordExpr) -> WordExpr:
    return WordExpr("scale", (number,), (BYTE,))


def _later(key: tuple[WordExpr, int] | None, bits: int) -> tuple[WordExpr, int] | None:
    return None if key is None else (key[0], key[1] + bits)


def _sum(form: Bits, word: WordExpr) -> WordExpr:
    """A sum of bits of a word."""
    weights = {key[1]: weight for key, weight in form.items() if key is not None}
    terms = [num(form[None])] if None in form else []
    while weights:
        at, count = min(weights), 1
        weight = weights.pop(at)
        while weights.get(at + count) == weight << count:
            del weights[at + count]
            count += 1
        field = WordExpr("field", (word,), (at, count))
        terms.append(field if weight == 1 else WordExpr("scale", (field,), (weight,)))
    return terms[0] if len(terms) == 1 else WordExpr("sum", tuple(terms))


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
        for key, weight in form.items():
            factor = expr.data[0] if expr.kind == "scale" else 1
            total[key] = total.get(key, 0) + factor * weight
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
