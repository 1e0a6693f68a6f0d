/* PACKED lookups: the largest score, exactly, whatever the query. See table.h for the identity. */
#ifndef TRANSPUTER_NEAREST_H
#define TRANSPUTER_NEAREST_H

#include "table.h"

typedef struct { word distance, position; uint32_t entry; } Near;
typedef struct { wide score; word position; uint32_t entry; } Best;

static word *box_of(const Table *t, const Class *c, int32_t node) {
    return c->box + 2 * (word)node * t->digits;
}

static int new_leaf_pair(const Table *t, Class *c, int32_t parent) {
    uint64_t nodes = (uint64_t)c->nodes + 2, sides = nodes * 2 * (uint64_t)t->digits;
    if (!fits((void **)&c->node, &c->node_capacity, nodes, sizeof *c->node)
        || !fits((void **)&c->box, &c->box_capacity, sides, sizeof *c->box))
        return 0;
    for (int i = 0; i < 2; i++) {
        Node leaf = {0, 0, 0, NOTHING, 0};
        word *box = box_of(t, c, c->nodes + i);
        c->node[c->nodes + i] = leaf;
        for (int d = 0; d < t->digits; d++) box[2 * d] = INT64_MAX, box[2 * d + 1] = INT64_MIN;
    }
    if (parent >= 0) c->node[parent].left = c->nodes;
    c->nodes += 2;
    return 1;
}

static void box_grow(const Table *t, word *box, const word *digit) {
    for (int d = 0; d < t->digits; d++) {
        if (digit[d] < box[2 * d]) box[2 * d] = digit[d];
        if (digit[d] > box[2 * d + 1]) box[2 * d + 1] = digit[d];
    }
}

static void digits_of(const Table *t, uint32_t entry, word *digit) {
    uint64_t key = (uint64_t)*entry_key(t, entry);
    for (int d = 0; d < t->digits; d++) digit[d] = field_of(t, key, t->field[d]);
}

static void leaf_push(Table *t, Node *leaf, uint32_t entry) {
    t->next[entry] = leaf->first;
    leaf->first = entry;
    leaf->count++;
}

/* Halves a leaf along a digit: left what is below `split`. */
static int leaf_split(Table *t, Class *c, int32_t at, int digit, word split) {
    if (!new_leaf_pair(t, c, at)) return 0;
    Node *node = &c->node[at];
    node->digit = digit;
    node->split = split;
    for (uint32_t e = node->first, after; e != NOTHING; e = after) {
        word held[MAX_DIGITS];
        digits_of(t, e, held);
        after = t->next[e];
        int32_t half = node->left + (held[digit] >= split);
        leaf_push(t, &c->node[half], e);
        box_grow(t, box_of(t, c, half), held);
    }
    return 1;
}

/* Put an entry into the tree: cells of digits, each halved along its longest side when it gets
 * too full. No balancing is needed: a cell has at most as many halvings as its digits have bits.
 * The box of a node is what its entries span. */
static int tree_insert(Table *t, Class *c, uint32_t entry) {
    word digit[MAX_DIGITS], low[MAX_DIGITS], high[MAX_DIGITS]; /* the cell: low <= digit < high */
    digits_of(t, entry, digit);
    for (int d = 0; d < t->digits; d++) {
        low[d] = t->low[t->field[d]];
        high[d] = low[d] + ((word)1 << t->bits[t->field[d]]);
    }
    if (!c->nodes && !new_leaf_pair(t, c, -1)) return 0; /* node 0 is the root, 1 is not used */
    for (int32_t at = 0;;) {
        box_grow(t, box_of(t, c, at), digit);
        if (!c->node[at].left) {
            if (c->node[at].count < BUCKET) {
                leaf_push(t, &c->node[at], entry);
                return 1;
            }
            int longest = 0;
            for (int d = 1; d < t->digits; d++)
                if (high[d] - low[d] > high[longest] - low[longest]) longest = d;
            word middle = low[longest] + (high[longest] - low[longest]) / 2;
            if (!leaf_split(t, c, at, longest, middle)) return 0;
        }
        const Node *node = &c->node[at];
        int right = digit[node->digit] >= node->split;
        if (right) low[node->digit] = node->split;
        else high[node->digit] = node->split;
        at = node->left + right;
    }
}

static int tree_catch_up(Table *t, Class *c) {
    if (!fits((void **)&t->next, &t->next_capacity, t->count, sizeof *t->next)) return 0;
    while (c->known < c->count) {
        if (!tree_insert(t, c, c->member[c->known])) return 0;
        c->known++;
    }
    return 1;
}

static inline word distance(const Table *t, uint32_t entry, const word *u) {
    uint64_t key = (uint64_t)*entry_key(t, entry);
    word sum = 0;
    for (int d = 0; d < t->digits; d++) {
        word away = field_of(t, key, t->field[d]) - u[d];
        sum += away * away;
    }
    return sum;
}

static void consider(const Table *t, uint32_t entry, const word *u, Near *best) {
    word away = distance(t, entry, u), position = *entry_last(t, entry);
    if (away < best->distance || (away == best->distance && position > best->position)) {
        best->distance = away;
        best->position = position;
        best->entry = entry;
    }
}

/* The square of the distance from u to the box of a node. */
static word box_distance(const Table *t, const Class *c, int32_t at, const word *u) {
    const word *box = box_of(t, c, at);
    word sum = 0;
    if (box[0] > box[1]) return INT64_MAX; /* empty */
    for (int d = 0; d < t->digits; d++) {
        word below = box[2 * d] - u[d], above = u[d] - box[2 * d + 1];
        word away = below > 0 ? below : above > 0 ? above : 0;
        sum += away * away;
    }
    return sum;
}

static void tree_search(const Table *t, const Class *c, int32_t at, const word *u, Near *best,
                        Counts *counts) {
    const Node *node = &c->node[at];
    counts->scanned++;
    if (!node->left) {
        for (uint32_t e = node->first; e != NOTHING; e = t->next[e]) consider(t, e, u, best);
        counts->scanned += node->count;
        return;
    }
    int32_t near = node->left, far = near + 1;
    word first = box_distance(t, c, near, u), second = box_distance(t, c, far, u);
    if (second < first) {
        int32_t other = near;
        word distance = first;
        near = far, far = other;
        first = second, second = distance;
    }
    /* at an equal distance there may be a later one */
    if (first <= best->distance) tree_search(t, c, near, u, best, counts);
    if (second <= best->distance && second < INT64_MAX) tree_search(t, c, far, u, best, counts);
}

static Near nearest_in_class(Table *t, Class *c, const word *u, Counts *counts) {
    Near best = {INT64_MAX, -1, NOTHING};
    if (c->count > FEW && tree_catch_up(t, c)) {
        tree_search(t, c, 0, u, &best, counts);
    } else {
        for (uint32_t i = 0; i < c->count; i++) consider(t, c->member[i], u, &best);
        counts->scanned += c->count;
    }
    return best;
}

/* K of the class with these bits: c m + sum_j s_j e_j. */
static wide class_score(const word *image, const HeadRecord *h, const Table *t, uint64_t bits,
                        const word *extra) {
    word m = h->offset_field < 0 ? 0 : field_of(t, bits, h->offset_field);
    wide k = (wide)h->scale * m;
    for (word j = 0; j < h->extras; j++)
        k += (wide)extra[j] * field_of(t, bits, image[h->extra_field + j]);
    return k;
}

static void improve(Best *best, wide score, word position, uint32_t entry) {
    if (best->entry != NOTHING
        && (score < best->score || (score == best->score && position < best->position)))
        return;
    best->score = score;
    best->position = position;
    best->entry = entry;
}

/* Every entry by its score; right for any digits, classes and positions. */
static uint32_t scan_packed(const word *image, const HeadRecord *h, const Table *t, const word *u,
                            const word *extra, Counts *counts) {
    Best best = {0, -1, NOTHING};
    for (uint64_t i = 0; i < t->count; i++) {
        uint64_t key = (uint64_t)*entry_key(t, i);
        wide score = class_score(image, h, t, key, extra) + (wide)h->recency * *entry_last(t, i);
        for (int d = 0; d < t->digits; d++) {
            wide a = field_of(t, key, t->field[d]);
            score += h->scale * (2 * a * u[d] - a * a);
        }
        improve(&best, score, *entry_last(t, i), (uint32_t)i);
    }
    counts->scanned += (word)t->count;
    return best.entry;
}

/* What is asked for must not be gone; afterwards: nor may a gone key at distance 1 have won. */
static void ask(Table *t, uint64_t key) {
    mark_asked(t, key);
    t->oblivion.lost |= t->oblivion.active && key_gone(t, key);
}

static void sure(const HeadRecord *h, Table *t, const wide *k, word now, const Best *best) {
    for (int i = 0; i < t->class_count; i++)
        t->oblivion.lost |= k[i] - h->scale + (wide)h->recency * now >= best->score;
    t->oblivion.lost |= best->entry == NOTHING;
}

/* The entry that a head attends to. `u` is ordered as the digits of the table are. */
static uint32_t lookup_packed(const word *image, const HeadRecord *h, Table *t, const word *u,
                              const word *extra, word now, Counts *counts) {
    uint64_t key = 0;
    int inside = 1, far = t->distant;
    for (int d = 0; d < t->digits; d++) {
        word f = t->field[d];
        uint64_t digit = (uint64_t)(u[d] - t->low[f]);
        inside &= digit < (uint64_t)1 << t->bits[f];
        key |= digit << t->shift[f];
    }
    counts->lookups++;
    if (t->oblivion.watching && inside) ask(t, key);
    if (t->class_count == 1 && inside && !t->crowded && h->scale > h->recency * now) {
        uint32_t hit = find_packed(t, key | t->classes[0].bits);
        if (hit != NOTHING) return hit;
    }
    for (int d = 0; d < t->digits; d++) far |= u[d] > FAR || u[d] < -FAR;
    if (t->crowded || far || h->scale <= h->recency * now) {
        t->oblivion.lost |= t->oblivion.active;
        return scan_packed(image, h, t, u, extra, counts);
    }

    Best best = {0, -1, NOTHING};
    wide k[MAX_CLASSES];
    uint64_t missed = 0;
    for (int i = 0; i < t->class_count; i++) { /* hits, at distance 0 */
        k[i] = class_score(image, h, t, t->classes[i].bits, extra);
        uint32_t hit = inside ? find_packed(t, key | t->classes[i].bits) : NOTHING;
        if (hit == NOTHING) missed |= (uint64_t)1 << i;
        else improve(&best, k[i] + (wide)h->recency * *entry_last(t, hit), *entry_last(t, hit), hit);
    }
    for (int pass = 0; pass < 2; pass++) { /* small classes first: they may spare a search */
        for (int i = 0; i < t->class_count; i++) {
            Class *c = &t->classes[i];
            if (!(missed >> i & 1) || (c->count <= FEW) == pass) continue;
            wide most = k[i] - h->scale + (wide)h->recency * now; /* at distance 1, right now */
            if (best.entry != NOTHING && most < best.score) continue;
            Near near = nearest_in_class(t, c, u, counts);
            counts->misses += pass;
            wide score = k[i] - (wide)h->scale * near.distance + (wide)h->recency * near.position;
            improve(&best, score, near.position, near.entry);
        }
    }
    if (t->oblivion.active) sure(h, t, k, now, &best);
    return best.entry == NOTHING ? 0 : best.entry; /* nothing is left: lost, whatever is read */
}

/* WIDE: sum_j q_j k_j + rest + rho p, where rho gathers what rows say about the position; of the
 * tokens of one key the latest is best, or the first if rho < 0. Returns where the values are. */
static const char *lookup_wide(const Table *t, const word *query, word rho, Counts *counts) {
    word rows = t->keywords - 1, best = 0, position = -1;
    const char *found = NULL;
    for (uint64_t i = 0; i < t->count; i++) {
        const word *key = entry_key(t, i);
        word at = rho < 0 ? *entry_first(t, i) : *entry_last(t, i);
        word score = key[rows] + rho * at;
        for (word j = 0; j < rows; j++) score += query[j] * key[j];
        if (found && (score < best || (score == best && at < position))) continue;
        best = score;
        position = at;
        found = entry_payload(t, i) + (rho < 0 ? t->payload : 0);
    }
    counts->lookups++;
    counts->scanned += (word)t->count;
    return found;
}

#endif
