/* The native engine's step for many programs at once: a warp of a CUDA device per program.
 *
 * It reads the image of a model and the plans that the native engine made of it, so it decodes
 * from the weights what that engine decodes. Lanes share the terms of sums, the neurons of a
 * layer and the classes of keys: a slot is written in one layer and read later, so the order
 * within a run of a plan does not matter. Key tables have a fixed size; a program that needs a
 * larger one, or a plan that is missing, is lost: the caller runs it on another engine. As plain
 * C, with one lane, it is the same code.
 *
 * PARTS, SLOTS, TABLES, CAPACITY, STATUS_PART are numbers given to the compiler. */
#ifdef __CUDACC__
#include <cstdint>
#define DEV static __device__
#define TABLE static __device__ const
#define UNROLL _Pragma("unroll")
#define LANES 32
#define LANE ((int)(threadIdx.x & 31))
#define SYNC() __syncwarp()
#define ADD(to, value) \
    atomicAdd((unsigned long long *)(to), (unsigned long long)(value))
#define SHFL(value, lane) __shfl_sync(0xFFFFFFFFu, value, lane)
#define SHFL_XOR(value, mask) __shfl_xor_sync(0xFFFFFFFFu, value, mask)
#define BALLOT(test) __ballot_sync(0xFFFFFFFFu, test)
#define FFS(x) __ffs((int)(x))
#define WARPS 4 /* per block */
#else
#include <stdint.h>
#define DEV static inline
#define TABLE static const
#define UNROLL
#define LANES 1
#define LANE 0
#define SYNC()
#define ADD(to, value) *(to) += (value)
#define SHFL(value, lane) (value)
#define SHFL_XOR(value, mask) (value)
#define BALLOT(test) ((test) ? 1u : 0u)
#define FFS(x) __builtin_ffs((int)(x))
#define WARPS 1
#endif

typedef int64_t word;
typedef __int128 wide;
#define EMPTY UINT64_MAX
#define NOTHING (-1)
enum { MAX_DIGITS = 16, CLASSES = 64 };
enum { RUNNING, PACKED };
/* Why a program is lost: a table is full, a plan is missing. */
enum { FULL = 1, NO_PLAN };
enum { READ, POSITION, HEAD, MOVE, PIECE, GATE, NUMBER, DIGIT, CHOICE, END };
#define SLOT_BITS 16
#define SLOT_MASK 0xFFFF

/* The records of image.h. */
typedef struct {
    word parts, width, layers, context, sizes, embedding, layer, heads, head, tables, table, output;
    word controls, control, fetch, fetch_query, dynamic;
} ModelRecord;
typedef struct {
    word layer, kind, dynamic, table, query, digits, extras, scale, recency, offset_field;
    word digit_field, extra_field, key, spread, value, lanes, lane, read, mix;
} HeadRecord;
typedef struct { word kind, dynamic, fields, shift, bits, low, classes, key, keywords, payload; } TableRecord;
typedef struct { word fetched, part, stride; } ControlRecord;

/* The tables of a program, in device memory. */
typedef struct {
    uint64_t keys[TABLES][CAPACITY];
    int32_t last[TABLES][CAPACITY];
    uint8_t token[TABLES][CAPACITY][PARTS];
    uint16_t order[TABLES][CAPACITY]; /* where the entries are */
    uint64_t classes[TABLES][CLASSES];
    int32_t class_count[TABLES], count[TABLES];
    word best[TABLES];
} Tables;

/* What a warp keeps near. */
typedef struct {
    word x[SLOTS];
    word query[2 * MAX_DIGITS];
    uint16_t token[PARTS], predicted[PARTS];
} Near;

typedef struct { uint32_t h[8]; uint64_t length; uint32_t block[16]; } Sha;

typedef struct {
    int64_t rows, limit;
    const word *image;
    const word *code;            /* plans */
    const int32_t *plan;         /* by number: where its code is, or -1 */
    const uint16_t *same;        /* [plans][PARTS] what each plan always predicts */
    const int32_t *same_of;      /* by number: which of these */
    const uint16_t *host;        /* tokens that programs start with */
    const int64_t *host_first, *host_count; /* by row */
    const uint64_t *args;        /* [rows][2]: words that replace the values of */
    const int64_t *arg_count;    /* by row: tokens before the last */
    int64_t value_part;
    int32_t *lost;
    int64_t *steps;
    uint32_t *hashes;            /* [rows][8], or none */
    uint16_t *final;             /* [rows][PARTS] */
    Tables *tables;              /* one for each warp */
    int32_t *next;               /* counter of rows that were begun */
} WeightsBatch;

typedef struct {
    const WeightsBatch *b;
    const word *image;
    const ModelRecord *model;
    const HeadRecord *heads;
    const TableRecord *record;
    Tables *t;
    Near *n;
    word length;
    int lost;
} Session;

DEV word warp_sum(word value) {
    for (int mask = LANES / 2; mask; mask /= 2) value += SHFL_XOR(value, mask);
    return value;
}

DEV uint64_t mixed(uint64_t h) {
    h *= UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 32;
}

/* A row of Readings of the last token; all lanes get it. */
DEV word reading(const Session *s, word at, word row) {
    const word *w = s->image + at;
    const word n = w[0], terms = w[1];
    const word *start = w + 2 + 2 * n, *part = w + 3 + 3 * n, *table = part + terms;
    word sum = 0;
    for (word i = start[row] + LANE; i < start[row + 1]; i += LANES)
        sum += s->image[table[i] + s->n->token[part[i]]];
    return warp_sum(sum) + w[2 + row] + w[2 + n + row] * (s->length - 1);
}

DEV int find(const Session *s, int table, uint64_t key) {
    const uint64_t *keys = s->t->keys[table];
    for (uint32_t at = (uint32_t)mixed(key) & (CAPACITY - 1);; at = (at + 1) & (CAPACITY - 1)) {
        const uint64_t held = keys[at];
        if (held == key) return (int)at;
        if (held == EMPTY) return NOTHING;
    }
}

DEV void put_token(Session *s, int table, int at) {
    for (int p = LANE; p < PARTS; p += LANES)
        s->t->token[table][at][p] = (uint8_t)s->n->token[p];
    if (LANE == 0) s->t->last[table][at] = (int32_t)(s->length - 1);
}

/* Notes the last token in all tables. */
DEV void note(Session *s) {
    for (int i = 0; i < TABLES; i++) {
        const TableRecord *r = s->record + i;
        const word key = reading(s, r->key, 0);
        if (r->kind == RUNNING) {
            if (s->t->count[i] && key < s->t->best[i]) continue;
            SYNC();
            put_token(s, i, 0);
            if (LANE == 0) s->t->count[i] = 1, s->t->best[i] = key;
            SYNC();
            continue;
        }
        uint32_t at = (uint32_t)mixed((uint64_t)key) & (CAPACITY - 1);
        uint64_t held;
        while ((held = s->t->keys[i][at]) != EMPTY && held != (uint64_t)key)
            at = (at + 1) & (CAPACITY - 1);
        SYNC();
        if (held == EMPTY) {
            const int count = s->t->count[i], classes = s->t->class_count[i];
            const uint64_t bits = (uint64_t)key & (uint64_t)r->classes;
            int known = 0;
            for (int k = LANE; k < classes; k += LANES) known |= s->t->classes[i][k] == bits;
            known = BALLOT(known) != 0;
            if (count + 1 > CAPACITY * 7 / 8 || (!known && classes == CLASSES)) {
                s->lost = FULL;
                return;
            }
            SYNC();
            if (LANE == 0) {
                s->t->keys[i][at] = (uint64_t)key;
                s->t->order[i][count] = (uint16_t)at;
                s->t->count[i] = count + 1;
                if (!known) s->t->classes[i][classes] = bits, s->t->class_count[i] = classes + 1;
            }
        }
        put_token(s, i, (int)at);
        SYNC();
    }
}

DEV word field_of(const Session *s, const TableRecord *r, uint64_t key, word field) {
    const uint64_t bits = key >> s->image[r->shift + field];
    const uint64_t mask = ((uint64_t)1 << s->image[r->bits + field]) - 1;
    return (word)(bits & mask) + s->image[r->low + field];
}

/* K of a class: c m + sum_j s_j e_j. */
DEV wide class_score(const Session *s, const HeadRecord *h, const TableRecord *r, uint64_t bits) {
    const word *extra = s->n->query + h->digits;
    wide k = h->offset_field < 0 ? 0 : (wide)h->scale * field_of(s, r, bits, h->offset_field);
    for (word j = 0; j < h->extras; j++)
        k += (wide)extra[j] * field_of(s, r, bits, s->image[h->extra_field + j]);
    return k;
}

typedef struct { wide score; int entry, last; } Best;

DEV void improve(Best *best, wide score, int entry, int last) {
    if (best->entry != NOTHING
        && (score < best->score || (score == best->score && last <= best->last)))
        return;
    best->score = score;
    best->entry = entry;
    best->last = last;
}

/* The best of all lanes. */
DEV void agree(Best *best) {
    for (int mask = LANES / 2; mask; mask /= 2) {
        const uint64_t low = SHFL_XOR((uint64_t)best->score, mask);
        const int64_t high = SHFL_XOR((int64_t)(best->score >> 64), mask);
        const int entry = SHFL_XOR(best->entry, mask), last = SHFL_XOR(best->last, mask);
        if (entry != NOTHING) improve(best, (wide)high << 64 | low, entry, last);
    }
}

/* Every entry by its score; lanes share the entries. */
DEV int scan(Session *s, const HeadRecord *h) {
    const TableRecord *r = s->record + h->table;
    const int table = (int)h->table, count = s->t->count[table];
    Best best = {0, NOTHING, -1};
    for (int i = LANE; i < count; i += LANES) {
        const int at = s->t->order[table][i];
        const uint64_t key = s->t->keys[table][at];
        wide score = class_score(s, h, r, key) + (wide)h->recency * s->t->last[table][at];
        word d = 0;
        for (word f = 0; f < r->fields; f++) {
            if (!s->image[r->bits + f] || ((uint64_t)r->classes >> s->image[r->shift + f] & 1))
                continue;
            const wide a = field_of(s, r, key, f);
            score += h->scale * (2 * a * s->n->query[d++] - a * a);
        }
        improve(&best, score, at, s->t->last[table][at]);
    }
    agree(&best);
    return best.entry;
}

/* The entry that a head attends to, for the digits and extras in `query`. Lanes take classes. */
DEV int lookup(Session *s, const HeadRecord *h) {
    const TableRecord *r = s->record + h->table;
    const word now = s->length - 1, *u = s->n->query;
    const int table = (int)h->table;
    uint64_t key = 0;
    int inside = h->scale > h->recency * now;
    word d = 0;
    for (word f = 0; f < r->fields; f++) { /* digits are the fields that tell no classes apart */
        const word shift = s->image[r->shift + f], bits = s->image[r->bits + f];
        if (!bits || ((uint64_t)r->classes >> shift & 1)) continue;
        const uint64_t digit = (uint64_t)(u[d] - s->image[r->low + f]);
        inside &= digit < (uint64_t)1 << bits;
        key |= digit << shift;
        d++;
    }
    if (!inside) return scan(s, h);
    const int classes = s->t->class_count[table];
    Best best = {0, NOTHING, -1};
    wide open = 0;
    int missed = 0;
    for (int i = LANE; i < classes; i += LANES) {
        const uint64_t bits = s->t->classes[table][i];
        const wide k = class_score(s, h, r, bits);
        const int hit = find(s, table, key | bits);
        if (hit == NOTHING) { /* the best that a key at distance 1 could have */
            const wide most = k - h->scale + (wide)h->recency * now;
            if (!missed || most > open) open = most;
            missed = 1;
        } else {
            const int last = s->t->last[table][hit];
            improve(&best, k + (wide)h->recency * last, hit, last);
        }
    }
    agree(&best);
    const int unsure = best.entry == NOTHING || (missed && open >= best.score);
    return BALLOT(unsure) ? scan(s, h) : best.entry;
}

/* [terms, constant, term...]; one lane adds it up. */
DEV word form(const word **at, const word *x) {
    const word *p = *at;
    const word count = p[0];
    word sum = p[1];
    p += 2;
    for (word i = 0; i < count; i++) sum += x[p[i] & SLOT_MASK] * (p[i] >> SLOT_BITS);
    *at = p + count;
    return sum;
}

DEV void run_head(Session *s, const word *at, int fetched) {
    const HeadRecord *h = s->heads + at[0];
    const int table = (int)h->table;
    int entry = h->kind == RUNNING ? 0 : at[0] == s->model->fetch ? fetched : NOTHING;
    at += 2;
    if (entry == NOTHING) {
        const word rows = h->digits + h->extras;
        const word *mine = at;
        for (word i = 0; i < rows; i++) {
            if (i % LANES == LANE) s->n->query[i] = form(&mine, s->n->x);
            else mine += 2 + mine[0];
        }
        at = mine;
        SYNC();
        entry = lookup(s, h);
        SYNC();
    }
    const uint8_t *token = s->t->token[table][entry];
    const word count = at[0], positions = at[1];
    at += 2;
    for (word i = LANE; i < count; i += LANES) {
        const word slot = at[i] & SLOT_MASK, part = at[i] >> SLOT_BITS & SLOT_MASK;
        ADD(&s->n->x[slot], s->image[(at[i] >> 32) + token[part]]);
    }
    at += count;
    for (word i = LANE; i < positions; i += LANES)
        ADD(&s->n->x[at[2 * i]], at[2 * i + 1] * s->t->last[table][entry]);
}

DEV void run_piece(const word *at, word *x) {
    const word z = form(&at, x), breaks = at[0], outs = at[1];
    const word *point = at + 2, *slot = point + breaks;
    word low = 0, n = breaks;
    while (n > 0) { /* the number of breaks that are not above z */
        const word half = (n + 1) / 2;
        if (point[low + half - 1] <= z) low += half, n -= half;
        else n = half - 1;
    }
    const word *line = slot + outs + 2 * outs * low;
    for (word o = 0; o < outs; o++) ADD(&x[slot[o]], line[2 * o] * z + line[2 * o + 1]);
}

DEV void run_gates(const word *at, word *x) {
    const word z = form(&at, x), members = *at++;
    for (word i = 0; i < members; i++) {
        const word gate = at[1] * z + at[2];
        if (gate > 0) {
            const word *p = at + 3;
            const word product = gate * form(&p, x);
            for (word k = 1; k <= p[0]; k++)
                ADD(&x[p[k] & SLOT_MASK], product * (p[k] >> SLOT_BITS));
        }
        at += at[0];
    }
}

DEV void run_output(Session *s, word kind, const word *at) {
    const word part = at[0], highest = at[1];
    word which = 0;
    if (kind == NUMBER) {
        at += 2;
        const word y = form(&at, s->n->x);
        which = y < 0 ? 0 : y > highest ? highest : y;
    } else if (kind == CHOICE) {
        word best = 0;
        at += 2;
        for (word i = 0; i < highest; i++) { /* here: how many rows */
            const word logit = form(&at, s->n->x);
            if (i == 0 || logit > best) best = logit, which = i;
        }
    } else {
        const word *increments = s->image + at[2], lanes = at[3];
        word x[8], high = highest;
        at += 4;
        for (word i = 0; i < lanes; i++) x[i] = form(&at, s->n->x);
        while (which < high) {
            const word middle = (which + high + 1) / 2, *row = increments + (middle - 1) * (lanes + 1);
            word sum = row[0];
            for (word i = 0; i < lanes; i++) sum += row[i + 1] * x[i];
            if (sum > 0) which = middle;
            else high = middle - 1;
        }
    }
    s->n->predicted[part] = (uint16_t)which;
}

/* A plan: runs [kind | count << 8, words to the next run, ...]; runs of items of different
 * lengths begin with the places of their items. */
DEV void run_plan(Session *s, const word *run, int fetched) {
    word *x = s->n->x;
    const word position = s->length - 1;
    for (; (*run & 255) != END; run += run[1]) {
        const word kind = *run & 255, count = *run >> 8;
        const word *at = run + 2;
        if (kind == READ) {
            for (word i = LANE; i < count; i += LANES)
                ADD(&x[at[i] & SLOT_MASK],
                    s->image[(at[i] >> 32) + s->n->token[at[i] >> SLOT_BITS & SLOT_MASK]]);
        } else if (kind == POSITION) {
            for (word i = LANE; i < count; i += LANES)
                ADD(&x[at[2 * i]], at[2 * i + 1] * position);
        } else if (kind == HEAD) {
            run_head(s, at, fetched);
        } else {
            for (word i = LANE; i < count; i += LANES) {
                const word *item = at + at[i];
                if (kind == MOVE) {
                    const word slot = *item++;
                    x[slot] = form(&item, x);
                } else if (kind == PIECE) {
                    run_piece(item, x);
                } else if (kind == GATE) {
                    run_gates(item, x);
                } else {
                    run_output(s, kind, item);
                }
            }
        }
        SYNC();
    }
}

DEV void step(Session *s) {
    const WeightsBatch *b = s->b;
    const ControlRecord *controls = (const ControlRecord *)(s->image + s->model->control);
    int fetched = NOTHING;
    const uint8_t *token = 0;
    if (s->model->fetch >= 0) {
        const HeadRecord *h = s->heads + s->model->fetch;
        fetched = 0;
        if (h->kind != RUNNING) {
            const word rows = s->image[s->model->fetch_query];
            for (word i = 0; i < rows; i++) {
                const word value = reading(s, s->model->fetch_query, i);
                if (LANE == 0) s->n->query[i] = value;
            }
            SYNC();
            fetched = lookup(s, h);
            SYNC();
        }
        token = s->t->token[h->table][fetched];
    }
    word which = 0;
    for (word i = 0; i < s->model->controls; i++)
        which += controls[i].stride
                 * (controls[i].fetched ? token[controls[i].part] : s->n->token[controls[i].part]);
    const int32_t plan = b->plan[which];
    if (plan < 0) {
        s->lost = NO_PLAN;
        return;
    }
    const uint16_t *same = b->same + (int64_t)b->same_of[which] * PARTS;
    for (int i = LANE; i < SLOTS; i += LANES) s->n->x[i] = 0;
    for (int p = LANE; p < PARTS; p += LANES) s->n->predicted[p] = same[p];
    SYNC();
    run_plan(s, b->code + plan, fetched);
    SYNC();
    for (int p = LANE; p < PARTS; p += LANES) s->n->token[p] = s->n->predicted[p];
    SYNC();
}
/* ---- sha ---- */
DEV void hash_bytes(Sha *s, const uint16_t *token) {
    for (int p = 0; p < PARTS; p++) sha_byte(s, (uint8_t)token[p]);
}

DEV void take(const WeightsBatch *b, int64_t row, Tables *tables, Near *near, Sha *sha) {
    Session session, *s = &session;
    s->b = b;
    s->image = b->image;
    s->model = (const ModelRecord *)b->image;
    s->heads = (const HeadRecord *)(b->image + s->model->head);
    s->record = (const TableRecord *)(b->image + s->model->table);
    s->t = tables;
    s->n = near;
    s->length = 0;
    s->lost = 0;
    for (int i = 0; i < TABLES; i++) {
        for (int k = LANE; k < CAPACITY; k += LANES) tables->keys[i][k] = EMPTY;
        if (LANE == 0) tables->class_count[i] = tables->count[i] = 0;
    }
    if (LANE == 0 && b->hashes) sha_begin(sha);
    SYNC();
    const uint16_t *host = b->host + b->host_first[row] * PARTS;
    const int64_t count = b->host_count[row], args = b->arg_count[row];
    for (int64_t i = 0; i < count && !s->lost; i++) {
        for (int p = LANE; p < PARTS; p += LANES) near->token[p] = host[i * PARTS + p];
        SYNC();
        const int64_t arg = i - (count - 1 - args); /* the last tokens: arguments, the call */
        if (arg >= 0 && arg < args && LANE == 0)
            for (int k = 0; k < 8; k++)
                near->token[b->value_part + k] = (uint16_t)(b->args[2 * row + arg] >> 8 * k & 255);
        s->length++;
        SYNC();
        note(s);
        SYNC();
    }
    int64_t steps = 0;
    while (steps < b->limit && !s->lost) {
        step(s);
        if (s->lost) break;
        s->length++;
        steps++;
        note(s);
        if (LANE == 0 && b->hashes) hash_bytes(sha, near->token);
        SYNC();
        if (near->token[STATUS_PART]) break;
    }
    if (LANE == 0) {
        b->lost[row] = s->lost;
        b->steps[row] = steps;
        if (b->hashes) {
            sha_end(sha);
            for (int i = 0; i < 8; i++) b->hashes[8 * row + i] = sha->h[i];
        }
    }
    for (int p = LANE; p < PARTS; p += LANES) b->final[row * PARTS + p] = near->token[p];
    SYNC();
}

#ifdef __CUDACC__
/* A warp takes rows one after the other. */
extern "C" __global__ void __launch_bounds__(32 * WARPS, 6) weights_rows(const WeightsBatch *b) {
    __shared__ Near near[WARPS];
    __shared__ Sha sha[WARPS];
    const int warp = threadIdx.x / 32;
    for (;;) {
        int row = 0;
        if (LANE == 0) row = atomicAdd(b->next, 1);
        row = SHFL(row, 0);
        if (row >= b->rows) return;
        take(b, row, b->tables + blockIdx.x * WARPS + warp, near + warp, sha + warp);
    }
}
#else
void weights_rows(const WeightsBatch *b) {
    static Near near;
    Sha sha;
    for (int64_t row = 0; row < b->rows; row++) take(b, row, b->tables, &near, &sha);
}
int64_t weights_table_bytes(void) { return sizeof(Tables); }
#endif
