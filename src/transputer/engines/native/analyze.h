/* What is left of a step once some parts of its tokens are known: an analysis of the weights.
 *
 * Controls are parts of the token itself, or of the token that one head of the first layer
 * attends to. For each combination of their values that comes up, once:
 *
 *   - forward: lanes that these parts decide are constants, and so is what is computed from
 *     constants alone. A neuron is closed if its value is 0, or if its gate is at most 0 for
 *     every x within the verified ranges; its state says so.
 *   - backward: a lane is live if an output, or the key of a dynamic head, depends on it;
 *     neurons and heads that write no live lane are not alive.
 */
#ifndef TRANSPUTER_ANALYZE_H
#define TRANSPUTER_ANALYZE_H

#include "table.h"

enum { CLOSED, CONSTANT, ALWAYS, GATED };

#define EXACT 9007199254740992.0 /* 2^53 */

typedef struct {
    const word *image;
    const ModelRecord *model;
    const int *own, *fetched; /* values of known parts, -1 for the others */
    word width, layers;
    uint8_t *known, *live;    /* [stage][lane]; stage 2i: before layer i, 2i + 1: after its heads */
    word *value;              /* [stage][lane] what a known lane holds */
    uint8_t **state, **alive; /* [layer][neuron] */
    uint8_t *head_alive;
} Analysis;

static const LayerRecord *layer_at(const Analysis *b, word i) {
    return (const LayerRecord *)(b->image + b->model->layer) + i;
}
static const HeadRecord *head_at(const Analysis *b, word i) {
    return (const HeadRecord *)(b->image + b->model->head) + i;
}
static uint8_t *known_at(const Analysis *b, word stage) { return b->known + stage * b->width; }
static uint8_t *live_at(const Analysis *b, word stage) { return b->live + stage * b->width; }
static word *value_at(const Analysis *b, word stage) { return b->value + stage * b->width; }

/* What is left of a function of a token: the constant; `rest` if anything else. */
static word known_reading(const Analysis *b, Readings r, word row, const int *parts, int *rest) {
    word sum = r.constant[row];
    *rest = r.position[row] != 0;
    for (word i = r.start[row]; i < r.start[row + 1]; i++) {
        int held = parts ? parts[r.part[i]] : -1;
        if (held < 0) *rest = 1;
        else sum += b->image[r.table[i] + held];
    }
    return sum;
}

static const int *parts_of(const Analysis *b, word head) {
    return head == b->model->fetch ? b->fetched : NULL;
}

/* ---- Forward: which lanes are constant, and what neurons can do. ---- */

typedef struct { double lo, hi, size; word constant; int rest; } Span;

static Span span(const Analysis *b, Sparse rows, word row, word layer) {
    const LayerRecord *l = layer_at(b, layer);
    const word *lo = b->image + l->lo, *hi = b->image + l->hi;
    const uint8_t *known = known_at(b, 2 * layer + 1);
    const word *value = value_at(b, 2 * layer + 1);
    Span s = {0, 0, 0, 0, 0};
    for (word i = rows.start[row]; i < rows.start[row + 1]; i++) {
        word lane = rows.lane[i], w = rows.weight[i];
        if (known[lane]) {
            s.constant += w * value[lane];
            continue;
        }
        double low = (double)w * (double)lo[lane], high = (double)w * (double)hi[lane];
        s.lo += low < high ? low : high;
        s.hi += low < high ? high : low;
        s.size += (low < 0 ? -low : low) + (high < 0 ? -high : high);
        s.rest = 1;
    }
    s.lo += (double)s.constant;
    s.hi += (double)s.constant;
    s.size += s.constant < 0 ? -(double)s.constant : (double)s.constant;
    return s;
}

static uint8_t neuron_state(Span gate, Span value) {
    if (!value.rest && !value.constant) return CLOSED;
    if (gate.hi <= 0 && gate.size < EXACT) return CLOSED;
    if (!gate.rest) return value.rest ? ALWAYS : CONSTANT;
    return GATED;
}

static void forward_embedding(Analysis *b) {
    Readings r = readings_at(b->image, b->model->embedding);
    for (word l = 0; l < b->width; l++) {
        int rest;
        value_at(b, 0)[l] = known_reading(b, r, l, b->own, &rest);
        known_at(b, 0)[l] = !rest;
    }
}

static void forward_heads(Analysis *b, word layer) {
    uint8_t *known = known_at(b, 2 * layer + 1);
    word *value = value_at(b, 2 * layer + 1);
    memcpy(known, known_at(b, 2 * layer), (size_t)b->width);
    memcpy(value, value_at(b, 2 * layer), (size_t)b->width * sizeof *value);
    for (word h = 0; h < b->model->heads; h++) {
        const HeadRecord *head = head_at(b, h);
        if (head->layer != layer) continue;
        for (word j = 0; j < head->lanes; j++) {
            word lane = b->image[head->lane + j];
            int rest = 1;
            if (!head->dynamic)
                value[lane] += known_reading(b, readings_at(b->image, head->read), j,
                                             parts_of(b, h), &rest);
            known[lane] &= !rest;
        }
    }
}

static void forward_neurons(Analysis *b, word layer) {
    const LayerRecord *l = layer_at(b, layer);
    Sparse gate = sparse_at(b->image, l->gate), value = sparse_at(b->image, l->value);
    Sparse out = sparse_at(b->image, l->out);
    const word *erased = b->image + l->erased;
    uint8_t *mid = known_at(b, 2 * layer + 1), *known = known_at(b, 2 * layer + 2);
    word *held = value_at(b, 2 * layer + 2);
    for (word i = 0; i < b->width; i++) {
        known[i] = mid[i] || erased[i];
        held[i] = erased[i] ? 0 : value_at(b, 2 * layer + 1)[i];
    }
    for (word n = 0; n < l->neurons; n++) {
        Span g = span(b, gate, n, layer), v = span(b, value, n, layer);
        uint8_t state = b->state[layer][n] = neuron_state(g, v);
        for (word i = out.start[n]; i < out.start[n + 1] && state != CLOSED; i++) {
            if (state == CONSTANT) held[out.lane[i]] += out.weight[i] * g.constant * v.constant;
            else known[out.lane[i]] = 0;
        }
    }
}

/* ---- Backward: what the outputs, and the keys of dynamic heads, depend on. ---- */

static void need_row(Analysis *b, Sparse rows, word row, word stage, uint8_t *flag) {
    for (word i = rows.start[row]; i < rows.start[row + 1]; i++)
        if (!known_at(b, stage)[rows.lane[i]]) flag[rows.lane[i]] = 1;
}

static void need_rows(Analysis *b, Sparse rows, word stage, uint8_t *flag) {
    for (word i = 0; i < rows.rows; i++) need_row(b, rows, i, stage, flag);
}

static void backward_outputs(Analysis *b) {
    const OutputRecord *output = (const OutputRecord *)(b->image + b->model->output);
    for (word p = 0; p < b->model->parts; p++)
        need_rows(b, sparse_at(b->image, output[p].rows), 2 * b->layers,
                  live_at(b, 2 * b->layers));
}

static void backward_neurons(Analysis *b, word layer) {
    const LayerRecord *l = layer_at(b, layer);
    Sparse gate = sparse_at(b->image, l->gate), value = sparse_at(b->image, l->value);
    Sparse out = sparse_at(b->image, l->out);
    const word *erased = b->image + l->erased;
    uint8_t *live = live_at(b, 2 * layer + 1), *after = live_at(b, 2 * layer + 2);
    for (word i = 0; i < b->width; i++)
        live[i] = after[i] && !erased[i] && !known_at(b, 2 * layer + 1)[i];
    for (word n = 0; n < l->neurons; n++) {
        if (b->state[layer][n] != ALWAYS && b->state[layer][n] != GATED) continue;
        for (word i = out.start[n]; i < out.start[n + 1]; i++)
            b->alive[layer][n] |= after[out.lane[i]];
        if (!b->alive[layer][n]) continue;
        need_row(b, gate, n, 2 * layer + 1, live);
        need_row(b, value, n, 2 * layer + 1, live);
    }
}

static int adds(const Analysis *b, word h, word row) {
    int rest = 1;
    const HeadRecord *head = head_at(b, h);
    if (!head->dynamic)
        known_reading(b, readings_at(b->image, head->read), row, parts_of(b, h), &rest);
    return rest;
}

static void backward_heads(Analysis *b, word layer) {
    uint8_t *live = live_at(b, 2 * layer), *mid = live_at(b, 2 * layer + 1);
    for (word i = 0; i < b->width; i++) live[i] = mid[i] && !known_at(b, 2 * layer)[i];
    for (word h = 0; h < b->model->heads; h++) {
        const HeadRecord *head = head_at(b, h);
        if (head->layer != layer) continue;
        for (word j = 0; j < head->lanes; j++)
            b->head_alive[h] |= mid[b->image[head->lane + j]] && adds(b, h, j);
        if (b->head_alive[h] && h != b->model->fetch)
            need_rows(b, sparse_at(b->image, head->query), 2 * layer, live);
        if (head->dynamic) {
            need_rows(b, sparse_at(b->image, head->key), 2 * layer, live);
            need_rows(b, sparse_at(b->image, head->value), 2 * layer, live);
        }
    }
}

static void *zeroed(size_t count, size_t size) {
    void *memory = realloc(NULL, count * size + 1);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

static void analysis_close(Analysis *b) {
    for (word i = 0; i < b->layers && b->state && b->alive; i++) {
        free(b->state[i]);
        free(b->alive[i]);
    }
    void *held[] = {b->known, b->live, b->value, b->head_alive, b->state, b->alive};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) free(held[i]);
}

/* The analysis for these parts; 0 where memory ran out. To be closed in any case. */
static int analyze(Analysis *b, const word *image, const int *own, const int *fetched) {
    const ModelRecord *model = (const ModelRecord *)image;
    Analysis opened = {.image = image, .model = model, .own = own, .fetched = fetched,
                       .width = model->width, .layers = model->layers};
    *b = opened;
    size_t cells = (size_t)(b->width * (2 * b->layers + 1)), layers = (size_t)b->layers;
    b->known = zeroed(cells, 1);
    b->live = zeroed(cells, 1);
    b->value = zeroed(cells, sizeof *b->value);
    b->head_alive = zeroed((size_t)model->heads, 1);
    b->state = zeroed(layers, sizeof *b->state);
    b->alive = zeroed(layers, sizeof *b->alive);
    if (!b->known || !b->live || !b->value || !b->head_alive || !b->state || !b->alive) return 0;
    for (word i = 0; i < b->layers; i++) {
        b->state[i] = zeroed((size_t)layer_at(b, i)->neurons, 1);
        b->alive[i] = zeroed((size_t)layer_at(b, i)->neurons, 1);
        if (!b->state[i] || !b->alive[i]) return 0;
    }
    forward_embedding(b);
    for (word i = 0; i < b->layers; i++) forward_heads(b, i), forward_neurons(b, i);
    backward_outputs(b);
    for (word i = b->layers; i--;) backward_neurons(b, i), backward_heads(b, i);
    return 1;
}

#endif
