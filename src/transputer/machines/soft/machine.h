// The hard path in C, for programs, searches and exhaustive checks. The numbers of the operations
// (OP_…) come from the table; tests compare every row with the JAX machine.
#include <stdint.h>

typedef struct { uint32_t op, d, a, b, n; } instr;
typedef struct {
    uint32_t width, registers, length, memory;  // memory is a power of two
    uint32_t limit;                             // steps after which a run is given up
} machine;
typedef struct { uint32_t *r, *mem, flags, pc; } state;
// The tapes. A machine that waits stops before it reads past the end of its input, or writes past
// the end of its output; else it reads all ones, and what it writes is lost.
typedef struct {
    const uint32_t *inputs;
    uint32_t given, read, waits_for_input;
    uint32_t *outputs;
    uint32_t room, wrote, waits_for_room;
} tapes;

#define MAX_REGISTERS 16
#define INLINED static inline __attribute__((always_inline))

// The place that a word names, with `within` one less than a power of two above the length.
static inline uint32_t place(uint32_t word, uint32_t within, uint32_t length) {
    word &= within;
    return word < length ? word : length;
}

static inline int32_t as_signed(uint32_t word, uint32_t spare) {
    return (int32_t)(word << spare) >> spare;
}

// Goes on from a state, for so many steps or until the program ends or waits; how many there were.
// Without tapes IN gives all ones and OUT is lost.
INLINED uint64_t
advance(const machine *m, const instr *code, state *s, tapes *t, uint64_t limit) {
    const uint32_t mask = 0xFFFFFFFFu >> (32 - m->width), spare = 32 - m->width;
    const uint32_t cells = m->memory - 1, length = m->length, bytes = m->width / 8;
    uint32_t *const r = s->r, *const mem = s->mem;
    const uint32_t within = 0xFFFFFFFFu >> __builtin_clz(length | 1);
    uint32_t pc = s->pc, zero = s->flags & 1, negative = s->flags >> 1 & 1;
    uint32_t carry = s->flags >> 2 & 1, overflow = s->flags >> 3 & 1, less = s->flags >> 4 & 1;
    uint64_t step = 0;
    for (; step < limit && pc < length; step++) {
        const instr *i = code + pc++;
        const uint32_t a = r[i->a], b = r[i->b], n = i->n & mask;
        uint32_t at;
        switch (i->op) {
        case OP_HALT: pc = length; break;
        case OP_MOV: r[i->d] = a; break;
        case OP_SET: r[i->d] = n; break;
        case OP_ADD: r[i->d] = (a + b) & mask; break;
        case OP_ADDI: r[i->d] = (a + n) & mask; break;
        case OP_SUB: r[i->d] = (a - b) & mask; break;
        case OP_AND: r[i->d] = a & b; break;
        case OP_OR: r[i->d] = a | b; break;
        case OP_XOR: r[i->d] = a ^ b; break;
        case OP_SHL: r[i->d] = a << (n & (m->width - 1)) & mask; break;
        case OP_SHR: r[i->d] = a >> (n & (m->width - 1)); break;
        case OP_SRA: r[i->d] = (uint32_t)(as_signed(a, spare) >> (n & (m->width - 1))) & mask; break;
        case OP_MIN: r[i->d] = as_signed(a, spare) < as_signed(b, spare) ? a : b; break;
        case OP_MAX: r[i->d] = as_signed(a, spare) < as_signed(b, spare) ? b : a; break;
        case OP_CMP:
            zero = a == b;
            negative = (a - b) >> (m->width - 1) & 1;
            carry = a >= b;
            less = as_signed(a, spare) < as_signed(b, spare);
            overflow = negative ^ less;
            break;
        case OP_CMOV: if (less) r[i->d] = a; break;
        case OP_JMP: pc = place(n, within, length); break;
        case OP_JEQ: if (zero) pc = place(n, within, length); break;
        case OP_JNE: if (!zero) pc = place(n, within, length); break;
        case OP_JLT: if (less) pc = place(n, within, length); break;
        case OP_JGE: if (!less) pc = place(n, within, length); break;
        case OP_DJNZ: r[i->d] = (r[i->d] - 1) & mask; if (r[i->d]) pc = place(n, within, length); break;
        case OP_CALL: r[i->d] = pc; pc = place(n, within, length); break;
        case OP_RET: pc = place(a, within, length); break;
        case OP_LD: r[i->d] = mem[(a + n) & cells]; break;
        case OP_ST: mem[(a + n) & cells] = b; break;
        case OP_LDP: at = mem[a & cells]; r[i->a] = (a + 1) & mask; r[i->d] = at; break;
        case OP_STP: mem[a & cells] = b; r[i->a] = (a + 1) & mask; break;
        case OP_LDB:
            at = (a + n) & (m->memory * bytes - 1);
            r[i->d] = mem[at / bytes] >> at % bytes * 8 & 0xFF;
            break;
        case OP_STB:
            at = (a + n) & (m->memory * bytes - 1);
            mem[at / bytes] &= ~(0xFFu << at % bytes * 8);
            mem[at / bytes] |= (b & 0xFF) << at % bytes * 8;
            break;
        case OP_IN:
            if (t && t->read < t->given) r[i->d] = t->inputs[t->read++];
            else if (t && t->waits_for_input) { pc--; goto waiting; }
            else r[i->d] = mask;
            break;
        case OP_OUT:
            if (t && t->wrote < t->room) t->outputs[t->wrote++] = a;
            else if (t && t->waits_for_room) { pc--; goto waiting; }
            break;
        }
    }
waiting:
    s->pc = pc;
    s->flags = zero | negative << 1 | carry << 2 | overflow << 3 | less << 4;
    return step;
}

// Runs a program on registers and memory in place; 1 if it ended within the limit.
INLINED int execute(const machine *m, const instr *code, uint32_t *r, uint32_t *mem) {
    state s = {r, mem, 0, 0};
    advance(m, code, &s, 0, m->limit);
    return s.pc >= m->length;
}
