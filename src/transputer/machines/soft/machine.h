// The hard path in C, for programs, searches and exhaustive checks. CASES, a case for every
// operation, is written from the table by native.py; tests compare every row with the JAX machine.

typedef struct { uint32_t op, d, a, b, n; } instr;
typedef struct {
    uint32_t width, registers, length, memory;  // memory is a power of two
    uint32_t limit;                             // steps after which a run is given up
} machine;
typedef struct { word_t *r, *mem; uint32_t flags, pc; } state;
// The tapes. A machine that waits stops before it reads past the end of its input, or writes past
// the end of its output; else it reads all ones, and what it writes is lost.
typedef struct {
    const word_t *inputs;
    uint32_t given, read, waits_for_input;
    word_t *outputs;
    uint32_t room, wrote, waits_for_room;
} tapes;

#define MAX_REGISTERS 16
#define INLINED static inline __attribute__((always_inline))

// The place that a word names, with `within` one less than a power of two above the length.
static inline uint32_t place(word_t word, uint32_t within, uint32_t length) {
    word &= within;
    return word < length ? (uint32_t)word : length;
}

// Goes on from a state for at most `limit` steps, until the program ends or waits; their number.
// Without tapes IN gives all ones and OUT is lost.
INLINED uint64_t
advance(const machine *m, const instr *code, state *s, tapes *t, uint64_t limit) {
    const uint32_t spare = WORD_BITS - m->width;
    const word_t mask = (word_t)-1 >> spare;
    const uint32_t cells = m->memory - 1, length = m->length, bytes = m->width / 8;
    word_t *const r = s->r, *const mem = s->mem;
    const uint32_t within = 0xFFFFFFFFu >> __builtin_clz(length | 1);
    uint32_t pc = s->pc, zero = s->flags & 1, negative = s->flags >> 1 & 1;
    uint32_t carry = s->flags >> 2 & 1, overflow = s->flags >> 3 & 1, less = s->flags >> 4 & 1;
    uint64_t step = 0;
    for (; step < limit && pc < length; step++) {
        const instr *i = code + pc++;
        const word_t a = r[i->a], b = r[i->b], n = extended(i->n) & mask;
        word_t at;
        switch (i->op) {
        CASES
        }
    }
waiting:
    s->pc = pc;
    s->flags = zero | negative << 1 | carry << 2 | overflow << 3 | less << 4;
    return step;
}

// Runs a program on registers and memory in place; 1 if it ended within the limit.
INLINED int execute(const machine *m, const instr *code, word_t *r, word_t *mem) {
    state s = {r, mem, 0, 0};
    advance(m, code, &s, 0, m->limit);
    return s.pc >= m->length;
}
