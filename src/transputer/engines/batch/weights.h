/* The native engine's step for many programs at once: a thread of a CUDA device per program.
 *
 * The plans that the native engine made of a model are printed as C between the two parts of this
 * file (`plans.py`), so it decodes from the weights what that engine decodes. Threads of a warp
 * that need the same plan take it together. Key tables have a fixed size; a program that needs a
 * larger one, or a plan that is missing, is lost: the caller runs it on another engine. As plain
 * C it is the same code, for one core.
 *
 * PARTS, TABLES, CAPACITY, STATUS_PART are numbers given to the compiler. */
#ifdef __CUDACC__
#include <cstdint>
#define DEV static __device__
#define PLAN static __device__ __noinline__
#define TABLE static __device__ const
#define UNROLL _Pragma("unroll")
#else
#include <stdint.h>
#define DEV static inline
#define PLAN static
#define TABLE static const
#define UNROLL
#endif

typedef int64_t word;
typedef __int128 wide;
#define NOTHING (-1)
enum { MAX_DIGITS = 16, CLASSES = 16, FEW = 8, TOKEN_WORDS = (PARTS + 3) / 4 };
enum { RUNNING, PACKED };
/* Why a program is lost: a table is full, a plan is missing. */
enum { FULL = 1, NO_PLAN };

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

/* A token that a head can attend to, and its position. */
typedef struct { uint32_t parts[TOKEN_WORDS]; int32_t last; int32_t spare[3]; } Kept;

/* The tables of a program, in device memory. Entries are in order, those of a class in a chain. */
typedef struct {
    uint16_t place[TABLES][CAPACITY]; /* by hash: 1 + the entry, or 0 */
    uint16_t next[TABLES][CAPACITY];  /* 1 + the entry before it in its class, or 0 */
    uint64_t keys[TABLES][CAPACITY];
    Kept kept[TABLES][CAPACITY];
} Tables;

typedef struct { uint32_t h[8]; uint64_t length; uint32_t block[16]; } Sha;

typedef struct {
    int64_t rows, limit;
    const word *image;
    const int32_t *plan;         /* by number: the plan, or -1 */
    const uint32_t *host;        /* tokens that programs start with, four parts in a word */
    const int64_t *host_first, *host_count; /* by row */
    const uint64_t *args;        /* [rows][2]: words that replace the values of */
    const int64_t *arg_count;    /* by row: tokens before the last */
    int64_t value_part;
    const int32_t *order;        /* rows, those of one program together */
    int32_t *lost;
    int64_t *steps;
    uint32_t *hashes;            /* [rows][8], or none */
    uint32_t *final;             /* [rows][TOKEN_WORDS] */
    Tables *tables;              /* one for each thread */
} WeightsBatch;

typedef struct {
    const WeightsBatch *b;
    Tables *t;
    const Kept *fetched;
    word length;
    int lost;
    uint32_t token[TOKEN_WORDS];
    word query[2 * MAX_DIGITS];
    uint64_t classes[TABLES][CLASSES];
    uint16_t chain[TABLES][CLASSES], members[TABLES][CLASSES];
    int32_t class_count[TABLES], count[TABLES];
    word best[TABLES];
} Session;

DEV const ModelRecord *model_of(const Session *s) { return (const ModelRecord *)s->b->image; }

DEV const HeadRecord *head_of(const Session *s, word which) {
    return (const HeadRecord *)(s->b->image + model_of(s)->head) + which;
}

DEV const TableRecord *record_of(const Session *s, word table) {
    return (const TableRecord *)(s->b->image + model_of(s)->table) + table;
}

DEV uint32_t slot_of(uint64_t key) {
    key *= UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(key ^ key >> 32) & (CAPACITY - 1);
}

DEV int find(const Session *s, int table, uint64_t key) {
    for (uint32_t at = slot_of(key);; at = (at + 1) & (CAPACITY - 1)) {
        const int entry = s->t->place[table][at] - 1;
        if (entry == NOTHING || s->t->keys[table][entry] == key) return entry;
    }
}

DEV word field_of(const Session *s, const TableRecord *r, uint64_t key, word field) {
    const word *image = s->b->image;
    const uint64_t mask = ((uint64_t)1 << image[r->bits + field]) - 1;
    return (word)(key >> image[r->shift + field] & mask) + image[r->low + field];
}

/* K of a class: c m + sum_j s_j e_j. */
DEV wide class_score(const Session *s, const HeadRecord *h, const TableRecord *r, uint64_t bits) {
    const word *extra = s->query + h->digits;
    wide k = h->offset_field < 0 ? 0 : (wide)h->scale * field_of(s, r, bits, h->offset_field);
    for (word j = 0; j < h->extras; j++)
        k += (wide)extra[j] * field_of(s, r, bits, s->b->image[h->extra_field + j]);
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

/* The entries of a class by their scores. */
PLAN void scan(Session *s, const HeadRecord *h, int class_, wide k, Best *best) {
    const TableRecord *r = record_of(s, h->table);
    const int table = (int)h->table;
    for (int n = s->chain[table][class_]; n; n = s->t->next[table][n - 1]) {
        const uint64_t key = s->t->keys[table][n - 1];
        const int32_t last = s->t->kept[table][n - 1].last;
        wide score = k + (wide)h->recency * last;
        word d = 0;
        for (word f = 0; f < r->fields; f++) {
            const word shift = s->b->image[r->shift + f];
            if (!s->b->image[r->bits + f] || ((uint64_t)r->classes >> shift & 1)) continue;
            const word a = field_of(s, r, key, f);
            score += (wide)h->scale * (2 * a * s->query[d] - a * a);
            d++;
        }
        improve(best, score, n - 1, last);
    }
}

/* The entry that a head attends to, for the digits and extras in `query`: hits, at distance 0,
 * then the classes without a hit that could still win, small ones first. Scores of hits lack
 * the square of the query, which those of `scan` have. */
PLAN const Kept *lookup(Session *s, word which) {
    const HeadRecord *h = head_of(s, which);
    const TableRecord *r = record_of(s, h->table);
    const word now = s->length - 1;
    const int table = (int)h->table, classes = s->class_count[table];
    uint64_t key = 0;
    int inside = 1, near = h->scale > h->recency * now;
    wide square = 0;
    word d = 0;
    for (word f = 0; f < r->fields; f++) { /* digits are the fields that tell no classes apart */
        const word shift = s->b->image[r->shift + f], bits = s->b->image[r->bits + f];
        if (!bits || ((uint64_t)r->classes >> shift & 1)) continue;
        const word u = s->query[d++];
        const uint64_t digit = (uint64_t)(u - s->b->image[r->low + f]);
        inside &= digit < (uint64_t)1 << bits;
        key |= digit << shift;
        square += (wide)h->scale * u * u;
    }
    Best best = {0, NOTHING, -1};
    uint32_t missed = 0;
    for (int i = 0; i < classes; i++) {
        const uint64_t bits = s->classes[table][i];
        const int hit = inside && near ? find(s, table, key | bits) : NOTHING;
        if (hit == NOTHING) {
            missed |= 1u << i;
        } else {
            const int last = s->t->kept[table][hit].last;
            const wide k = class_score(s, h, r, bits) + square;
            improve(&best, k + (wide)h->recency * last, hit, last);
        }
    }
    for (int pass = 0; pass < 2 && missed; pass++)
        for (int i = 0; i < classes; i++) {
            if (!(missed >> i & 1) || (s->members[table][i] <= FEW) == pass) continue;
            const wide k = class_score(s, h, r, s->classes[table][i]);
            const wide most = k + square - h->scale + (wide)h->recency * now; /* distance 1, now */
            if (near && best.entry != NOTHING && most < best.score) continue;
            scan(s, h, i, k, &best);
        }
    return &s->t->kept[table][best.entry];
}

/* The number of points that are not above z. */
DEV word below(const word *point, word n, word z) {
    word low = 0;
    while (n > 0) {
        const word half = (n + 1) / 2;
        if (point[low + half - 1] <= z) low += half, n -= half;
        else n = half - 1;
    }
    return low;
}

/* The first of the highest logits, which rise and then fall. */
DEV uint32_t digit_of(const word *increments, const word *z, word lanes, word high) {
    word which = 0;
    while (which < high) {
        const word middle = (which + high + 1) / 2, *row = increments + (middle - 1) * (lanes + 1);
        word sum = row[0];
        for (word i = 0; i < lanes; i++) sum += row[i + 1] * z[i];
        if (sum > 0) which = middle;
        else high = middle - 1;
    }
    return (uint32_t)which;
}
/* ---- program ---- */
DEV void keep(Session *s, int table, int at) {
    Kept *to = &s->t->kept[table][at];
    for (int i = 0; i < TOKEN_WORDS; i++) to->parts[i] = s->token[i];
    to->last = (int32_t)(s->length - 1);
}

/* Notes the last token in a table. */
DEV void note_in(Session *s, int i) {
    const TableRecord *r = record_of(s, i);
    const word key = key_of(s, i);
    if (r->kind == RUNNING) {
        if (s->count[i] && key < s->best[i]) return;
        keep(s, i, 0);
        s->count[i] = 1, s->best[i] = key;
        return;
    }
    uint32_t at = slot_of((uint64_t)key);
    int n;
    while ((n = s->t->place[i][at]) && s->t->keys[i][n - 1] != (uint64_t)key)
        at = (at + 1) & (CAPACITY - 1);
    if (!n) {
        const uint64_t bits = (uint64_t)key & (uint64_t)r->classes;
        int class_ = 0;
        while (class_ < s->class_count[i] && s->classes[i][class_] != bits) class_++;
        if (s->count[i] + 1 > CAPACITY * 7 / 8 || class_ == CLASSES) {
            s->lost = FULL;
            return;
        }
        if (class_ == s->class_count[i]) {
            s->classes[i][class_] = bits;
            s->chain[i][class_] = s->members[i][class_] = 0;
            s->class_count[i]++;
        }
        n = ++s->count[i];
        s->t->place[i][at] = (uint16_t)n;
        s->t->keys[i][n - 1] = (uint64_t)key;
        s->t->next[i][n - 1] = s->chain[i][class_];
        s->chain[i][class_] = (uint16_t)n;
        s->members[i][class_]++;
    }
    keep(s, i, n - 1);
}

PLAN void note(Session *s) {
    UNROLL
    for (int i = 0; i < TABLES; i++)
        if (!s->lost) note_in(s, i);
}

DEV uint32_t part_of(const uint32_t *token, word part) {
    return token[part / 4] >> 8 * (part % 4) & 255;
}

DEV void step(Session *s) {
    const ModelRecord *m = model_of(s);
    const ControlRecord *controls = (const ControlRecord *)(s->b->image + m->control);
    s->fetched = 0;
    if (m->fetch >= 0) {
        const HeadRecord *h = head_of(s, m->fetch);
        if (h->kind == RUNNING) {
            s->fetched = &s->t->kept[h->table][0];
        } else {
            fetch_query(s);
            s->fetched = lookup(s, m->fetch);
        }
    }
    word which = 0;
    for (word i = 0; i < m->controls; i++)
        which += controls[i].stride
                 * part_of(controls[i].fetched ? s->fetched->parts : s->token, controls[i].part);
    const int32_t plan = s->b->plan[which];
    if (plan < 0) s->lost = NO_PLAN;
    else take_plan(s, plan);
}
/* ---- sha ---- */
DEV void take_row(const WeightsBatch *b, int64_t row, Tables *tables) {
    Session session, *s = &session;
    Sha sha;
    s->b = b;
    s->t = tables;
    s->length = 0;
    s->lost = 0;
    for (int i = 0; i < TABLES; i++) s->class_count[i] = s->count[i] = 0;
    if (b->hashes) sha_begin(&sha);
    const uint32_t *host = b->host + b->host_first[row] * TOKEN_WORDS;
    const int64_t count = b->host_count[row], args = b->arg_count[row];
    int64_t steps = 0;
    /* host tokens and decoded ones in one loop, so that threads meet after each token */
    while (!s->lost && steps < b->limit) {
        if (s->length < count) {
            for (int i = 0; i < TOKEN_WORDS; i++) s->token[i] = host[s->length * TOKEN_WORDS + i];
            const int64_t arg = s->length - (count - 1 - args); /* arguments come before the call */
            if (arg >= 0 && arg < args)
                for (int k = 0; k < 8; k++) {
                    const word part = b->value_part + k, shift = 8 * (part % 4);
                    const uint32_t byte = (uint32_t)(b->args[2 * row + arg] >> 8 * k) & 255;
                    s->token[part / 4] = (s->token[part / 4] & ~(255u << shift)) | byte << shift;
                }
            s->length++;
            note(s);
            continue;
        }
        step(s);
        if (s->lost) break;
        s->length++;
        steps++;
        note(s);
        if (b->hashes)
            for (int p = 0; p < PARTS; p++) sha_byte(&sha, (uint8_t)part_of(s->token, p));
        if (part_of(s->token, STATUS_PART)) break;
    }
    b->lost[row] = s->lost;
    b->steps[row] = steps;
    if (b->hashes) {
        sha_end(&sha);
        for (int i = 0; i < 8; i++) b->hashes[8 * row + i] = sha.h[i];
    }
    for (int i = 0; i < TOKEN_WORDS; i++) b->final[row * TOKEN_WORDS + i] = s->token[i];
}

#ifdef __CUDACC__
/* Each thread takes every so many rows; a warp empties the tables of its threads together. */
extern "C" __global__ void __launch_bounds__(128, 4) weights_rows(const WeightsBatch *b) {
    const int64_t thread = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    const int64_t threads = gridDim.x * (int64_t)blockDim.x, lane = threadIdx.x & 31;
    for (int64_t at = thread; at - lane < b->rows; at += threads) {
        for (int k = 0; k < 32; k++) {
            uint32_t *place = (uint32_t *)b->tables[thread - lane + k].place;
            for (int i = (int)lane; i < TABLES * CAPACITY / 2; i += 32) place[i] = 0;
        }
        __syncwarp();
        if (at < b->rows) take_row(b, b->order[at], b->tables + thread);
        __syncwarp();
    }
}
#else
void weights_rows(const WeightsBatch *b) {
    for (int64_t at = 0; at < b->rows; at++) {
        for (int i = 0; i < TABLES * CAPACITY; i++) b->tables->place[0][i] = 0;
        take_row(b, b->order[at], b->tables);
    }
}
int64_t weights_table_bytes(void) { return sizeof(Tables); }
#endif
