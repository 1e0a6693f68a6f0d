// The hard path in C, for searches and exhaustive checks. The numbers of the operations (OP_…)
// come from the table; tests compare every row with the JAX machine.
#include <stdint.h>

typedef struct { uint32_t op, d, a, b, n; } instr;
typedef struct {
    uint32_t width, registers, length, memory;  // memory is a power of two
    uint32_t limit;                             // steps after which a run is given up
} machine;

#define MAX_REGISTERS 16

static inline uint32_t place(uint32_t word, uint32_t length) {
    uint32_t reach = 1;
    while (reach <= length) reach *= 2;
    word &= reach - 1;
    return word < length ? word : length;
}

static inline int32_t as_signed(uint32_t word, uint32_t spare) {
    return (int32_t)(word << spare) >> spare;
}

// Runs a program on registers and memory in place; 1 if it ended within the limit. Ports are
// empty: IN gives all ones, OUT is lost.
static int execute(const machine *m, const instr *code, uint32_t *r, uint32_t *mem) {
    const uint32_t mask = 0xFFFFFFFFu >> (32 - m->width), spare = 32 - m->width;
    const uint32_t cells = m->memory - 1, length = m->length, bytes = m->width / 8;
    uint32_t pc = 0, zero = 0, less = 0;
    for (uint32_t step = 0; step < m->limit; step++) {
        if (pc >= length) return 1;
        const instr *i = code + pc++;
        const uint32_t a = r[i->a], b = r[i->b], n = i->n & mask;
        uint32_t at;
        switch (i->op) {
        case OP_HALT: return 1;
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
        case OP_CMP: zero = a == b; less = as_signed(a, spare) < as_signed(b, spare); break;
        case OP_CMOV: if (less) r[i->d] = a; break;
        case OP_JMP: pc = place(n, length); break;
        case OP_JEQ: if (zero) pc = place(n, length); break;
        case OP_JNE: if (!zero) pc = place(n, length); break;
        case OP_JLT: if (less) pc = place(n, length); break;
        case OP_JGE: if (!less) pc = place(n, length); break;
        case OP_DJNZ: r[i->d] = (r[i->d] - 1) & mask; if (r[i->d]) pc = place(n, length); break;
        case OP_CALL: r[i->d] = pc; pc = place(n, length); break;
        case OP_RET: pc = place(a, length); break;
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
        case OP_IN: r[i->d] = mask; break;
        case OP_OUT: break;
        }
    }
    return pc >= length;
}
