/* Rows that were not compiled: the steps of `bytecode.py`, interpreted.

   A block has the number of its constants, the constants and then the code. A register has 128
   bits, of which most operations use the low 64. The words of the last token are in the first
   registers. Needs `State`, `note`, `is_bare` and the numbers of reasons and operations. */

typedef union {
    i128 x;
    int64_t v;
    uint64_t u;
} Register;

typedef union {
    struct { uint64_t low; int64_t high; } halves;
    i128 x;
} Wide;

static inline i128 wide_(const int64_t *at) {
    const Wide w = {{(uint64_t)at[0], at[1]}};
    return w.x;
}

/* A register as a number: with a sign in 64 bits, without one, or in 128 bits. */
static inline i128 extended_(const Register *r, int32_t operand) {
    const Register *const from = r + (operand & 0xFFFFFF);
    const int32_t type = operand >> 24;
    return type == 0 ? from->v : type == 1 ? (i128)from->u : from->x;
}

static inline uint64_t rotated_(uint64_t word, uint64_t by, int32_t width) {
    return width == 32 ? ROTL32((uint32_t)word, by) : ROTL64(word, by);
}

/* The code goes on at its next operation. */
#define NEXT goto *where[*c]

static int interpret(State *s, const int64_t *block) {
    const int64_t *const k = block + 1;
    const int32_t *const begin = (const int32_t *)(k + block[0]), *c = begin;
    static const void *const where[] = {LABELS};
    Register r[REGISTERS];
    for (int g = 0; g < GROUPS; g++) r[g].u = s->word[g];
    NEXT;
    L_LIN: {
        uint64_t sum = (uint64_t)k[c[3]];
        const int32_t *const end = c + 4 + 2 * c[2];
        for (const int32_t *t = c + 4; t < end; t += 2) sum += r[t[0]].u * (uint64_t)(int64_t)t[1];
        r[c[1]].u = sum;
        c = end;
        NEXT;
    }
    L_LINK: {
        uint64_t sum = (uint64_t)k[c[3]];
        const int32_t *const end = c + 4 + 2 * c[2];
        for (const int32_t *t = c + 4; t < end; t += 2) sum += r[t[0]].u * (uint64_t)k[t[1]];
        r[c[1]].u = sum;
        c = end;
        NEXT;
    }
    L_LINX: {
        i128 sum = wide_(k + c[3]);
        const int32_t *const end = c + 4 + 2 * c[2];
        for (const int32_t *t = c + 4; t < end; t += 2) sum += extended_(r, t[0]) * wide_(k + t[1]);
        r[c[1]].x = sum;
        c = end;
        NEXT;
    }
    L_NUM: r[c[1]].v = k[c[2]]; c += 3; NEXT;
    L_MUL: r[c[1]].u = r[c[2]].u * r[c[3]].u; c += 4; NEXT;
    L_MULX: r[c[1]].x = extended_(r, c[2]) * extended_(r, c[3]); c += 4; NEXT;
    L_AND: r[c[1]].u = r[c[2]].u & r[c[3]].u; c += 4; NEXT;
    L_OR: r[c[1]].u = r[c[2]].u | r[c[3]].u; c += 4; NEXT;
    L_XOR: r[c[1]].u = r[c[2]].u ^ r[c[3]].u; c += 4; NEXT;
    L_FIELD: r[c[1]].u = r[c[2]].u >> c[3] & (uint64_t)k[c[4]]; c += 5; NEXT;
    L_FIELDX: r[c[1]].u = (uint64_t)(extended_(r, c[2]) >> c[3]) & (uint64_t)k[c[4]]; c += 5; NEXT;
    L_GE: r[c[1]].u = r[c[2]].v >= k[c[3]]; c += 4; NEXT;
    L_GEU: r[c[1]].u = r[c[2]].u >= (uint64_t)k[c[3]]; c += 4; NEXT;
    L_GEX: r[c[1]].u = extended_(r, c[2]) >= wide_(k + c[3]); c += 4; NEXT;
    L_EQ: r[c[1]].u = r[c[2]].v == k[c[3]]; c += 4; NEXT;
    L_EQX: r[c[1]].u = extended_(r, c[2]) == wide_(k + c[3]); c += 4; NEXT;
    L_NOT: r[c[1]].u = 1 - r[c[2]].u; c += 3; NEXT;
    L_MATCH: {
        int same = 1;
        const int32_t *const end = c + 3 + 3 * c[2];
        for (const int32_t *t = c + 3; t < end; t += 3)
            same &= (r[t[0]].u & (uint64_t)k[t[1]]) == (uint64_t)k[t[2]];
        r[c[1]].u = (uint64_t)same;
        c = end;
        NEXT;
    }
    L_FLOOR: r[c[1]].v = floor_(r[c[2]].v, k[c[3]]); c += 4; NEXT;
    L_SAR: r[c[1]].v = r[c[2]].v >> c[3]; c += 4; NEXT;
    L_SARX: r[c[1]].x = extended_(r, c[2]) >> c[3]; c += 4; NEXT;
    L_MOD: r[c[1]].v = mod_(r[c[2]].v, k[c[3]]); c += 4; NEXT;
    L_MODX: r[c[1]].x = extended_(r, c[2]) & wide_(k + c[3]); c += 4; NEXT;
    L_CLAMP: r[c[1]].v = clamp_(r[c[2]].v, k[c[3]]); c += 4; NEXT;
    L_CLAMPX: r[c[1]].x = clamp128_(extended_(r, c[2]), wide_(k + c[3])); c += 4; NEXT;
    L_SQUARE: r[c[1]].v = square_(r[c[2]].v); c += 3; NEXT;
    L_SQUAREX: r[c[1]].x = square128_(extended_(r, c[2])); c += 3; NEXT;
    L_ONES: r[c[1]].v = __builtin_popcountll(r[c[2]].u); c += 3; NEXT;
    L_SIGNED: r[c[1]].v = (int64_t)(r[c[2]].u << c[3]) >> c[3]; c += 4; NEXT;
    L_TABLE: r[c[1]].v = k[c[3] + r[c[2]].v]; c += 4; NEXT;
    L_DIGIT: r[c[1]].v = digit_(r[c[2]].v, r[c[3]].v, r[c[4]].v); c += 5; NEXT;
    L_DIGITX: {
        const i128 x = extended_(r, c[2]), d = extended_(r, c[3]), e = extended_(r, c[4]);
        int64_t low = 0, high = 255;
        while (low < high) {
            const int64_t v = (low + high + 1) / 2;
            if (x >= v * d + v * v * e) low = v;
            else high = v - 1;
        }
        r[c[1]].v = low;
        c += 5;
        NEXT;
    }
    L_SHL: r[c[1]].u = r[c[2]].u << (r[c[3]].u & (uint64_t)c[4] - 1) & (uint64_t)k[c[5]]; c += 6; NEXT;
    L_SHR: r[c[1]].u = r[c[2]].u >> (r[c[3]].u & (uint64_t)c[4] - 1); c += 6; NEXT;
    L_ASHR: {
        const int up = 64 - c[4];
        const int64_t value = (int64_t)(r[c[2]].u << up) >> up;
        r[c[1]].u = (uint64_t)(value >> (r[c[3]].u & (uint64_t)c[4] - 1)) & (uint64_t)k[c[5]];
        c += 6;
        NEXT;
    }
    L_ROTL: r[c[1]].u = rotated_(r[c[2]].u, r[c[3]].u, c[4]); c += 6; NEXT;
    L_ROTR: r[c[1]].u = rotated_(r[c[2]].u, -r[c[3]].u, c[4]); c += 6; NEXT;
    L_CHOOSE: r[c[1]].u = r[c[2]].u ? r[c[3]].u : r[c[4]].u; c += 5; NEXT;
    L_ZEROS: r[c[1]].u = (uint64_t)__builtin_clzll(r[c[2]].u | 1); c += 3; NEXT;
    L_FIXED: r[c[1]].u = s->fixed[c[2]]; c += 3; NEXT;
    L_ENTRY: {  /* of an array that is there: to, array, index, mask, group or -1 */
        const Entry e = s->arrays[c[2]][r[c[3]].u & (uint64_t)k[c[4]]];
        if (!e.held && c[5] < 0) return OUT;
        r[c[1]].u = e.held ? e.word : s->special[c[5]];
        c += 6;
        NEXT;
    }
    L_READ: {  /* to, tag, offset, first slot, end, group, index, mask, whether it falls back */
        const int64_t slot = r[c[2]].v + c[3];
        const Entry *const a = slot >= c[4] && slot < c[5] ? s->arrays[slot * GROUPS + c[6]] : 0;
        const uint64_t index = r[c[7]].u & (uint64_t)k[c[8]];
        Entry e = {0, 0};
        if (a && is_bare(slot, c[6])) e = (Entry){((const Bare *)a)[index].word, 1};
        else if (a) e = a[index];
        if (!e.held && !c[9]) return OUT;
        r[c[1]].u = e.held ? e.word : s->special[c[6]];
        c += 10;
        NEXT;
    }
    L_UNLESS: c = r[c[1]].u ? c + 3 : begin + c[2]; NEXT;
    L_REQUIRE: if (!r[c[1]].u) return OUT; c += 2; NEXT;
    L_TOKEN: {
        uint64_t before[GROUPS];
        for (int g = 0; g < GROUPS; g++) before[g] = s->word[g];
        for (int g = 0; g < GROUPS; g++) s->word[g] = r[c[1 + g]].u;
        const int reason = note(s);
        if (reason) for (int g = 0; g < GROUPS; g++) s->word[g] = before[g];
        return reason;
    }
    L_LEAVE: return OUT;
}
