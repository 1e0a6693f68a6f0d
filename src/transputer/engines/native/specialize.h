/* Plans: a step for known controls, as a list of words that computes what is left of it.
 *
 * What analyze.h found is written down with a few more identities on integers:
 *
 *   - relu(g) = g for a constant g > 0: such a neuron adds a linear form. Lanes are kept as
 *     linear forms of slots, so that copies and sums cost nothing until they are read;
 *   - neurons with one gate up to sign and constant, and constant values, are one function of
 *     one integer z, linear between breakpoints: f(z) = A_k z + B_k for b_k <= z < b_(k+1).
 *
 * A slot is written in one layer (or by one head) and read later, so the order within a layer
 * does not matter, except that sums of slots come before what reads them. So items are sorted by
 * kind and shape. A run is [kind and shape, count, item...]; its items have one length and take
 * the same branches, so that a processor need not guess.
 */
#ifndef TRANSPUTER_SPECIALIZE_H
#define TRANSPUTER_SPECIALIZE_H

#include "analyze.h"

enum { READ, POSITION, HEAD, SUM, TERM, PIECE, GATE, NUMBER, DIGIT, CHOICE, END };
/* Lanes that a search can read. */
enum { MAX_SEARCHED = 8 };

#define SLOT_BITS 16
#define SLOT_MASK 0xFFFF
#define SHAPE_BITS 40
#define COUNT_BITS 20 /* a shape may be two numbers */
#define MAX_WEIGHT (((word)1 << 47) - 1) /* a larger one takes several terms */
enum { FORM_TERMS = 4 };                 /* a lane with more gets a slot of its own */
enum { MAX_ROWS = 1024 };                /* of a table for a block of slots */

typedef uint16_t __attribute__((may_alias)) half; /* slots, four to a word */

typedef struct {
    word *words;
    uint64_t count, capacity;
    int failed;
} Buffer;

typedef struct {
    word *code, *cold;
    word slots;
    uint16_t *token; /* the parts of the prediction that are always the same */
} Plan;

typedef struct { word constant; int count; word slot[FORM_TERMS], weight[FORM_TERMS]; } Form;

typedef struct {
    Analysis found;
    const word *image;
    word width, slots;
    Form *form, *next;    /* [lane] what it holds; what it holds next */
    int32_t *target;      /* [lane] the slot that gated neurons, or heads, add to; -1: none */
    word *sum;            /* [slot] a form that is being gathered: weights, */
    word *touched;        /* and which slots it has, in order */
    uint64_t sum_capacity, touched_capacity;
    word touched_count, constant;
    Buffer code;          /* items not yet sorted: [kind and shape, words, word...] */
    uint64_t item;        /* where the last one begins */
    word first_held;      /* the slots of these items are not below it */
    Buffer sorted, cold;  /* runs; the bodies of gates, most of which are shut */
    Buffer *tables;       /* what blocks of slots read, for all plans */
    uint16_t *token;
    int too_large;        /* more slots than a word can name */
} Builder;

static void push(Buffer *b, word w) {
    if (b->failed || !fits((void **)&b->words, &b->capacity, b->count + 1, sizeof w)) {
        b->failed = 1;
        return;
    }
    b->words[b->count++] = w;
}

static void set(Buffer *b, uint64_t at, word w) {
    if (!b->failed) b->words[at] = w;
}

static void push_term(Buffer *b, word slot, word weight) {
    while (weight) {
        word some = weight > MAX_WEIGHT ? MAX_WEIGHT : weight < -MAX_WEIGHT ? -MAX_WEIGHT : weight;
        push(b, (word)((uint64_t)some << SLOT_BITS) | slot);
        weight -= some;
    }
}

/* Notes the length of the last item. */
static void end_item(Builder *b) {
    if (b->code.count) set(&b->code, b->item + 1, (word)(b->code.count - b->item - 2));
}

static void begin(Builder *b, word kind, word shape) {
    end_item(b);
    b->item = b->code.count;
    push(&b->code, kind << SHAPE_BITS | shape);
    push(&b->code, 0);
}

/* Writes the items as runs, in the order of their kinds and shapes. */
static void flush(Builder *b) {
    end_item(b);
    const word *item = b->code.words, *end = item + b->code.count;
    for (word last = -1, key; !b->code.failed; last = key) {
        uint64_t run = b->sorted.count;
        word count = 0;
        key = INT64_MAX;
        for (const word *i = item; i < end; i += 2 + i[1])
            if (*i > last && *i < key) key = *i;
        if (key == INT64_MAX) break;
        push(&b->sorted, key);
        push(&b->sorted, 0);
        for (const word *i = item; i < end; i += 2 + i[1]) {
            if (*i != key) continue;
            for (word k = 0; k < i[1]; k++) push(&b->sorted, i[2 + k]);
            count++;
        }
        set(&b->sorted, run + 1, count);
        b->code.failed |= b->sorted.failed;
    }
    b->code.count = 0;
    b->first_held = b->slots;
}

static word new_slot(Builder *b) {
    uint64_t wanted = (uint64_t)b->slots + 1;
    b->too_large |= b->slots > SLOT_MASK;
    if (b->too_large || !fits((void **)&b->sum, &b->sum_capacity, wanted, sizeof(word))
        || !fits((void **)&b->touched, &b->touched_capacity, wanted, sizeof(word))) {
        b->code.failed = 1;
        return 0;
    }
    b->sum[b->slots] = 0;
    return b->slots++;
}

/* ---- Gathering forms. ---- */

static void gather_none(Builder *b) {
    for (word i = 0; i < b->touched_count; i++) b->sum[b->touched[i]] = 0;
    b->touched_count = b->constant = 0;
}

static void gather_form(Builder *b, const Form *f, word weight) {
    b->constant += f->constant * weight;
    for (int i = 0; i < f->count && !b->code.failed; i++) {
        word slot = f->slot[i], at = 0;
        if (!b->sum[slot]) { /* 0 may mean touched and cancelled */
            while (at < b->touched_count && b->touched[at] != slot) at++;
            if (at == b->touched_count) b->touched[b->touched_count++] = slot;
        }
        b->sum[slot] += f->weight[i] * weight;
    }
}

static void gather_row(Builder *b, Sparse rows, word row) {
    gather_none(b);
    for (word i = rows.start[row]; i < rows.start[row + 1]; i++)
        gather_form(b, &b->form[rows.lane[i]], rows.weight[i]);
}

/* [terms, constant, term...] */
static void push_gathered(Builder *b, word factor) {
    uint64_t at = b->code.count;
    push(&b->code, 0);
    push(&b->code, b->constant * factor);
    for (word i = 0; i < b->touched_count; i++)
        push_term(&b->code, b->touched[i], b->sum[b->touched[i]] * factor);
    set(&b->code, at, (word)(b->code.count - at - 2));
}

static void push_forms(Builder *b, word sparse) {
    Sparse rows = sparse_at(b->image, sparse);
    for (word i = 0; i < rows.rows; i++) {
        gather_row(b, rows, i);
        push_gathered(b, 1);
    }
}

/* A slot in the last word; none means slot 0, which stays 0. */
static void set_half(Buffer *b, word at, word slot) {
    if (!b->failed) ((half *)(b->words + b->count - 1))[at] = (half)slot;
}

/* The next slot of the gathered form that counts once, or does not; 0: none is left. */
static word next_slot(const Builder *b, word factor, int once, word *i) {
    while (*i < b->touched_count) {
        word slot = b->touched[(*i)++], weight = b->sum[slot] * factor;
        if (weight && (weight == 1) == once) return slot;
    }
    return 0;
}

/* A slot for a multiple of the gathered form less its constant. SUM, [sum and slots], adds 3 or 7
 * slots to it; TERM, [sum and slots, weight...], multiples of 1 or 3. */
static word slot_of_sum(Builder *b, word factor) {
    word sum, count[2] = {0, 0};
    for (word i = 0; i < b->touched_count; i++)
        if (b->touched[i] >= b->first_held) { /* it may wait to be written itself */
            flush(b);
            break;
        }
    for (word i = 0; i < b->touched_count; i++) {
        word weight = b->sum[b->touched[i]] * factor;
        count[weight == 1] += weight != 0;
    }
    sum = new_slot(b);
    for (word i = 0, n; count[1] > 0 && !b->code.failed; count[1] -= n) {
        n = count[1] > 3 ? 7 : 3;
        begin(b, SUM, n);
        for (word k = 0; k <= n; k++) {
            if (k % 4 == 0) push(&b->code, 0);
            set_half(&b->code, k % 4, k ? next_slot(b, factor, 1, &i) : sum);
        }
    }
    for (word i = 0, n; count[0] > 0 && !b->code.failed; count[0] -= n) {
        word slot[3] = {0};
        n = count[0] > 1 ? 3 : 1;
        begin(b, TERM, n);
        push(&b->code, 0);
        set_half(&b->code, 0, sum);
        for (word k = 0; k < n; k++) set_half(&b->code, 1 + k, slot[k] = next_slot(b, factor, 0, &i));
        for (word k = 0; k < n; k++) push(&b->code, slot[k] ? b->sum[slot[k]] * factor : 0);
    }
    return sum;
}

/* The slot that holds what was gathered, less its constant. */
static word slot_of_gathered(Builder *b, word factor) {
    word live = 0, slot = 0;
    for (word i = 0; i < b->touched_count; i++) {
        word weight = b->sum[b->touched[i]] * factor;
        if (!weight) continue;
        slot = b->touched[i];
        live += weight == 1 ? 1 : 2;
    }
    return live == 1 ? slot : slot_of_sum(b, factor);
}

/* The gathered form as that of a lane: in full, or as a slot of its own. */
static void keep_gathered(Builder *b, Form *into, int room) {
    word live = 0;
    for (word i = 0; i < b->touched_count; i++) live += b->sum[b->touched[i]] != 0;
    Form made = {b->constant, 0, {0}, {0}};
    if (live <= room) {
        for (word i = 0; i < b->touched_count; i++) {
            if (!b->sum[b->touched[i]]) continue;
            made.slot[made.count] = b->touched[i];
            made.weight[made.count++] = b->sum[b->touched[i]];
        }
    } else {
        made.slot[0] = slot_of_sum(b, 1);
        made.weight[0] = made.count = 1;
    }
    *into = made;
}

static void add_slot(Form *f, word slot) {
    f->slot[f->count] = slot;
    f->weight[f->count++] = 1;
}

/* ---- Tokens: the embedding, and what heads read. ---- */

/* The unknown part that a row reads, and its table; -1 unless it is one. */
static word only_part(Readings r, word row, const int *parts, word *table) {
    word part = -1;
    for (word i = r.start[row]; i < r.start[row + 1]; i++) {
        if (parts && parts[r.part[i]] >= 0) continue;
        if (part >= 0) return -1;
        part = r.part[i];
        *table = r.table[i];
    }
    return part;
}

static int32_t *target_of(const Builder *b, const word *lane, word row) {
    return &b->target[lane ? lane[row] : row];
}

/* Slots for the live lanes of rows, side by side where they read one part. */
static void give_slots(Builder *b, Readings r, const word *lane, const int *parts,
                       const uint8_t *live) {
    for (word j = 0; j < r.rows; j++) {
        int rest = 0;
        word part = -1, table;
        if (live[lane ? lane[j] : j] && *target_of(b, lane, j) < 0) {
            known_reading(&b->found, r, j, parts, &rest);
            part = only_part(r, j, parts, &table);
        }
        if (rest) *target_of(b, lane, j) = (int32_t)new_slot(b);
        for (word k = j + 1; k < r.rows && part >= 0; k++)
            if (live[lane ? lane[k] : k] && *target_of(b, lane, k) < 0
                && only_part(r, k, parts, &table) == part)
                *target_of(b, lane, k) = (int32_t)new_slot(b);
    }
}

static int is_small(const word *table, word size) {
    for (word v = 0; v < size; v++)
        if (table[v] != (half)table[v] || size > MAX_ROWS) return 0;
    return 1;
}

/* Where the tables have, for every value of a part, a row of what `count` tables of the image say
 * of it, and idle columns up to `width`. Kept for all plans: [words, size, count, table..., row...] */
static word push_table(Builder *b, const word *source, word count, word width, word size) {
    Buffer *t = b->tables;
    size_t listed = (size_t)count * sizeof *source, filled = (size_t)(width * size) * sizeof(half);
    uint64_t at = 0, rows = 3 + (uint64_t)count, words = rows + filled / sizeof *source;
    for (; at < t->count; at += (uint64_t)t->words[at])
        if (t->words[at + 1] == size && t->words[at + 2] == count
            && !memcmp(t->words + at + 3, source, listed))
            return (word)(at + rows);
    t->failed |= !fits((void **)&t->words, &t->capacity, at + words, sizeof *t->words);
    if (t->failed) return 0;
    t->count += words;
    t->words[at] = (word)words, t->words[at + 1] = size, t->words[at + 2] = count;
    memcpy(t->words + at + 3, source, listed);
    memset(t->words + at + rows, 0, filled);
    half *to = (half *)(t->words + at + rows);
    for (word v = 0; v < size; v++, to += width)
        for (word i = 0; i < count; i++) to[i] = (half)b->image[source[i] + v];
    return (word)(at + rows);
}

/* Rows from `j` on that read one part, with slots side by side and small numbers: their tables.
 * Returns how many. */
static word block_at(const Builder *b, Readings r, const word *lane, const int *parts, word j,
                     word *part, word *source) {
    const word *sizes = b->image + b->found.model->sizes;
    word first = *target_of(b, lane, j), count = 0;
    *part = only_part(r, j, parts, source);
    for (; j < r.rows && *part >= 0; j++) {
        word slot = *target_of(b, lane, j);
        if (slot < 0 || only_part(r, j, parts, source + count) != *part) continue;
        if (slot != first + count || !is_small(b->image + source[count], sizes[*part])) break;
        count++;
    }
    return count;
}

/* [blocks, reads, (part, slot, slots; table)..., (table, part, slot)...]: slots side by side get a
 * row of a table of small numbers, others what a table of their own has for the part. */
static void push_reads(Builder *b, Readings r, const word *lane, const int *parts) {
    uint64_t at = b->code.count;
    word blocks = 0, reads = 0, *source = zeroed((size_t)r.rows + 1, sizeof *source);
    uint8_t *done = zeroed((size_t)b->slots, 1); /* [slot] */
    b->code.failed |= !source || !done;
    push(&b->code, 0);
    push(&b->code, 0);
    for (word j = 0; j < r.rows && !b->code.failed; j++) {
        word slot = *target_of(b, lane, j);
        if (slot < 0 || done[slot]) continue;
        word part, count = block_at(b, r, lane, parts, j, &part, source);
        word width = (count + 3) / 4 * 4;
        if (count < 3) continue;
        push(&b->code, width << 32 | slot << SLOT_BITS | part);
        push(&b->code, push_table(b, source, count, width, b->image[b->found.model->sizes + part]));
        blocks++;
        while (count--) done[slot + count] = 1;
    }
    for (word j = 0; j < r.rows && !b->code.failed; j++) {
        word slot = *target_of(b, lane, j);
        for (word i = r.start[j]; i < r.start[j + 1] && slot >= 0 && !done[slot]; i++) {
            if (parts && parts[r.part[i]] >= 0) continue;
            push(&b->code, r.table[i] << 32 | r.part[i] << SLOT_BITS | slot);
            reads++;
        }
    }
    set(&b->code, at, blocks);
    set(&b->code, at + 1, reads);
    free(source);
    free(done);
}

static void write_embedding(Builder *b) {
    Readings r = readings_at(b->image, b->found.model->embedding);
    for (word l = 0; l < b->width; l++) b->target[l] = -1;
    give_slots(b, r, NULL, b->found.own, live_at(&b->found, 0));
    begin(b, READ, 0);
    push_reads(b, r, NULL, b->found.own);
    for (word l = 0; l < b->width; l++) {
        b->form[l].constant = value_at(&b->found, 0)[l];
        if (b->target[l] < 0) continue;
        add_slot(&b->form[l], b->target[l]);
        if (!r.position[l]) continue;
        begin(b, POSITION, 0);
        push(&b->code, b->target[l]);
        push(&b->code, r.position[l]);
    }
    flush(b);
}

/* [count, (value, slot, weight)...]: what a dynamic head adds to slots. */
static void push_mix(Builder *b, const HeadRecord *head) {
    Sparse mix = sparse_at(b->image, head->mix);
    uint64_t at = b->code.count;
    push(&b->code, 0);
    for (word j = 0; j < head->lanes; j++) {
        word lane = b->image[head->lane + j];
        for (word i = mix.start[j]; i < mix.start[j + 1] && b->target[lane] >= 0; i++) {
            push(&b->code, mix.lane[i] << SLOT_BITS | b->target[lane]);
            push(&b->code, mix.weight[i]);
        }
    }
    set(&b->code, at, (word)(b->code.count - at - 1) / 2);
}

/* [reads, positions, (slot, coefficient)...]: what a static head adds to slots. */
static void push_attended(Builder *b, const HeadRecord *head, const int *parts) {
    Readings r = readings_at(b->image, head->read);
    const word *lane = b->image + head->lane;
    word positions = 0;
    push_reads(b, r, lane, parts);
    uint64_t at = b->code.count;
    push(&b->code, 0);
    for (word j = 0; j < head->lanes; j++) {
        if (b->target[lane[j]] < 0 || !r.position[j]) continue;
        push(&b->code, b->target[lane[j]]);
        push(&b->code, r.position[j]);
        positions++;
    }
    set(&b->code, at, positions);
}

/* [HEAD, head, alive, query forms; if dynamic key forms, value forms, mix; else attended] */
static void write_head(Builder *b, word h) {
    const HeadRecord *head = head_at(&b->found, h);
    int alive = b->found.head_alive[h];
    begin(b, HEAD, 0);
    push(&b->code, h);
    push(&b->code, alive);
    if (alive && h != b->found.model->fetch) push_forms(b, head->query);
    if (!head->dynamic) {
        push_attended(b, head, parts_of(&b->found, h));
        return;
    }
    push_forms(b, head->key);
    push_forms(b, head->value);
    push_mix(b, head);
}

/* What lanes hold next is what they hold now; `next` is written anew by whoever uses it. */
static void advance_forms(Builder *b) {
    Form *held = b->form;
    b->form = b->next;
    b->next = held;
}

static int has_heads(const Analysis *a, word layer) {
    for (word h = 0; h < a->model->heads; h++)
        if (head_at(a, h)->layer == layer) return 1;
    return 0;
}

static void write_heads(Builder *b, word layer) {
    const Analysis *a = &b->found;
    if (!has_heads(a, layer)) return;
    const uint8_t *live = live_at(a, 2 * layer + 1);
    memcpy(b->next, b->form, (size_t)b->width * sizeof *b->next);
    for (word l = 0; l < b->width; l++) b->target[l] = -1;
    for (word h = 0; h < a->model->heads; h++) {
        const HeadRecord *head = head_at(a, h);
        const word *lane = b->image + head->lane;
        if (head->layer != layer) continue;
        for (word j = 0; j < head->lanes && head->dynamic; j++)
            if (live[lane[j]] && b->target[lane[j]] < 0) b->target[lane[j]] = (int32_t)new_slot(b);
        if (head->dynamic) continue;
        Readings r = readings_at(b->image, head->read);
        for (word j = 0; j < head->lanes; j++) {
            int rest;
            b->next[lane[j]].constant += known_reading(a, r, j, parts_of(a, h), &rest);
        }
        give_slots(b, r, lane, parts_of(a, h), live);
    }
    for (word h = 0; h < a->model->heads; h++)
        if (head_at(a, h)->layer == layer && (a->head_alive[h] || head_at(a, h)->dynamic))
            write_head(b, h);
    for (word l = 0; l < b->width; l++) {
        if (b->target[l] < 0) continue;
        gather_none(b);
        gather_form(b, &b->next[l], 1);
        keep_gathered(b, &b->next[l], FORM_TERMS - 1);
        add_slot(&b->next[l], b->target[l]);
    }
    flush(b);
    advance_forms(b);
}

/* ---- Neurons of one z. ---- */

typedef struct {
    word neuron;
    word sign, offset; /* the gate is sign z + offset */
    word scale;        /* the value, if constant */
    int varies;        /* it is not */
    uint64_t z, terms; /* z: slots and weights, by slot */
} Member;

/* z as words to compare: the gathered form without its constant, sorted, first weight positive. */
static void gather_z(Builder *b, Buffer *all, Member *m) {
    m->z = all->count;
    for (word i = 0; i < b->touched_count; i++) {
        word slot = b->touched[i], weight = b->sum[slot];
        if (!weight) continue;
        uint64_t at = all->count;
        push(all, 0);
        push(all, 0);
        if (all->failed) return;
        for (; at > m->z && all->words[at - 2] > slot; at -= 2) {
            all->words[at] = all->words[at - 2];
            all->words[at + 1] = all->words[at - 1];
        }
        all->words[at] = slot;
        all->words[at + 1] = weight;
    }
    m->terms = (all->count - m->z) / 2;
    m->sign = m->terms && all->words[m->z + 1] < 0 ? -1 : 1;
    for (uint64_t i = 0; i < m->terms; i++) all->words[m->z + 2 * i + 1] *= m->sign;
    m->offset = b->constant;
}

static int same_z(const Buffer *all, const Member *one, const Member *other) {
    return one->terms == other->terms
           && !memcmp(all->words + one->z, all->words + other->z,
                      (size_t)one->terms * 2 * sizeof(word));
}

static word slot_of_z(Builder *b, word layer, const Member *m) {
    gather_row(b, sparse_at(b->image, layer_at(&b->found, layer)->gate), m->neuron);
    return slot_of_gathered(b, m->sign);
}

/* Those that open above come first, then those that open below; the first to open first. */
static void sort_members(Member *member, word count) {
    for (word i = 1; i < count; i++) {
        Member moved = member[i];
        word j = i;
        for (; j; j--) {
            const Member *before = &member[j - 1];
            if (before->sign != moved.sign ? before->sign > 0 : before->offset >= moved.offset) break;
            member[j] = *before;
        }
        member[j] = moved;
    }
}

/* [z, from, to, body]: some gate is open if z >= from or z <= to. The body, which is kept apart:
 * [words that open above, words, (length, sign, offset, value form, outs, (slot, weight)...)...] */
static void write_gates(Builder *b, word layer, Member *member, word count) {
    const LayerRecord *l = layer_at(&b->found, layer);
    Sparse value = sparse_at(b->image, l->value), out = sparse_at(b->image, l->out);
    word z = slot_of_z(b, layer, member), from = INT64_MAX, to = INT64_MIN, above = 0;
    sort_members(member, count);
    Buffer items = b->code;
    b->code = b->cold;
    uint64_t sizes = b->code.count, first = sizes + 2;
    push(&b->code, 0);
    push(&b->code, 0);
    for (word i = 0; i < count; i++) {
        word n = member[i].neuron;
        uint64_t at = b->code.count;
        push(&b->code, 0);
        push(&b->code, member[i].sign);
        push(&b->code, member[i].offset);
        gather_row(b, value, n);
        push_gathered(b, 1);
        uint64_t outs = b->code.count;
        push(&b->code, 0);
        for (word k = out.start[n]; k < out.start[n + 1]; k++)
            if (b->target[out.lane[k]] >= 0)
                push_term(&b->code, b->target[out.lane[k]], out.weight[k]);
        set(&b->code, outs, (word)(b->code.count - outs - 1));
        set(&b->code, at, (word)(b->code.count - at));
        if (member[i].sign > 0) above = (word)(b->code.count - first);
        if (member[i].sign > 0 && 1 - member[i].offset < from) from = 1 - member[i].offset;
        if (member[i].sign < 0 && member[i].offset - 1 > to) to = member[i].offset - 1;
    }
    set(&b->code, sizes, above);
    set(&b->code, sizes + 1, (word)(b->code.count - first));
    items.failed |= b->code.failed;
    b->cold = b->code;
    b->code = items;
    begin(b, GATE, 0);
    push(&b->code, z);
    push(&b->code, from);
    push(&b->code, to);
    push(&b->code, (word)sizes);
}

typedef struct { word from, to; } Segment; /* from <= z <= to */

/* A and B of each slot where z is in a segment: the sums over the members that are open. */
static void add_line(const Builder *b, Sparse out, const Member *m, word z, const word *slots,
                     word *line) {
    if (m->sign * z + m->offset <= 0) return;
    for (word k = out.start[m->neuron]; k < out.start[m->neuron + 1]; k++) {
        word slot = b->target[out.lane[k]], weight = out.weight[k] * m->scale, o = 0;
        if (slot < 0) continue;
        while (slots[o] != slot) o++;
        line[2 * o] += weight * m->sign;
        line[2 * o + 1] += weight * m->offset;
    }
}

/* Whether two lines agree everywhere, or at one z. */
static int same_line(const word *one, const word *other, word outs, int at_point, word z) {
    for (word o = 0; o < 2 * outs; o += 2) {
        word slope = one[o] - other[o], offset = one[o + 1] - other[o + 1];
        if (at_point ? slope * z + offset : slope | offset) return 0;
    }
    return 1;
}

/* Where members open or close within the range of z, in order. */
static word distinct_breaks(const Member *member, word count, Segment range, word *found) {
    word breaks = 0;
    for (word i = 0; i < count; i++) {
        /* relu(z + c) opens at z = 1 - c; relu(c - z) is closed from z = c on */
        word at = member[i].sign > 0 ? 1 - member[i].offset : member[i].offset, j = breaks;
        if (at <= range.from || at > range.to) continue;
        while (j && found[j - 1] > at) j--;
        if (j && found[j - 1] == at) continue;
        for (word k = breaks++; k > j; k--) found[k] = found[k - 1];
        found[j] = at;
    }
    return breaks;
}

/* Joins neighbours that one line serves; returns how many segments are left. */
static word join_segments(Segment *segment, word *line, word count, word outs) {
    word kept = 0;
    size_t size = (size_t)outs * 2 * sizeof *line;
    for (word i = 1; i < count; i++) {
        word *last = line + kept * 2 * outs, *here = line + i * 2 * outs;
        int point = segment[i].from == segment[i].to;
        if (same_line(last, here, outs, point, segment[i].from)) {
            segment[kept].to = segment[i].to;
        } else if (segment[kept].from == segment[kept].to
                   && same_line(last, here, outs, 1, segment[kept].from)) {
            segment[kept].to = segment[i].to;
            memcpy(last, here, size);
        } else {
            segment[++kept] = segment[i];
            memcpy(line + kept * 2 * outs, here, size);
        }
    }
    return kept + 1;
}

static word written_slots(const Builder *b, Sparse out, const Member *member, word count,
                          word *slots) {
    word outs = 0;
    for (word i = 0; i < count; i++)
        for (word k = out.start[member[i].neuron]; k < out.start[member[i].neuron + 1]; k++) {
            word o = 0, slot = b->target[out.lane[k]];
            while (o < outs && slots[o] != slot) o++;
            if (o == outs && slot >= 0) slots[outs++] = slot;
        }
    return outs;
}

/* [z and one or two slots, break..., (A, B of each)...]; the shape: slots and breaks. */
static void write_pieces(Builder *b, word layer, const Member *member, word count,
                         Segment range) {
    Sparse out = sparse_at(b->image, layer_at(&b->found, layer)->out);
    word most = 0;
    for (word i = 0; i < count; i++)
        most += out.start[member[i].neuron + 1] - out.start[member[i].neuron];
    word *slots = zeroed((size_t)most, sizeof *slots);
    word *breaks = zeroed((size_t)count, sizeof *breaks);
    Segment *segment = zeroed((size_t)count + 1, sizeof *segment);
    word outs = slots ? written_slots(b, out, member, count, slots) : 0;
    word *line = zeroed((size_t)((count + 1) * 2 * outs), sizeof *line);
    if (slots && breaks && segment && line) {
        word inner = distinct_breaks(member, count, range, breaks);
        for (word k = 0; k <= inner; k++) {
            segment[k].from = k ? breaks[k - 1] : range.from;
            segment[k].to = k < inner ? breaks[k] - 1 : range.to;
            for (word i = 0; i < count; i++)
                add_line(b, out, &member[i], k ? segment[k].from : segment[k].to, slots,
                         line + k * 2 * outs);
        }
        word segments = join_segments(segment, line, inner + 1, outs);
        word z = slot_of_z(b, layer, member);
        for (word o = 0, n; o < outs; o += n) {
            n = outs - o > 1 ? 2 : 1;
            begin(b, PIECE, n << COUNT_BITS | (segments - 1));
            push(&b->code, 0);
            set_half(&b->code, 0, z);
            for (word i = 0; i < n; i++) set_half(&b->code, 1 + i, slots[o + i]);
            for (word k = 1; k < segments; k++) push(&b->code, segment[k].from);
            for (word k = 0; k < segments; k++)
                for (word i = 0; i < 2 * n; i++) push(&b->code, line[2 * (k * outs + o) + i]);
        }
    } else {
        b->code.failed = 1;
    }
    free(slots);
    free(breaks);
    free(segment);
    free(line);
}

/* The range of z, from that of the gate. Sums below 2^53 are exact in floating point. */
static Segment range_of(const Builder *b, word layer, const Member *m) {
    Span gate = span(&b->found, sparse_at(b->image, layer_at(&b->found, layer)->gate), m->neuron,
                     layer);
    Segment all = {-((word)1 << 54), (word)1 << 54};
    if (gate.size + (m->offset < 0 ? -(double)m->offset : (double)m->offset) >= EXACT) return all;
    word lo = (word)gate.lo - m->offset, hi = (word)gate.hi - m->offset;
    Segment z = {m->sign > 0 ? lo : -hi, m->sign > 0 ? hi : -lo};
    return z;
}

/* Gated neurons, those of one z together: first the pieces, then those whose values vary. */
static void write_gated(Builder *b, word layer, Member *held, word count, Member *group) {
    Sparse gate = sparse_at(b->image, layer_at(&b->found, layer)->gate);
    Sparse value = sparse_at(b->image, layer_at(&b->found, layer)->value);
    Buffer all = {0};
    for (word i = 0; i < count; i++) {
        gather_row(b, value, held[i].neuron);
        held[i].scale = b->constant;
        for (word k = 0; k < b->touched_count; k++) held[i].varies |= b->sum[b->touched[k]] != 0;
        gather_row(b, gate, held[i].neuron);
        gather_z(b, &all, &held[i]);
    }
    b->code.failed |= all.failed;
    for (int varies = 0; varies < 2 && !b->code.failed; varies++)
        for (word i = 0; i < count; i++) {
            word members = 0;
            if (held[i].varies != varies || held[i].neuron < 0) continue;
            for (word j = i; j < count; j++) {
                if (held[j].varies != varies || held[j].neuron < 0) continue;
                if (!same_z(&all, &held[i], &held[j])) continue;
                group[members++] = held[j];
                if (j > i) held[j].neuron = -1;
            }
            if (varies) write_gates(b, layer, group, members);
            else write_pieces(b, layer, group, members, range_of(b, layer, group));
        }
    free(all.words);
}

/* What lanes hold after the neurons, but for what gated ones add: a slot is left for that. */
static void add_linear(Builder *b, word layer) {
    const Analysis *a = &b->found;
    const LayerRecord *l = layer_at(a, layer);
    Sparse gate = sparse_at(b->image, l->gate), value = sparse_at(b->image, l->value);
    Sparse out = sparse_at(b->image, l->out);
    const word *erased = b->image + l->erased;
    Form nothing = {0, 0, {0}, {0}};
    for (word i = 0; i < b->width; i++) b->next[i] = erased[i] ? nothing : b->form[i];
    for (word n = 0; n < l->neurons; n++) {
        uint8_t state = a->state[layer][n];
        if (state != CONSTANT && (state != ALWAYS || !a->alive[layer][n])) continue;
        word force = span(a, gate, n, layer).constant;
        for (word i = out.start[n]; i < out.start[n + 1]; i++) {
            if (!live_at(a, 2 * layer + 2)[out.lane[i]] && state == ALWAYS) continue;
            gather_row(b, value, n);
            for (word k = 0; k < b->touched_count; k++)
                b->sum[b->touched[k]] *= force * out.weight[i];
            b->constant *= force * out.weight[i];
            gather_form(b, &b->next[out.lane[i]], 1);
            keep_gathered(b, &b->next[out.lane[i]], FORM_TERMS - 1);
        }
    }
}

static void write_neurons(Builder *b, word layer) {
    const Analysis *a = &b->found;
    const LayerRecord *l = layer_at(a, layer);
    Sparse out = sparse_at(b->image, l->out);
    word gated = 0, count = 0;
    for (word n = 0; n < l->neurons; n++) gated += a->alive[layer][n] && a->state[layer][n] == GATED;
    Member *held = zeroed((size_t)gated, sizeof *held);
    Member *group = zeroed((size_t)gated, sizeof *group);
    add_linear(b, layer);
    for (word i = 0; i < b->width; i++) b->target[i] = -1;
    for (word n = 0; n < l->neurons && held; n++) {
        if (!a->alive[layer][n] || a->state[layer][n] != GATED) continue;
        held[count++].neuron = n;
        for (word i = out.start[n]; i < out.start[n + 1]; i++) {
            word lane = out.lane[i];
            if (!live_at(a, 2 * layer + 2)[lane] || b->target[lane] >= 0) continue;
            b->target[lane] = (int32_t)new_slot(b);
            gather_none(b);
            gather_form(b, &b->next[lane], 1);
            keep_gathered(b, &b->next[lane], FORM_TERMS - 1);
        }
    }
    if (held && group) write_gated(b, layer, held, count, group);
    else b->code.failed = 1;
    for (word i = 0; i < b->width; i++)
        if (b->target[i] >= 0) add_slot(&b->next[i], b->target[i]);
    flush(b);
    advance_forms(b);
    free(held);
    free(group);
}

/* ---- Outputs. ---- */

/* The number of positive increments, which never grow; `x` are the lanes. */
static word count_positive(const word *increments, word highest, word lanes, const word *x) {
    word low = 0, high = highest;
    while (low < high) {
        word middle = (low + high + 1) / 2;
        const word *row = increments + (middle - 1) * (lanes + 1);
        word sum = row[0];
        for (word i = 0; i < lanes; i++) sum += row[i + 1] * x[i];
        if (sum > 0) low = middle;
        else high = middle - 1;
    }
    return low;
}

/* DIGIT: [part, highest, increments, lanes, form...], or nothing where all lanes are known. */
static void write_search(Builder *b, word p, const OutputRecord *output, Sparse rows) {
    word x[MAX_SEARCHED];
    int varies = 0;
    for (word i = 0; i < rows.rows; i++) {
        gather_row(b, rows, i);
        for (word k = 0; k < b->touched_count; k++) varies |= b->sum[b->touched[k]] != 0;
        x[i] = b->constant;
    }
    if (!varies) {
        const word *increments = b->image + output->increments;
        b->token[p] = (uint16_t)count_positive(increments, output->size - 1, rows.rows, x);
        return;
    }
    begin(b, DIGIT, 0);
    push(&b->code, p);
    push(&b->code, output->size - 1);
    push(&b->code, output->increments);
    push(&b->code, rows.rows);
    push_forms(b, output->rows);
}

/* NUMBER: [slot and part, highest, constant]; CHOICE: [part, rows, form...] */
static void write_outputs(Builder *b) {
    const OutputRecord *output = (const OutputRecord *)(b->image + b->found.model->output);
    for (word p = 0; p < b->found.model->parts; p++) {
        Sparse rows = sparse_at(b->image, output[p].rows);
        word highest = output[p].size - 1;
        if (output[p].kind == SEARCH) {
            write_search(b, p, &output[p], rows);
            continue;
        }
        if (output[p].kind != CLAMP) {
            begin(b, CHOICE, 0);
            push(&b->code, p);
            push(&b->code, rows.rows);
            push_forms(b, output[p].rows);
            continue;
        }
        gather_row(b, rows, 0);
        b->constant += output[p].constant;
        int varies = 0;
        for (word k = 0; k < b->touched_count; k++) varies |= b->sum[b->touched[k]] != 0;
        if (!varies) {
            word y = b->constant;
            b->token[p] = (uint16_t)(y < 0 ? 0 : y > highest ? highest : y);
            continue;
        }
        word slot = slot_of_gathered(b, 1);
        begin(b, NUMBER, 0);
        push(&b->code, slot << SLOT_BITS | p);
        push(&b->code, highest);
        push(&b->code, b->constant);
    }
    begin(b, END, 0);
    flush(b);
}

static void plan_free(Plan *plan) {
    if (!plan) return;
    free(plan->code);
    free(plan->cold);
    free(plan->token);
    free(plan);
}

static void write_plan(Builder *b) {
    write_embedding(b);
    for (word i = 0; i < b->found.layers && !b->code.failed; i++) {
        write_heads(b, i);
        write_neurons(b, i);
    }
    write_outputs(b);
}

/* The plan for these values of the controls; NULL where memory ran out or it is too large. */
static Plan *specialize(const word *image, const int *own, const int *fetched, Buffer *tables,
                        int *too_large) {
    Builder b = {.image = image, .slots = 1, .tables = tables};
    tables->failed = 0;
    Plan *plan = zeroed(1, sizeof *plan);
    if (analyze(&b.found, image, own, fetched) && plan) {
        b.width = b.found.width;
        b.form = zeroed((size_t)b.width, sizeof *b.form);
        b.next = zeroed((size_t)b.width, sizeof *b.next);
        b.target = zeroed((size_t)b.width, sizeof *b.target);
        b.token = plan->token = zeroed((size_t)b.found.model->parts, sizeof *b.token);
        if (b.form && b.next && b.target && b.token) write_plan(&b);
        else b.code.failed = 1;
    } else {
        b.code.failed = 1;
    }
    analysis_close(&b.found);
    void *held[] = {b.form, b.next, b.target, b.sum, b.touched, b.code.words};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) free(held[i]);
    if (plan) plan->code = b.sorted.words, plan->cold = b.cold.words, plan->slots = b.slots;
    *too_large = b.too_large;
    if (!b.code.failed && !tables->failed) return plan;
    plan_free(plan);
    return NULL;
}

#endif
