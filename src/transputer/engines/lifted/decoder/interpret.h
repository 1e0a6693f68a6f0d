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

static int interpret(State *s, const int64_t *block) {
    const int64_t *const k = block + 1;
    const int32_t *const begin = (const int32_t *)(k + block[0]), *c = begin;
    Register r[REGISTERS];
    for (int g = 0; g < GROUPS; g++) r[g].u = s->word[g];
    for (;; ) {
        switch (*c) {
        case LIN: {
            uint64_t sum = (uint64_t)k[c[3]];
            const int32_t *const end = c + 4 + 2 * c[2];
            for (const int32_t *t = c + 4; t < end; t += 2) sum += r[t[0]].u * (uint64_t)(int64_t)t[1];
            r[c[1]].u = sum;
            c = end;
            break;
        }
        case LINK: {
            uint64_t sum = (uint64_t)k[c[3]];
            const int32_t *const end = c + 4 + 2 * c[2];
            for (const int32_t *t = c + 4; t < end; t += 2) sum += r[t[0]].u * (uint64_t)k[t[1]];
            r[c[1]].u = sum;
            c = end;
            break;
        }
        case LINX: {
            i128 sum = wide_(k + c[3]);
            const int32_t *const end = c + 4 + 2 * c[2];
            for (const int32_t *t = c + 4; t < end; t += 2) sum += extended_(r, t[0]) * wide_(k + t[1]);
            r[c[1]].x = sum;
            c = end;
            break;
        }
        case NUM: r[c[1]].v = k[c[2]]; c += 3; break;
        case MUL: r[c[1]].u = r[c[2]].u * r[c[3]].u; c += 4; break;
        case MULX: r[c[1]].x = extended_(r, c[2]) * extended_(r, c[3]); c += 4; break;
        case AND: r[c[1]].u = r[c[2]].u & r[c[3]].u; c += 4; break;
        case OR: r[c[1]].u = r[c[2]].u | r[c[3]].u; c += 4; break;
        case XOR: r[c[1]].u = r[c[2]].u ^ r[c[3]].u; c += 4; break;
        case FIELD: r[c[1]].u = r[c[2]].u >> c[3] & (uint64_t)k[c[4]]; c += 5; break;
        case FIELDX: r[c[1]].u = (uint64_t)(extended_(r, c[2]) >> c[3]) & (uint64_t)k[c[4]]; c += 5; break;
        case GE: r[c[1]].u = r[c[2]].v >= k[c[3]]; c += 4; break;
        case GEU: r[c[1]].u = r[c[2]].u >= (uint64_t)k[c[3]]; c += 4; break;
        case GEX: r[c[1]].u = extended_(r, c[2]) >= wide_(k + c[3]); c += 4; break;
        case EQ: r[c[1]].u = r[c[2]].v == k[c[3]]; c += 4; break;
        case EQX: r[c[1]].u = extended_(r, c[2]) == wide_(k + c[3]); c += 4; break;
        case NOT: r[c[1]].u = 1 - r[c[2]].u; c += 3; break;
        case MATCH: {
            int same = 1;
            const int32_t *const end = c + 3 + 3 * c[2];
            for (const int32_t *t = c + 3; t < end; t += 3)
                same &= (r[t[0]].u & (uint64_t)k[t[1]]) == (uint64_t)k[t[2]];
            r[c[1]].u = (uint64_t)same;
            c = end;
            break;
        }
        case FLOOR: r[c[1]].v = floor_(r[c[2]].v, k[c[3]]); c += 4; break;
        case SAR: r[c[1]].v = r[c[2]].v >> c[3]; c += 4; break;
        case SARX: r[c[1]].x = extended_(r, c[2]) >> c[3]; c += 4; break;
        case MOD: r[c[1]].v = mod_(r[c[2]].v, k[c[3]]); c += 4; break;
        case MODX: r[c[1]].x = extended_(r, c[2]) & wide_(k + c[3]); c += 4; break;
        case CLAMP: r[c[1]].v = clamp_(r[c[2]].v, k[c[3]]); c += 4; break;
        case CLAMPX: r[c[1]].x = clamp128_(extended_(r, c[2]), wide_(k + c[3])); c += 4; break;
        case SQUARE: r[c[1]].v = square_(r[c[2]].v); c += 3; break;
        case SQUAREX: r[c[1]].x = square128_(extended_(r, c[2])); c += 3; break;
        case ONES: r[c[1]].v = __builtin_popcountll(r[c[2]].u); c += 3; break;
        case SIGNED: r[c[1]].v = (int64_t)(r[c[2]].u << c[3]) >> c[3]; c += 4; break;
        case TABLE: r[c[1]].v = k[c[3] + r[c[2]].v]; c += 4; break;
        case DIGIT: r[c[1]].v = digit_(r[c[2]].v, r[c[3]].v, r[c[4]].v); c += 5; break;
        case DIGITX: {
            const i128 x = extended_(r, c[2]), d = extended_(r, c[3]), e = extended_(r, c[4]);
            int64_t low = 0, high = 255;
            while (low < high) {
                const int64_t v = (low + high + 1) / 2;
                if (x >= v * d + v * v * e) low = v;
                else high = v - 1;
            }
            r[c[1]].v = low;
            c += 5;
            break;
        }
        case SHL: r[c[1]].u = r[c[2]].u << (r[c[3]].u & (uint64_t)c[4] - 1) & (uint64_t)k[c[5]]; c += 6; break;
        case SHR: r[c[1]].u = r[c[2]].u >> (r[c[3]].u & (uint64_t)c[4] - 1); c += 6; break;
        case ASHR: {
            const int up = 64 - c[4];
            const int64_t value = (int64_t)(r[c[2]].u << up) >> up;
            r[c[1]].u = (uint64_t)(value >> (r[c[3]].u & (uint64_t)c[4] - 1)) & (uint64_t)k[c[5]];
            c += 6;
            break;
        }
        case ROTL: case ROTR: {
            const uint64_t by = *c == ROTL ? r[c[3]].u : -r[c[3]].u;
            r[c[1]].u = c[4] == 32 ? ROTL32((uint32_t)r[c[2]].u, by) : ROTL64(r[c[2]].u, by);
            c += 6;
            break;
        }
        case FIXED: r[c[1]].u = s->fixed[c[2]]; c += 3; break;
        case ENTRY: {  /* of an array that is there: to, array, index, mask, group or -1 */
            const Entry e = s->arrays[c[2]][r[c[3]].u & (uint64_t)k[c[4]]];
            if (!e.held && c[5] < 0) return OUT;
            r[c[1]].u = e.held ? e.word : s->special[c[5]];
            c += 6;
            break;
        }
        case READ: {  /* to, tag, offset, first slot, end, group, index, mask, whether it falls back */
            const int64_t slot = r[c[2]].v + c[3];
            const Entry *const a = slot >= c[4] && slot < c[5] ? s->arrays[slot * GROUPS + c[6]] : 0;
            const uint64_t index = r[c[7]].u & (uint64_t)k[c[8]];
            Entry e = {0, 0};
            if (a && is_bare(slot, c[6])) e = (Entry){((const Bare *)a)[index].word, 1};
            else if (a) e = a[index];
            if (!e.held && !c[9]) return OUT;
            r[c[1]].u = e.held ? e.word : s->special[c[6]];
            c += 10;
            break;
        }
        case UNLESS: c = r[c[1]].u ? c + 3 : begin + c[2]; break;
        case REQUIRE: if (!r[c[1]].u) return OUT; c += 2; break;
        case TOKEN: {
            uint64_t before[GROUPS];
            for (int g = 0; g < GROUPS; g++) before[g] = s->word[g];
            for (int g = 0; g < GROUPS; g++) s->word[g] = r[c[1 + g]].u;
            const int reason = note(s);
            if (reason) for (int g = 0; g < GROUPS; g++) s->word[g] = before[g];
            return reason;
        }
        default: return OUT;
        }
    }
}
