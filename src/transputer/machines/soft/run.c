// The hard path as a library: see machine.h.

uint64_t soft_advance(const machine *m, const instr *code, state *s, tapes *t, uint64_t limit) {
    return advance(m, code, s, t, limit);
}
