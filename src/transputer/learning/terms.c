// Bottom-up enumeration of terms. A term is what an expression over the inputs gives on every
// example; of terms that agree on all examples only the cheapest is kept. TERM_CASES, a case for
// every operation of two words, is written from the table by terms.py: LOOP(code, expression).

typedef struct {
    uint32_t width, examples, results, capacity, count;
    const word_t *wanted;              // results x examples
    word_t *values;                    // capacity x examples
    word_t *first;                     // capacity: the value on the first example
    uint32_t *op, *left, *right;       // capacity; right is a constant's index for `with_number`
    uint32_t *table;                   // slots: index + 1, 0 where empty
    uint64_t slots, evaluations;
    uint32_t pairs_count, singles_count, numbers_count;
    const uint32_t *pairs, *commutes;  // operations of two terms
    const uint32_t *singles;           // operations of a term and a constant
    const word_t *numbers;             // numbers_count x examples: constants, repeated
    const int32_t *stop;               // set from outside to end early
} bank;

typedef struct { uint32_t *result, *op, *left, *right; uint32_t room, count; } goals;

static uint64_t hash(const word_t *row, uint32_t n) {
    uint64_t h = 1469598103934665603ull;
    for (uint32_t i = 0; i < n; i++) {
        h = (h ^ row[i]) * 0x9E3779B97F4A7C15ull;
        h ^= h >> 29;
    }
    return h;
}

static int same(const word_t *a, const word_t *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) if (a[i] != b[i]) return 0;
    return 1;
}

// Adds a row unless its values are known; 1 if it was new, -1 if there is no room.
int terms_insert(bank *b, const word_t *row, uint32_t op, uint32_t left, uint32_t right) {
    uint64_t slot = hash(row, b->examples) & (b->slots - 1);
    for (; b->table[slot]; slot = (slot + 1) & (b->slots - 1))
        if (same(b->values + (uint64_t)(b->table[slot] - 1) * b->examples, row, b->examples))
            return 0;
    if (b->count == b->capacity) return -1;
    uint32_t at = b->count++;
    for (uint32_t k = 0; k < b->examples; k++) b->values[(uint64_t)at * b->examples + k] = row[k];
    b->first[at] = row[0];
    b->op[at] = op, b->left[at] = left, b->right[at] = right;
    b->table[slot] = at + 1;
    return 1;
}

#define EXPAND(code, expression) \
    case code: for (uint32_t k = 0; k < E; k++) { \
        const word_t x = vx[k], y = vy[k]; out[k] = (expression); } break;

static void combine(const bank *m, uint32_t op, const word_t *vx, const word_t *vy,
                    word_t *out) {
    const uint32_t spare = WORD_BITS - m->width, E = m->examples;
    const word_t mask = (word_t)-1 >> spare;
    (void)mask, (void)spare;
#define LOOP EXPAND
    switch (op) { TERM_CASES }
#undef LOOP
}

// Stores every new term: an operation on terms from [low, high) and [from, to), or on a term from
// [low, high) and a constant (from == to). 0, or -1 without room or when stopped.
int terms_grow(bank *b, uint32_t low, uint32_t high, uint32_t from, uint32_t to) {
    word_t row[64];
    const uint32_t E = b->examples;
    if (from == to) {
        for (uint32_t i = low; i < high && !*b->stop; i++)
            for (uint32_t s = 0; s < b->singles_count; s++)
                for (uint32_t n = 0; n < b->numbers_count; n++) {
                    combine(b, b->singles[s], b->values + (uint64_t)i * E, b->numbers + n * E, row);
                    b->evaluations++;
                    if (terms_insert(b, row, b->singles[s], i, n) < 0) return -1;
                }
        return *b->stop ? -1 : 0;
    }
    for (uint32_t i = low; i < high; i++) {
        if (*b->stop) return -1;
        for (uint32_t j = from; j < to; j++)
            for (uint32_t s = 0; s < b->pairs_count; s++) {
                if (b->commutes[s] && j < i && low <= j && i < to && i >= from && j < high) continue;
                combine(b, b->pairs[s], b->values + (uint64_t)i * E, b->values + (uint64_t)j * E, row);
                b->evaluations++;
                if (terms_insert(b, row, b->pairs[s], i, j) < 0) return -1;
            }
    }
    return 0;
}

static void record(goals *g, uint32_t result, uint32_t op, uint32_t left, uint32_t right) {
    if (g->count >= g->room) return;
    g->result[g->count] = result, g->op[g->count] = op;
    g->left[g->count] = left, g->right[g->count] = right;
    g->count++;
}

// Terms from [low, high) that are a wanted result.
void terms_scan(const bank *b, uint32_t low, uint32_t high, goals *g) {
    for (uint32_t r = 0; r < b->results; r++)
        for (uint32_t i = low; i < high; i++)
            if (same(b->values + (uint64_t)i * b->examples, b->wanted + r * b->examples, b->examples))
                record(g, r, 0xFFFFFFFFu, i, 0);
}

#define SEEK(code, expression) \
    case code: \
        for (uint32_t j = from; j < to && g->count < g->room; j++) { \
            { const word_t x = vx[0], y = b->first[j]; if ((expression) != w[0]) continue; } \
            const word_t *vy = b->values + (uint64_t)j * E; \
            uint32_t k = 1; \
            for (; k < E; k++) { const word_t x = vx[k], y = vy[k]; if ((expression) != w[k]) break; } \
            if (k == E) record(g, r, code, i, j); \
        } break;

// The same pairs as `terms_grow`, stored nowhere: those that are a wanted result are listed.
int terms_seek(bank *b, uint32_t r, uint32_t low, uint32_t high, uint32_t from, uint32_t to, goals *g) {
    const bank *m = b;
    const uint32_t spare = WORD_BITS - m->width, E = m->examples;
    const word_t mask = (word_t)-1 >> spare;
    const word_t *w = b->wanted + r * E;
    (void)mask, (void)spare;
    for (uint32_t i = low; i < high; i++) {
        if (*b->stop) return -1;
        const word_t *vx = b->values + (uint64_t)i * E;
        b->evaluations += (uint64_t)(to - from) * b->pairs_count;
        for (uint32_t s = 0; s < b->pairs_count; s++) {
#define LOOP SEEK
            switch (b->pairs[s]) { TERM_CASES }
#undef LOOP
        }
    }
    return 0;
}

// For each term from 0 to count, the examples on which it is result r, as bits.
void terms_cover(const bank *b, uint32_t r, uint32_t count, uint64_t *masks) {
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        for (uint32_t k = 0; k < b->examples; k++)
            bits |= (uint64_t)(b->values[(uint64_t)i * b->examples + k] == b->wanted[r * b->examples + k]) << k;
        masks[i] = bits;
    }
}

// Conditions on pairs of the first `count` terms: equal (0), less signed (1) and below (2), each
// different set of examples once, with its kind and terms. How many there are.
uint32_t terms_conditions(const bank *b, uint32_t count, uint32_t kinds, uint64_t *masks,
                          uint32_t *kind, uint32_t *left, uint32_t *right, uint32_t room,
                          uint64_t *table, uint64_t slots) {
    const uint32_t E = b->examples, spare = WORD_BITS - b->width;
    const uint64_t all = E == 64 ? ~0ull : (1ull << E) - 1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < count; j++)
            for (uint32_t c = 0; c < 3; c++) {
                if (i == j || !(kinds >> c & 1) || (c == 0 && j < i)) continue;
                const word_t *x = b->values + (uint64_t)i * E, *y = b->values + (uint64_t)j * E;
                uint64_t bits = 0;
                for (uint32_t k = 0; k < E; k++) {
                    uint32_t holds = c == 0 ? x[k] == y[k]
                        : c == 1 ? as_signed(x[k], spare) < as_signed(y[k], spare) : x[k] < y[k];
                    bits |= (uint64_t)holds << k;
                }
                if (!bits || bits == all) continue;
                uint64_t slot = (bits * 0x9E3779B97F4A7C15ull >> 20) & (slots - 1);
                while (table[slot] && table[slot] != bits) slot = (slot + 1) & (slots - 1);
                if (table[slot]) continue;
                if (n == room) return n;
                table[slot] = bits;
                masks[n] = bits, kind[n] = c, left[n] = i, right[n] = j;
                n++;
            }
    return n;
}
