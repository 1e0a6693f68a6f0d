"""That the short formulas of rows are the derived ones, as SMT-LIB obligations over bit-vectors.

A row of a certificate may have a short tree besides the derived one. For each leaf of the short
tree and each word, an obligation says: "a token comes to this leaf, the guard of the word holds,
and the derived tree has another word, or its guard does not hold". If all are `unsat`, the short
tree is the derived one, where its guards hold. So it is for the addresses that heads ask for. This
is about formulas alone: no model is needed, and no program.
"""

import itertools

from integers import Integers
from obligations import FormulaWriter, Writer


class Tokens:
    """What formulas are about: nodes, groups of parts, and the sizes of parts."""

    def __init__(self, nodes, groups, sizes):
        self.nodes, self.groups, self.sizes = nodes, groups, sizes


def short_obligations(tokens, fixed, tree, short, cases=()):
    """Of each claim the files over integers, where less is known of words, and over bit-vectors.

    It holds if all of one kind are `unsat`; what is equal as it is written needs none. `cases` are
    bits of parts, (source, part, first, count), of which each value is a case of its own, and
    nodes: conditions, which hold in one case and not in the other.
    """
    conditions = [c for c in cases if isinstance(c, int)]
    fields = [c for c in cases if not isinstance(c, int)]
    claims = {}
    for chosen in itertools.product(*(range(1 << count) for *_, count in fields)):
        known = {
            (source, part): (first, count, value)
            for (source, part, first, count), value in zip(fields, chosen, strict=True)
        }
        integers, writer = Integers(tokens, fixed, known), Writer(known)
        bits = FormulaWriter(writer, tokens, tokens.sizes, fixed)
        for kind, (files, formulas) in enumerate(((integers, integers), (writer, bits))):
            for path in _paths(files, formulas, conditions):
                for claim, text in _differences(files, formulas, tree, short, {}, path):
                    claims.setdefault(claim, ([], []))[kind].append(text)
    return claims


def _paths(writer, formulas, conditions):
    """What holds in each case."""
    texts = [writer.truth(formulas.term(c)) for c in conditions]
    for truths in itertools.product((True, False), repeat=len(texts)):
        yield [t if truth else f"(not {t})" for t, truth in zip(texts, truths, strict=True)]


def _pruned(tree, decided):
    """Without branches that are decided."""
    if len(tree) == 2:
        return tree
    if tree[0] in decided:
        return _pruned(tree[2 if decided[tree[0]] else 3], decided)
    return [*tree[:2], _pruned(tree[2], decided), _pruned(tree[3], decided)]


def _differences(writer, formulas, tree, short, decided, path):
    """Claims, by what is decided on the way to them and what they are about, with a file each."""
    tree = _pruned(tree, decided)
    if tree == short:
        return
    if len(short) == 4:
        text = writer.truth(formulas.term(short[0]))
        for truth, side in ((True, short[2]), (False, short[3])):
            now = [*path, text if truth else f"(not {text})"]
            known = {**decided, short[0]: truth}
            yield from _differences(writer, formulas, tree, side, known, now)
        asked = _queries(writer, formulas, tree, short[1], path)
    else:
        for group, (expr, guard, _) in enumerate(short[0]):
            texts = _unequal(
                writer, formulas, tree, lambda leaf, group=group: leaf[0][group], expr, guard, path
            )
            for text in texts:
                yield (*decided.items(), group), text
        asked = _queries(writer, formulas, tree, short[1], path)
    for what, text in asked:
        yield (*decided.items(), "query", *what), text


def _queries(writer, formulas, tree, queries, path):
    """What is looked up is looked up in the same place, wherever the derived tree does so."""
    for head, tags, index, hits, falls in queries:
        asked = _asked(tree, head)
        if not asked or any((*map(bool, q[3:]),) != (bool(hits), bool(falls)) for q in asked):
            raise ValueError("a query that the derived tree does not have")
        for i, tag in enumerate(tags):
            texts = _unequal(
                writer, formulas, tree,
                lambda leaf, head=head, i=i: [_query(leaf, head)[1][i], -1], tag, -1, path, head,
            )  # fmt: skip
            yield from (((head, i), text) for text in texts)
        texts = _unequal(
            writer,
            formulas,
            tree,
            lambda leaf, head=head: _query(leaf, head)[2],
            *index[:2],
            path,
            head,
        )
        yield from (((head, "index"), text) for text in texts)


def _query(leaf, head):
    return next((q for q in leaf[1] if q[0] == head), None)


def _asked(tree, head):
    own = [q for q in tree[1] if q[0] == head]
    return own if len(tree) == 2 else own + _asked(tree[2], head) + _asked(tree[3], head)


def _unequal(writer, formulas, tree, chosen, expr, guard, path, head=None):
    """Files that ask whether a word of the tree differs from an expression where a guard holds.

    With `head`, splits that ask for it count as well as leaves, and what does not ask counts not.
    """
    short = formulas.term(expr)
    holds = [*path, "true"] if guard < 0 else [*path, writer.truth(formulas.term(guard))]

    def differs(branch):
        """A text that is true where what is chosen of a leaf or a split differs."""
        long, may = chosen(branch)[:2]
        term = formulas.term(long)
        width = max(term.width, short.width)
        texts = writer.fit(term, width), writer.fit(short, width)
        unequal = "false" if texts[0] == texts[1] else f"(not (= {texts[0]} {texts[1]}))"
        if may < 0 or may == guard:
            return unequal
        return f"(or {unequal} (not {writer.truth(formulas.term(may))}))"

    def wrong(branch):
        """A text that is true where the branch differs."""
        asks = head is None or _query(branch, head) is not None
        if len(branch) == 2:
            return differs(branch) if asks else "false"
        sides = wrong(branch[2]), wrong(branch[3])
        text = sides[0]
        if sides[0] != sides[1]:
            text = f"(ite {writer.truth(formulas.term(branch[0]))} {sides[0]} {sides[1]})"
        if head is None or not asks:
            return text
        here = differs(branch)
        if "false" in (here, text):
            return text if here == "false" else here
        return f"(or {here} {text})"

    text = wrong(tree)
    if text != "false":
        yield writer.file(f"(and {text} {' '.join(holds)})")
