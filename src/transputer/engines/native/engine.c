/* The native engine: sessions that append and decode tokens, exactly as the reference does.
 *
 * It reads an image (image.h) and knows nothing but integers: parts of tokens, lanes, heads,
 * neurons. A step notes the last token in the key tables (table.h), finds the plan for it
 * (specialize.h), and runs that: reads, lookups (nearest.h), neurons, outputs.
 */
#include "image.h"
#include "nearest.h"
#include "sha256.h"
#include "specialize.h"
#include "table.h"

enum { READY, OUT_OF_MEMORY = -1, FULL = -2, TOO_LARGE = -3, LOST = -4 };

typedef struct {
    const word *image;
    const ModelRecord *model;
    const HeadRecord *heads;
    const ControlRecord *controls;
    Readings fetch_query;
    Table *tables;
    Counts *counts;          /* per head */
    Plan **plans;
    word plan_count;
    uint16_t *token;         /* the last token, and the prediction that follows it */
    uint16_t *predicted;
    uint8_t *packed;         /* the last token as entries and the tape hold it */
    size_t part_bytes, token_bytes;
    word length;             /* of the session */
    int computed;            /* the prediction is that of the last token */
    word *x;                 /* slots */
    uint64_t x_capacity;
    word *scratch;           /* queries, keys and values of one head */
    uint8_t *tape;           /* every token, if they are kept */
    uint64_t tape_capacity;
    int keep;
    int *own, *fetched;      /* known parts, when a plan is made */
    word made;               /* plans made */
    Buffer plan_tables;      /* what plans read, by values of parts */
} Session;

/* ---- Small things. ---- */

static inline word part_of(const Session *s, const uint8_t *token, word part) {
    return s->part_bytes == 1 ? token[part] : ((const uint16_t *)token)[part];
}

static void pack(const Session *s, uint8_t *restrict to) {
    const uint16_t *restrict token = s->token;
    word parts = s->model->parts;
    if (s->part_bytes != 1) memcpy(to, token, (size_t)parts * sizeof *token);
    else
        for (word p = 0; p < parts; p++) to[p] = (uint8_t)token[p];
}

static inline word sum_terms(const word *term, word count, word sum, const word *x) {
    for (word i = 0; i < count; i++) sum += x[term[i] & SLOT_MASK] * (term[i] >> SLOT_BITS);
    return sum;
}

/* [terms, constant, term...]; moves on behind it. */
static inline word form(const word **at, const word *x) {
    const word *p = *at;
    *at = p + 2 + p[0];
    return sum_terms(p + 2, p[0], p[1], x);
}

/* ---- Key tables. ---- */

static int note_static(Session *s) {
    word at = s->length - 1;
    for (word i = 0; i < s->model->tables; i++) {
        Table *t = &s->tables[i];
        if (t->record->dynamic) continue;
        word key = reading(s->image, t->key, 0, s->token, at);
        int done = t->record->kind == RUNNING
                       ? table_offer(t, key, at, s->packed, s->token_bytes)
                       : table_keep(t, key, at, s->packed, s->token_bytes);
        if (!done) return 0;
    }
    return 1;
}

/* The fields of a dynamic PACKED key, or 0 if one is out of range or no integer. `key` holds
 * digits, extras and the rest of the score, which is c (m - |a|^2) + r p. */
static int pack_key(const Session *s, const HeadRecord *h, const Table *t, const word *key,
                    word now, uint64_t *packed) {
    word rest = key[h->digits + h->extras] - h->recency * now, m = rest / h->scale;
    if (m * h->scale != rest) return 0;
    *packed = 0;
    for (word i = 0; i < h->digits + h->extras + 1; i++) {
        word f, held;
        if (i < h->digits) {
            f = s->image[h->digit_field + i];
            held = key[i];
            m += held * held;
        } else if (i < h->digits + h->extras) {
            f = s->image[h->extra_field + i - h->digits];
            held = key[i];
        } else {
            f = h->offset_field;
            held = m;
        }
        uint64_t bits = (uint64_t)(held - t->low[f]);
        if (bits >> t->bits[f]) return 0;
        if (t->bits[f]) *packed |= bits << t->shift[f];
    }
    return 1;
}

/* The rows of a WIDE key that stands for a packed one. */
static void unpack_key(const Session *s, const HeadRecord *h, const Table *t, uint64_t packed,
                       word *key) {
    word rest = field_of(t, packed, h->offset_field);
    for (word i = 0; i < h->digits; i++) {
        key[i] = field_of(t, packed, s->image[h->digit_field + i]);
        rest -= key[i] * key[i];
    }
    for (word j = 0; j < h->extras; j++)
        key[h->digits + j] = field_of(t, packed, s->image[h->extra_field + j]);
    key[h->digits + h->extras] = rest * h->scale;
}

/* A token broke the pattern: from now on the keys of this head are kept in full and scanned. */
static int widen(Session *s, const HeadRecord *h, Table *t) {
    Table old = *t;
    memset(t, 0, sizeof *t);
    t->record = old.record;
    t->shift = old.shift, t->bits = old.bits, t->low = old.low;
    table_layout(t, 1, h->digits + h->extras + 1, (size_t)old.record->payload);
    word *key = realloc(NULL, sizeof(word) * (size_t)t->keywords);
    int done = key != NULL;
    for (uint64_t i = 0; done && i < old.count; i++) {
        unpack_key(s, h, &old, (uint64_t)*entry_key(&old, i), key);
        done = table_note(t, key, *entry_last(&old, i), entry_payload(&old, i),
                          (size_t)old.record->payload);
    }
    free(key);
    table_close(&old);
    return done;
}

/* Notes the key and the values of this position. */
static int note_dynamic(Session *s, const HeadRecord *h, word *key, word rows, const word *values) {
    Table *t = &s->tables[h->table];
    word now = s->length - 1;
    size_t size = (size_t)t->record->payload;
    if (h->kind == RUNNING) return table_offer(t, key[0], now, values, size);
    if (h->kind == PACKED && !t->wide) {
        uint64_t packed;
        if (pack_key(s, h, t, key, now, &packed)) {
            word only = (word)packed;
            return table_note(t, &only, now, values, size);
        }
        if (!widen(s, h, t)) return 0;
    }
    if (h->kind == WIDE)
        for (word j = 0; j < h->digits; j++) key[j] -= s->image[h->spread + j] * now;
    key[rows - 1] -= h->recency * now;
    return table_note(t, key, now, values, size);
}

/* What a dynamic head attends to: where its values are kept. */
static const char *lookup_dynamic(Session *s, const HeadRecord *h, word *query) {
    Table *t = &s->tables[h->table];
    Counts *counts = &s->counts[h - s->heads];
    word rho = h->recency;
    if (h->kind == RUNNING) return entry_payload(t, 0);
    if (!t->wide)
        return entry_payload(t, lookup_packed(s->image, h, t, query, query + h->digits,
                                              s->length - 1, counts));
    if (h->kind == PACKED) /* widened: query digits count 2c times */
        for (word j = 0; j < h->digits; j++) query[j] *= 2 * h->scale;
    else
        for (word j = 0; j < h->digits; j++) rho += query[j] * s->image[h->spread + j];
    return lookup_wide(t, query, rho, counts);
}

/* ---- Running a plan. ---- */

static inline word value_of(const void *token, size_t part_bytes, word part) {
    return part_bytes == 1 ? ((const uint8_t *)token)[part] : ((const uint16_t *)token)[part];
}

typedef uint16_t SmallFour __attribute__((vector_size(8), aligned(2), may_alias));
typedef word Four __attribute__((vector_size(32), aligned(8), may_alias));

/* Adds what tables say of the parts of a token; moves on behind the blocks and reads. */
static inline const word *add_reads(const Session *s, const word *at, const void *token,
                                    size_t part_bytes, word *x) {
    word blocks = at[0], reads = at[1];
    for (at += 2; blocks; blocks--, at += 2) {
        word *to = x + (at[0] >> SLOT_BITS & SLOT_MASK), count = at[0] >> 32;
        const half *from = (const half *)(s->plan_tables.words + at[1]);
        from += count * value_of(token, part_bytes, at[0] & SLOT_MASK);
        for (; count; count -= 4, to += 4, from += 4)
            *(Four *)to += __builtin_convertvector(*(const SmallFour *)from, Four);
    }
    for (; reads; reads--, at++)
        x[*at & SLOT_MASK] +=
            s->image[(*at >> 32) + value_of(token, part_bytes, *at >> SLOT_BITS & SLOT_MASK)];
    return at;
}

static const word *run_static_head(Session *s, const HeadRecord *h, const word *at,
                                   uint32_t fetched) {
    Table *t = &s->tables[h->table];
    uint32_t entry = h->kind == RUNNING ? 0 : fetched;
    if (entry == NOTHING) {
        word query[2 * MAX_DIGITS], rows = h->digits + h->extras;
        for (word i = 0; i < rows; i++) query[i] = form(&at, s->x);
        entry = lookup_packed(s->image, h, t, query, query + h->digits, s->length - 1,
                              &s->counts[h - s->heads]);
    }
    const char *token = entry_payload(t, entry);
    at = s->part_bytes == 1 ? add_reads(s, at, token, 1, s->x) : add_reads(s, at, token, 2, s->x);
    for (word positions = *at++; positions; positions--, at += 2)
        s->x[at[0]] += at[1] * *entry_last(t, entry);
    return at;
}

static const word *run_dynamic_head(Session *s, const HeadRecord *h, const word *at, word alive) {
    Sparse keys = sparse_at(s->image, h->key), values = sparse_at(s->image, h->value);
    word queries = !alive || h->kind == RUNNING ? 0 : h->digits + h->extras;
    word *query = s->scratch, *key = query + h->digits + h->extras, *value = key + keys.rows;
    for (word i = 0; i < queries; i++) query[i] = form(&at, s->x);
    for (word i = 0; i < keys.rows; i++) key[i] = form(&at, s->x);
    for (word i = 0; i < values.rows; i++) value[i] = form(&at, s->x);
    if (!note_dynamic(s, h, key, keys.rows, value)) return NULL;
    word count = *at++;
    if (alive) {
        const word *held = (const word *)lookup_dynamic(s, h, query);
        for (word i = 0; i < 2 * count; i += 2)
            s->x[at[i] & SLOT_MASK] += held[at[i] >> SLOT_BITS] * at[i + 1];
    }
    return at + 2 * count;
}

static inline const word *run_sums(const word *at, word count, word slots, word *x) {
    for (; count; count--, at += (slots + 1) / 4) {
        const half *slot = (const half *)at;
        word sum = x[slot[1]] + x[slot[2]] + x[slot[3]];
        if (slots == 7) sum += x[slot[4]] + x[slot[5]] + x[slot[6]] + x[slot[7]];
        x[slot[0]] += sum;
    }
    return at;
}

static inline const word *run_terms(const word *at, word count, word terms, word *x) {
    for (; count; count--, at += 1 + terms) {
        const half *slot = (const half *)at;
        word sum = x[slot[1]] * at[1];
        if (terms == 3) sum += x[slot[2]] * at[2] + x[slot[3]] * at[3];
        x[slot[0]] += sum;
    }
    return at;
}

/* How many breaks are not above z, by halving if there are many. */
static inline word segment_of(const word *point, word breaks, word z) {
    word k = 0;
    if (breaks <= 4) {
        for (word i = 0; i < breaks; i++) k += z >= point[i];
        return k;
    }
    const word *low = point;
    for (word n = breaks, some; n > 1; n -= some) {
        some = n / 2;
        low += some & -(word)(low[some - 1] <= z);
    }
    return low - point + (*low <= z);
}

static inline const word *run_pieces(const word *at, word count, word breaks, word outs, word *x) {
    for (; count; count--, at += 1 + breaks + 2 * outs * (breaks + 1)) {
        const half *slot = (const half *)at;
        word z = x[slot[0]];
        const word *line = at + 1 + breaks + 2 * outs * segment_of(at + 1, breaks, z);
        x[slot[1]] += line[0] * z + line[1];
        if (outs == 2) x[slot[2]] += line[2] * z + line[3];
    }
    return at;
}

/* Gates of one z up to the first that is shut: all later ones of the same sign are, too. */
static inline void run_open(const word *at, const word *end, word z, word *x) {
    for (; at < end; at += at[0]) {
        word gate = at[1] * z + at[2];
        if (gate <= 0) return;
        const word *p = at + 3;
        word product = gate * form(&p, x);
        for (word k = 1; k <= p[0]; k++) x[p[k] & SLOT_MASK] += product * (p[k] >> SLOT_BITS);
    }
}

/* [z, from, to, body]: all are shut but where z >= from or z <= to. */
static inline const word *run_gates(const word *at, word count, const word *cold, word *x) {
    for (; count; count--, at += 4) {
        word z = x[at[0]];
        if (z < at[1] && z > at[2]) continue;
        const word *body = cold + at[3], *first = body + 2, *middle = first + body[0];
        run_open(first, middle, z, x);
        run_open(middle, first + body[1], z, x);
    }
    return at;
}

static const word *run_choice(Session *s, const word *at) {
    word part = at[0], rows = at[1], best = 0, which = 0;
    at += 2;
    for (word i = 0; i < rows; i++) {
        word logit = form(&at, s->x);
        if (i == 0 || logit > best) best = logit, which = i; /* the lowest of equals */
    }
    s->predicted[part] = (uint16_t)which;
    return at;
}

/* 2 v y - v^2 is largest at v = y, and falls on both sides. */
static inline const word *run_numbers(const word *at, word count, const word *x,
                                      uint16_t *predicted) {
    for (; count; count--, at += 3) {
        word y = x[at[0] >> SLOT_BITS] + at[2], highest = at[1];
        predicted[at[0] & SLOT_MASK] = (uint16_t)(y < 0 ? 0 : y > highest ? highest : y);
    }
    return at;
}

static const word *run_digit(Session *s, const word *at) {
    word part = at[0], highest = at[1], lanes = at[3], x[MAX_SEARCHED];
    const word *increments = s->image + at[2];
    at += 4;
    for (word i = 0; i < lanes; i++) x[i] = form(&at, s->x);
    s->predicted[part] = (uint16_t)count_positive(increments, highest, lanes, x);
    return at;
}

static const word *run_head(Session *s, const word *at, uint32_t fetched) {
    const HeadRecord *h = &s->heads[at[0]];
    if (h->dynamic) return run_dynamic_head(s, h, at + 2, at[1]);
    return run_static_head(s, h, at + 2, at[0] == s->model->fetch ? fetched : NOTHING);
}

static int run_plan(Session *s, const Plan *plan, uint32_t fetched) {
    word *x = s->x, position = s->length - 1;
    const word *at = plan->code;
    memset(x, 0, (size_t)plan->slots * sizeof *x);
    memcpy(s->predicted, plan->token, (size_t)s->model->parts * sizeof *s->predicted);
    for (;;) {
        word kind = at[0] >> SHAPE_BITS, shape = at[0] & (((word)1 << SHAPE_BITS) - 1), count = at[1];
        word first = shape >> COUNT_BITS, second = shape & ((1 << COUNT_BITS) - 1);
        at += 2;
        switch (kind) {
        case READ:
            at = add_reads(s, at, s->token, sizeof *s->token, x);
            break;
        case POSITION:
            for (; count; count--, at += 2) x[at[0]] += at[1] * position;
            break;
        case HEAD:
            for (; count; count--)
                if (!(at = run_head(s, at, fetched))) return OUT_OF_MEMORY;
            break;
        case SUM:
            at = shape == 3 ? run_sums(at, count, 3, x) : run_sums(at, count, 7, x);
            break;
        case TERM:
            at = shape == 1 ? run_terms(at, count, 1, x) : run_terms(at, count, 3, x);
            break;
        case PIECE:
            at = shape == (1 << COUNT_BITS | 1)   ? run_pieces(at, count, 1, 1, x)
                 : shape == (2 << COUNT_BITS | 1) ? run_pieces(at, count, 1, 2, x)
                 : first == 1                     ? run_pieces(at, count, second, 1, x)
                                                  : run_pieces(at, count, second, 2, x);
            break;
        case GATE:
            at = run_gates(at, count, plan->cold, x);
            break;
        case NUMBER:
            at = run_numbers(at, count, x, s->predicted);
            break;
        case DIGIT:
            for (; count; count--) at = run_digit(s, at);
            break;
        case CHOICE:
            for (; count; count--) at = run_choice(s, at);
            break;
        default:
            return READY;
        }
    }
}

/* ---- Controls: which plan. ---- */

static uint32_t fetch(Session *s) {
    const HeadRecord *h = &s->heads[s->model->fetch];
    if (h->kind == RUNNING) return 0;
    Table *t = &s->tables[h->table];
    word query[2 * MAX_DIGITS];
    for (word i = 0; i < s->fetch_query.rows; i++)
        query[i] = reading(s->image, s->fetch_query, i, s->token, s->length - 1);
    return lookup_packed(s->image, h, t, query, query + h->digits, s->length - 1,
                         &s->counts[s->model->fetch]);
}

static int make_plan(Session *s, const uint8_t *fetched, Plan **into) {
    for (word p = 0; p < s->model->parts; p++) s->own[p] = s->fetched[p] = -1;
    for (word i = 0; i < s->model->controls; i++) {
        const ControlRecord *c = &s->controls[i];
        if (c->fetched) s->fetched[c->part] = (int)part_of(s, fetched, c->part);
        else s->own[c->part] = s->token[c->part];
    }
    int too_large = 0;
    Plan *plan = specialize(s->image, s->own, s->fetched, &s->plan_tables, &too_large);
    if (!plan) return too_large ? TOO_LARGE : OUT_OF_MEMORY;
    if (!fits((void **)&s->x, &s->x_capacity, (uint64_t)plan->slots + 4, sizeof *s->x)) {
        plan_free(plan);
        return OUT_OF_MEMORY;
    }
    *into = plan;
    s->made++;
    return READY;
}

/* Whether a lookup of this step needed a key that was given up. */
static int lost(const Session *s) {
    int any = 0;
    for (word i = 0; i < s->model->tables; i++) any |= s->tables[i].oblivion.lost;
    return any;
}

/* The forward pass of the last token. */
static int compute(Session *s) {
    uint32_t entry = s->model->fetch < 0 ? NOTHING : fetch(s);
    const uint8_t *fetched = NULL;
    if (entry != NOTHING)
        fetched = (const uint8_t *)entry_payload(&s->tables[s->heads[s->model->fetch].table], entry);
    word which = 0;
    for (word i = 0; i < s->model->controls; i++) {
        const ControlRecord *c = &s->controls[i];
        which += c->stride * (c->fetched ? part_of(s, fetched, c->part) : s->token[c->part]);
    }
    int problem = s->plans[which] ? READY : make_plan(s, fetched, &s->plans[which]);
    if (!problem) problem = run_plan(s, s->plans[which], entry);
    if (!problem && lost(s)) problem = LOST;
    s->computed = !problem;
    return problem;
}

/* Adds the token that `s->token` holds. */
static int advance(Session *s) {
    if (s->length >= s->model->context) return FULL;
    if (s->keep) {
        uint64_t wanted = (uint64_t)(s->length + 1) * s->token_bytes;
        if (!fits((void **)&s->tape, &s->tape_capacity, wanted, 1)) return OUT_OF_MEMORY;
    }
    pack(s, s->packed);
    if (s->keep) memcpy(s->tape + (size_t)s->length * s->token_bytes, s->packed, s->token_bytes);
    s->length++;
    s->computed = 0;
    if (!note_static(s)) return OUT_OF_MEMORY;
    return s->model->dynamic ? compute(s) : READY;
}

/* ---- What Python calls. ---- */

void transputer_close(Session *s) {
    if (!s) return;
    for (word i = 0; s->tables && i < s->model->tables; i++) table_close(&s->tables[i]);
    for (word i = 0; s->plans && i < s->plan_count; i++) plan_free(s->plans[i]);
    void *held[] = {s->tables, s->counts, s->plans, s->token, s->predicted, s->packed,
                    s->x, s->scratch, s->tape, s->own, s->fetched, s->plan_tables.words, s};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) free(held[i]);
}

static word scratch_words(const Session *s) {
    word most = 1;
    for (word i = 0; i < s->model->heads; i++) {
        const HeadRecord *h = &s->heads[i];
        if (!h->dynamic) continue;
        word wanted = h->digits + h->extras + sparse_at(s->image, h->key).rows
                      + sparse_at(s->image, h->value).rows;
        if (wanted > most) most = wanted;
    }
    return most;
}

/* A session on an image, which must stay where it is; NULL where memory ran out. Tables of more
 * than `large` keys may give up what nobody asks for; with 0 they keep everything. */
Session *transputer_open(const word *image, word part_bytes, word keep, word large) {
    Session *s = zeroed(1, sizeof *s);
    if (!s) return NULL;
    s->image = image;
    s->model = (const ModelRecord *)image;
    s->heads = (const HeadRecord *)(image + s->model->head);
    s->controls = (const ControlRecord *)(image + s->model->control);
    if (s->model->fetch >= 0) s->fetch_query = readings_at(image, s->model->fetch_query);
    s->part_bytes = (size_t)part_bytes;
    s->token_bytes = (size_t)(part_bytes * s->model->parts);
    s->keep = (int)keep;
    s->plan_count = 1;
    const word *sizes = image + s->model->sizes;
    for (word i = 0; i < s->model->controls; i++) s->plan_count *= sizes[s->controls[i].part];
    size_t parts = (size_t)s->model->parts;
    s->tables = zeroed((size_t)s->model->tables, sizeof *s->tables);
    s->counts = zeroed((size_t)s->model->heads, sizeof *s->counts);
    s->plans = zeroed((size_t)s->plan_count, sizeof *s->plans);
    s->token = zeroed(parts, sizeof *s->token);
    s->predicted = zeroed(parts, sizeof *s->predicted);
    s->packed = zeroed(parts, s->part_bytes);
    s->own = zeroed(parts, sizeof *s->own);
    s->fetched = zeroed(parts, sizeof *s->fetched);
    s->scratch = zeroed((size_t)scratch_words(s), sizeof *s->scratch);
    if (!s->tables || !s->counts || !s->plans || !s->token || !s->predicted || !s->packed
        || !s->own || !s->fetched || !s->scratch) {
        transputer_close(s);
        return NULL;
    }
    const TableRecord *record = (const TableRecord *)(image + s->model->table);
    int ready = 1;
    for (word i = 0; i < s->model->tables; i++) {
        table_open(&s->tables[i], image, &record[i]);
        ready &= oblivion_open(&s->tables[i], (uint64_t)large);
    }
    if (ready) return s;
    transputer_close(s);
    return NULL;
}

/* What the host appends is there to be found. */
static void mark_host(Session *s) {
    for (word i = 0; i < s->model->tables; i++) {
        Table *t = &s->tables[i];
        if (t->record->dynamic || t->record->kind != PACKED) continue;
        mark_asked(t, (uint64_t)reading(s->image, t->key, 0, s->token, s->length - 1));
    }
}

/* Adds tokens of the host's, part after part; returns how many, or what went wrong. */
word transputer_append(Session *s, const uint16_t *tokens, word count) {
    for (word i = 0; i < count; i++) {
        memcpy(s->token, tokens + i * s->model->parts, (size_t)s->model->parts * sizeof *tokens);
        int problem = advance(s);
        if (problem) return problem == FULL && i ? i : problem;
        mark_host(s);
    }
    return count;
}

/* The token that the last position predicts. */
int transputer_next(Session *s, uint16_t *token) {
    int problem = s->computed ? READY : compute(s);
    if (!problem) memcpy(token, s->predicted, (size_t)s->model->parts * sizeof *token);
    return problem;
}

static word keys_scanned(const Session *s) {
    word sum = 0;
    for (word i = 0; i < s->model->heads; i++) sum += s->counts[i].scanned;
    return sum;
}

/* Decodes up to `limit` tokens. `watch` has `stops` pairs (part, mask): value v of the part ends
 * the run if masks[mask + v] is set. `into`, unless NULL, receives the tokens. Ends early, without a stop, once about `effort` keys have been looked at, so that the
 * caller can look around. Returns how many were decoded, with `*stopped` set if the last one is
 * a stop; or what went wrong before the first. */
word transputer_run(Session *s, word limit, const word *watch, word stops, const uint8_t *masks,
                    uint16_t *into, word effort, int *stopped) {
    word parts = s->model->parts, before = keys_scanned(s);
    size_t bytes = (size_t)parts * sizeof *into;
    *stopped = 0;
    for (word done = 0; done < limit;) {
        int problem = s->computed ? READY : compute(s);
        if (!problem) {
            memcpy(s->token, s->predicted, bytes);
            problem = advance(s);
        }
        if (problem) return (problem == FULL || problem == LOST) && done ? done : problem;
        if (into) memcpy(into + done * parts, s->token, bytes);
        done++;
        for (word i = 0; i < stops; i++)
            *stopped |= masks[watch[2 * i + 1] + s->token[watch[2 * i]]];
        if (*stopped) return done;
        if (done % 64 == 0 && keys_scanned(s) - before + 16 * done > effort) return done;
    }
    return limit;
}

word transputer_length(const Session *s) { return s->length; }

/* The last token, or any if they are kept. */
void transputer_token(const Session *s, word at, uint16_t *token) {
    const uint8_t *held = s->keep ? s->tape + (size_t)at * s->token_bytes : s->packed;
    for (word p = 0; p < s->model->parts; p++) token[p] = (uint16_t)part_of(s, held, p);
}

/* All tokens as they are kept. */
const uint8_t *transputer_tape(const Session *s) { return s->tape; }

/* Per head lookups, searches for the nearest, keys looked at; per table keys and bytes. */
void transputer_counts(const Session *s, word *heads, word *tables) {
    for (word i = 0; i < s->model->heads; i++) {
        heads[3 * i] = s->counts[i].lookups;
        heads[3 * i + 1] = s->counts[i].misses;
        heads[3 * i + 2] = s->counts[i].scanned;
    }
    for (word i = 0; i < s->model->tables; i++) {
        const Table *t = &s->tables[i];
        tables[2 * i] = (word)t->count;
        tables[2 * i + 1] = (word)(t->capacity * t->stride + (t->mask + 1) * sizeof *t->slots);
    }
}

/* ---- Tokens that tables hold: with their positions they are all that later steps depend on. ---- */

word transputer_held(const Session *s) {
    word sum = 0;
    for (word i = 0; i < s->model->tables; i++) sum += (word)s->tables[i].count;
    return sum;
}

/* Every entry of every table, some tokens several times; for models without dynamic heads. */
void transputer_save(const Session *s, word *positions, uint16_t *tokens) {
    for (word i = 0; i < s->model->tables; i++)
        for (uint64_t e = 0; e < s->tables[i].count; e++) {
            const uint8_t *token = (const uint8_t *)entry_payload(&s->tables[i], e);
            *positions++ = *entry_last(&s->tables[i], e);
            for (word p = 0; p < s->model->parts; p++) *tokens++ = (uint16_t)part_of(s, token, p);
        }
}

/* Into an empty session: tokens in the order of their positions; the last one is the last token
 * of a sequence of `length`. */
int transputer_restore(Session *s, word length, const word *positions, const uint16_t *tokens,
                       word count) {
    for (word i = 0; i < count; i++) {
        memcpy(s->token, tokens + i * s->model->parts, (size_t)s->model->parts * sizeof *tokens);
        s->length = positions[i];
        int problem = advance(s);
        if (problem) return problem;
    }
    s->length = length;
    return READY;
}

enum { ASKED = 1, GONE = 2 };

/* What is known of each value of a digit, [table][digit][value]; returns how many there are. */
word transputer_flags(const Session *s, uint8_t *flags) {
    word sum = 0;
    for (word i = 0; i < s->model->tables; i++) {
        const Oblivion *o = &s->tables[i].oblivion;
        word size = (word)s->tables[i].digits << DIGIT_BITS;
        for (word k = 0; flags && k < size; k++)
            flags[sum + k] = (uint8_t)(o->asked[k] * ASKED | o->gone[k] * GONE);
        sum += size;
    }
    return sum;
}

/* Into an empty session: what `transputer_flags` said. */
void transputer_set_flags(Session *s, const uint8_t *flags) {
    for (word i = 0; i < s->model->tables; i++) {
        Oblivion *o = &s->tables[i].oblivion;
        for (word k = 0; k < (word)s->tables[i].digits << DIGIT_BITS; k++, flags++) {
            o->asked[k] = (*flags & ASKED) != 0;
            o->active |= o->gone[k] = (*flags & GONE) != 0;
        }
        o->watching |= o->active;
    }
}

word transputer_plans(const Session *s) { return s->made; }
