/* Key tables: for each distinct key the latest token that has it.
 *
 * A head attends to the largest score, then the latest position. Tokens of equal keys differ in
 * a score by the position alone, so the latest (or, for WIDE, the first) of each key is all that
 * can ever be attended to. Entries hold the key, the position, and what the heads read there.
 *
 * PACKED. plan.py has shown that, up to what all tokens share, a score is
 *
 *     c (2 u.a - |a|^2 + m) + sum_j s_j e_j + r p  ==  c |u|^2 - c |u - a|^2 + K + r p
 *
 * with digits a, query digits u, K = c m + sum_j s_j e_j, position p, constants c > 0, r >= 0.
 * Keys of equal m and e make a class; K is one number per class and query. As long as c > r p
 * for all positions, the best of a class is the latest of those nearest to u: at distance 0 the
 * one that a hash table finds, else a tree does. Fields of a key are digits, m and e, in bits.
 */
#ifndef TRANSPUTER_TABLE_H
#define TRANSPUTER_TABLE_H

#include "image.h"

enum { MAX_CLASSES = 64, MAX_DIGITS = 16, BUCKET = 16, FEW = 4 };
#define FAR ((word)1 << 27) /* squares of larger digits would not fit; those are scanned for */
#define NOTHING UINT32_MAX

typedef __int128 wide;

typedef struct {
    int32_t left;           /* its children are left and left + 1; 0: a leaf */
    int32_t digit, count;
    uint32_t first;         /* leaf: a list of entries, linked by `next` */
    word split;             /* left: those whose digit is below it */
} Node;

typedef struct {
    uint64_t bits;          /* the class fields of its keys */
    uint32_t count, capacity, known; /* entries; how many of them are in the tree */
    uint32_t *member;
    Node *node;
    word *box;              /* [node][digit] lowest and highest that its entries have */
    int32_t nodes;
    uint64_t node_capacity, box_capacity;
} Class;

typedef struct { word lookups, misses, scanned; } Counts;

/* ---- Keys that nobody asks for. ----
 *
 * Tokens that no head will look for would fill a table. When it grows past a limit, it is noted
 * which values of each digit are asked for. When it has doubled, one value is given up: the one
 * that most keys have, nobody asked for, and no token of the host's has. Its entries go, and such
 * keys are not kept any more. A lookup stays exact: if it asks for that value, or if a key at
 * distance 1 could have won, the table is `lost`, and the session has to be made again with a
 * table that keeps everything. */

enum { DIGIT_BITS = 12 };

typedef struct {
    int watching;           /* lookups note what they ask for */
    int active;             /* some value is given up */
    int lost;               /* a lookup needs what is gone */
    uint64_t limit;         /* entries at which to look again; 0: keep everything */
    uint8_t *asked, *gone;  /* [digit][value] */
} Oblivion;

typedef struct {
    const TableRecord *record;
    const word *shift, *bits, *low;
    Readings key;           /* static tables: the packed key, or the score */
    int digits;             /* fields that are no class fields, by number: */
    int field[MAX_DIGITS];
    int distant;            /* some digit may be too large to be squared */
    word keywords;
    size_t payload, at_payload, stride; /* bytes */
    char *entries;
    uint32_t *slots, *next;
    uint64_t count, capacity, mask;
    uint64_t next_capacity;
    Class classes[MAX_CLASSES];
    int class_count, crowded; /* crowded: more classes than are told apart; all is scanned */
    int wide;               /* keys are rows of words, first positions are kept too */
    word best;              /* RUNNING: the best score so far */
    Oblivion oblivion;
} Table;

static inline word *entry_key(const Table *t, uint64_t i) {
    return (word *)(t->entries + i * t->stride);
}
static inline word *entry_last(const Table *t, uint64_t i) { return entry_key(t, i) + t->keywords; }
static inline word *entry_first(const Table *t, uint64_t i) { return entry_last(t, i) + 1; }
static inline char *entry_payload(const Table *t, uint64_t i) {
    return t->entries + i * t->stride + t->at_payload;
}

static inline word field_of(const Table *t, uint64_t key, word field) {
    uint64_t bits = key >> t->shift[field];
    uint64_t mask = ((uint64_t)1 << t->bits[field]) - 1;
    return (word)(bits & mask) + t->low[field];
}

static inline uint64_t mixed(uint64_t h) {
    h *= 0x9E3779B97F4A7C15u; /* 2^64 / golden ratio; the high bits depend on all */
    return h ^ h >> 32;
}

static uint64_t key_hash(const Table *t, const word *key) {
    uint64_t h = 0;
    for (word i = 0; i < t->keywords; i++) h = mixed(h + (uint64_t)key[i]);
    return h;
}

static int fits(void **memory, uint64_t *capacity, uint64_t wanted, size_t size) {
    if (wanted <= *capacity) return 1;
    uint64_t more = *capacity + *capacity / 2;
    if (more < wanted) more = wanted;
    if (more < 16) more = 16;
    void *moved = realloc(*memory, more * size);
    if (!moved) return 0;
    *memory = moved;
    *capacity = more;
    return 1;
}

static void table_layout(Table *t, int wide_keys, word keywords, size_t payload) {
    t->wide = wide_keys;
    t->keywords = keywords;
    t->payload = (payload + 7) & ~(size_t)7;
    t->at_payload = sizeof(word) * (size_t)(keywords + 1 + wide_keys);
    t->stride = t->at_payload + t->payload * (size_t)(1 + wide_keys);
}

static void table_open(Table *t, const word *image, const TableRecord *record) {
    memset(t, 0, sizeof *t);
    t->record = record;
    t->shift = image + record->shift;
    t->bits = image + record->bits;
    t->low = image + record->low;
    if (!record->dynamic) t->key = readings_at(image, record->key);
    for (word f = 0; f < record->fields; f++) {
        uint64_t one = (uint64_t)1 << t->shift[f];
        if (!t->bits[f] || (uint64_t)record->classes & one) continue;
        t->field[t->digits++] = (int)f;
        t->distant |= t->bits[f] > 26 || t->low[f] > FAR || t->low[f] < -FAR;
    }
    table_layout(t, record->kind == WIDE, record->keywords, (size_t)record->payload);
}

static void table_close(Table *t) {
    for (int i = 0; i < t->class_count; i++) {
        free(t->classes[i].member);
        free(t->classes[i].node);
        free(t->classes[i].box);
    }
    free(t->entries);
    free(t->slots);
    free(t->next);
    free(t->oblivion.asked);
    free(t->oblivion.gone);
}

static int rehash(Table *t) {
    uint64_t size = t->mask ? 2 * (t->mask + 1) : 64;
    uint32_t *slots = realloc(NULL, size * sizeof *slots);
    if (!slots) return 0;
    memset(slots, 0xFF, size * sizeof *slots);
    for (uint64_t i = 0; i < t->count; i++) {
        uint64_t at = key_hash(t, entry_key(t, i)) & (size - 1);
        while (slots[at] != NOTHING) at = (at + 1) & (size - 1);
        slots[at] = (uint32_t)i;
    }
    free(t->slots);
    t->slots = slots;
    t->mask = size - 1;
    return 1;
}

/* Where a key is, or where it would be. */
static inline uint64_t slot_of(const Table *t, const word *key) {
    uint64_t at = key_hash(t, key) & t->mask;
    for (;; at = (at + 1) & t->mask) {
        uint32_t i = t->slots[at];
        if (i == NOTHING) return at;
        const word *held = entry_key(t, i);
        word k = 0;
        while (k < t->keywords && held[k] == key[k]) k++;
        if (k == t->keywords) return at;
    }
}

static inline uint32_t find_packed(const Table *t, uint64_t key) {
    if (!t->count) return NOTHING;
    for (uint64_t at = mixed(key) & t->mask;; at = (at + 1) & t->mask) {
        uint32_t i = t->slots[at];
        if (i == NOTHING || (uint64_t)*entry_key(t, i) == key) return i;
    }
}

static int join_class(Table *t, uint32_t entry, uint64_t bits) {
    int k = 0;
    while (k < t->class_count && t->classes[k].bits != bits) k++;
    if (k == MAX_CLASSES) return t->crowded = 1;
    Class *c = &t->classes[k];
    if (k == t->class_count) {
        memset(c, 0, sizeof *c);
        c->bits = bits;
        t->class_count++;
    }
    uint64_t capacity = c->capacity;
    if (!fits((void **)&c->member, &capacity, c->count + 1, sizeof *c->member)) return 0;
    c->capacity = (uint32_t)capacity;
    c->member[c->count++] = entry;
    return 1;
}

/* The entry of a key, made if there is none; NOTHING where memory ran out. */
static uint32_t table_entry(Table *t, const word *key, word position) {
    if (2 * (t->count + 1) > t->mask && !rehash(t)) return NOTHING;
    uint64_t at = slot_of(t, key);
    if (t->slots[at] != NOTHING) return t->slots[at];
    if (t->count + 1 >= NOTHING) return NOTHING;
    if (!fits((void **)&t->entries, &t->capacity, t->count + 1, t->stride)) return NOTHING;
    uint32_t i = (uint32_t)t->count;
    memcpy(entry_key(t, i), key, sizeof(word) * (size_t)t->keywords);
    if (t->wide) *entry_first(t, i) = position;
    else if (!join_class(t, i, (uint64_t)key[0] & (uint64_t)t->record->classes)) return NOTHING;
    t->slots[at] = i;
    t->count++;
    return i;
}

/* Note a token at a position; 0 where memory ran out. */
static int table_note(Table *t, const word *key, word position, const void *payload, size_t size) {
    uint64_t before = t->count;
    uint32_t i = t->keywords == 1 ? find_packed(t, (uint64_t)*key) : NOTHING; /* most are there */
    if (i == NOTHING) i = table_entry(t, key, position);
    if (i == NOTHING) return 0;
    *entry_last(t, i) = position;
    memcpy(entry_payload(t, i), payload, size);
    if (t->wide && t->count > before) memcpy(entry_payload(t, i) + t->payload, payload, size);
    return 1;
}

static inline uint8_t *digit_flag(const Table *t, uint8_t *flags, int d, uint64_t key) {
    uint64_t value = key >> t->shift[t->field[d]] & (((uint64_t)1 << t->bits[t->field[d]]) - 1);
    return flags + ((uint64_t)d << DIGIT_BITS) + (value & ((1 << DIGIT_BITS) - 1));
}

static int key_gone(const Table *t, uint64_t key) {
    for (int d = 0; d < t->digits; d++)
        if (*digit_flag(t, t->oblivion.gone, d, key)) return 1;
    return 0;
}

static int class_known(const Table *t, uint64_t key) {
    for (int i = 0; i < t->class_count; i++)
        if (t->classes[i].bits == (key & (uint64_t)t->record->classes)) return 1;
    return 0;
}

/* The flag of the value that most keys have and nobody asked for; NULL if few have it. */
static uint8_t *most_common(const Table *t) {
    const Oblivion *o = &t->oblivion;
    uint64_t most = t->count / 4;
    uint8_t *found = NULL;
    uint32_t *count = realloc(NULL, sizeof *count << DIGIT_BITS);
    for (int d = 0; count && d < t->digits; d++) {
        if (t->bits[t->field[d]] > DIGIT_BITS) continue;
        memset(count, 0, sizeof *count << DIGIT_BITS);
        uint8_t *flags = o->gone + ((uint64_t)d << DIGIT_BITS);
        for (uint64_t i = 0; i < t->count; i++) {
            word at = digit_flag(t, o->gone, d, (uint64_t)*entry_key(t, i)) - flags;
            if (++count[at] <= most || o->asked[((uint64_t)d << DIGIT_BITS) + (uint64_t)at]) continue;
            most = count[at];
            found = flags + at;
        }
    }
    free(count);
    return found;
}

/* The table without the keys that are gone. */
static int table_forget(Table *t) {
    Table old = *t;
    t->entries = NULL, t->slots = t->next = NULL;
    t->count = t->capacity = t->mask = t->next_capacity = 0;
    t->class_count = 0;
    int done = 1;
    for (int i = 0; i < old.class_count; i++) { /* their bits stay known */
        memset(&t->classes[i], 0, sizeof t->classes[i]);
        t->classes[i].bits = old.classes[i].bits;
        t->class_count++;
    }
    for (uint64_t i = 0; done && i < old.count; i++) {
        const word *key = entry_key(&old, i);
        if (key_gone(t, (uint64_t)*key)) continue;
        done = table_note(t, key, *entry_last(&old, i), entry_payload(&old, i),
                          (size_t)old.record->payload);
    }
    old.oblivion.asked = old.oblivion.gone = NULL; /* those are in use */
    table_close(&old);
    return done && fits((void **)&t->entries, &t->capacity, 1, t->stride);
}

static int oblivion_open(Table *t, uint64_t limit) {
    Oblivion *o = &t->oblivion;
    size_t size = (size_t)t->digits << DIGIT_BITS;
    o->limit = limit;
    o->asked = zeroed(size, 1);
    o->gone = zeroed(size, 1);
    return o->asked && o->gone;
}

/* Marks the values that the digits of a key have. */
static void mark_asked(Table *t, uint64_t key) {
    for (int d = 0; d < t->digits; d++)
        if (t->bits[t->field[d]] <= DIGIT_BITS) *digit_flag(t, t->oblivion.asked, d, key) = 1;
}

/* The table has reached its limit: begin to look at what is asked for, or give something up. */
static int table_full(Table *t) {
    Oblivion *o = &t->oblivion;
    uint8_t *chosen = o->watching ? most_common(t) : NULL;
    o->watching = 1;
    if (chosen) {
        *chosen = o->active = 1;
        if (!table_forget(t)) return 0;
    }
    while (o->limit < 2 * t->count) o->limit *= 2;
    return 1;
}

/* Notes a token unless its key is gone; 0 where memory ran out. */
static inline int table_keep(Table *t, word key, word position, const void *payload, size_t size) {
    if (t->oblivion.active && key_gone(t, (uint64_t)key) && class_known(t, (uint64_t)key)) return 1;
    if (!table_note(t, &key, position, payload, size)) return 0;
    return t->count < t->oblivion.limit || !t->oblivion.limit || table_full(t);
}

/* RUNNING: one entry, the best so far; >= because of equal scores the latest counts. */
static int table_offer(Table *t, word score, word position, const void *payload, size_t size) {
    if (t->count && score < t->best) return 1;
    if (!fits((void **)&t->entries, &t->capacity, 1, t->stride)) return 0;
    t->count = 1;
    t->best = score;
    *entry_last(t, 0) = position;
    memcpy(entry_payload(t, 0), payload, size);
    return 1;
}

#endif
