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

static const LayerRecord *layer_at(const Analysis *a, word i) {
    return (const LayerRecord *)(a->image + a->model->layer) + i;
}
static const HeadRecord *head_at(const Analysis *a, word i) {
    return (const HeadRecord *)(a->image + a->model->head) + i;
}
static uint8_t *known_at(const Analysis *a, word stage) { return a->known + stage * a->width; }
static uint8_t *live_at(const Analysis *a, word stage) { return a->live + stage * a->width; }
static word *value_at(const Analysis *a, word stage) { return a->value + stage * a->width; }

/* What is left of a function of a token: the constant; `rest` if anything else. */
static word known_reading(const Analysis *a, Readings r, word row, const int *parts, int *rest) {
    word sum = r.constant[row];
    *rest = r.position[row] != 0;
    for (word i = r.start[row]; i < r.start[row + 1]; i++) {
        int held = parts ? parts[r.part[i]] : -1;
        if (held < 0) *rest = 1;
        else sum += a->image[r.table[i] + held];
    }
    return sum;
}

static const int *parts_of(const Analysis *a, word head) {
    return head == a->model->fetch ? a->fetched : NULL;
}

/* ---- Forward: which lanes are constant, and what neurons can do. ---- */

typedef struct { double lo, hi, size; word constant; int rest; } Span;

static Span span(const Analysis *a, Sparse rows, word row, word layer) {
    const LayerRecord *l = layer_at(a, layer);
    const word *lo = a->image + l->lo, *hi = a->image + l->hi;
    const uint8_t *known = known_at(a, 2 * layer + 1);
    const word *value = value_at(a, 2 * layer + 1);
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

static int is_closed(Span gate) { return gate.hi <= 0 && gate.size < EXACT; }

static uint8_t neuron_state(Span gate, Span value) {
    if (!value.rest && !value.constant) return CLOSED;
    if (!gate.rest) return value.rest ? ALWAYS : CONSTANT;
    return GATED;
}

static void forward_embedding(Analysis *a) {
    Readings r = readings_at(a->image, a->model->embedding);
    for (word l = 0; l < a->width; l++) {
        int rest;
        value_at(a, 0)[l] = known_reading(a, r, l, a->own, &rest);
        known_at(a, 0)[l] = !rest;
    }
}

static void forward_heads(Analysis *a, word layer) {
    uint8_t *known = known_at(a, 2 * layer + 1);
    word *value = value_at(a, 2 * layer + 1);
    memcpy(known, known_at(a, 2 * layer), (size_t)a->width);
    memcpy(value, value_at(a, 2 * layer), (size_t)a->width * sizeof *value);
    for (word h = 0; h < a->model->heads; h++) {
        const HeadRecord *head = head_at(a, h);
        if (head->layer != layer) continue;
        for (word j = 0; j < head->lanes; j++) {
            word lane = a->image[head->lane + j];
            int rest = 1;
            if (!head->dynamic)
                value[lane] += known_reading(a, readings_at(a->image, head->read), j,
                                             parts_of(a, h), &rest);
            known[lane] &= !rest;
        }
    }
}

static void forward_neurons(Analysis *a, word layer) {
    const LayerRecord *l = layer_at(a, layer);
    Sparse gate = sparse_at(a->image, l->gate), value = sparse_at(a->image, l->value);
    Sparse out = sparse_at(a->image, l->out);
    const word *erased = a->image + l->erased;
    uint8_t *mid = known_at(a, 2 * layer + 1), *known = known_at(a, 2 * layer + 2);
    word *held = value_at(a, 2 * layer + 2);
    for (word i = 0; i < a->width; i++) {
        known[i] = mid[i] || erased[i];
        held[i] = erased[i] ? 0 : value_at(a, 2 * layer + 1)[i];
    }
    for (word n = 0; n < l->neurons; n++) {
        Span g = span(a, gate, n, layer);
        a->state[layer][n] = CLOSED;
        if (is_closed(g)) continue; /* most are: their values need not be looked at */
        Span v = span(a, value, n, layer);
        uint8_t state = a->state[layer][n] = neuron_state(g, v);
        for (word i = out.start[n]; i < out.start[n + 1] && state != CLOSED; i++) {
            if (state == CONSTANT) held[out.lane[i]] += out.weight[i] * g.constant * v.constant;
            else known[out.lane[i]] = 0;
        }
    }
}

/* ---- Backward: what the outputs, and the keys of dynamic heads, depend on. ---- */

static void need_row(Analysis *a, Sparse rows, word row, word stage, uint8_t *flag) {
    for (word i = rows.start[row]; i < rows.start[row + 1]; i++)
        if (!known_at(a, stage)[rows.lane[i]]) flag[rows.lane[i]] = 1;
}

static void need_rows(Analysis *a, Sparse rows, word stage, uint8_t *flag) {
    for (word i = 0; i < rows.rows; i++) need_row(a, rows, i, stage, flag);
}

static void backward_outputs(Analysis *a) {
    const OutputRecord *output = (const OutputRecord *)(a->image + a->model->output);
    for (word p = 0; p < a->model->parts; p++)
        need_rows(a, sparse_at(a->image, output[p].rows), 2 * a->layers,
                  live_at(a, 2 * a->layers));
}

static void backward_neurons(Analysis *a, word layer) {
    const LayerRecord *l = layer_at(a, layer);
    Sparse gate = sparse_at(a->image, l->gate), value = sparse_at(a->image, l->value);
    Sparse out = sparse_at(a->image, l->out);
    const word *erased = a->image + l->erased;
    uint8_t *live = live_at(a, 2 * layer + 1), *after = live_at(a, 2 * layer + 2);
    for (word i = 0; i < a->width; i++)
        live[i] = after[i] && !erased[i] && !known_at(a, 2 * layer + 1)[i];
    for (word n = 0; n < l->neurons; n++) {
        if (a->state[layer][n] != ALWAYS && a->state[layer][n] != GATED) continue;
        for (word i = out.start[n]; i < out.start[n + 1]; i++)
            a->alive[layer][n] |= after[out.lane[i]];
        if (!a->alive[layer][n]) continue;
        need_row(a, gate, n, 2 * layer + 1, live);
        need_row(a, value, n, 2 * layer + 1, live);
    }
}

static int adds(const Analysis *a, word h, word row) {
    int rest = 1;
    const HeadRecord *head = head_at(a, h);
    if (!head->dynamic)
        known_reading(a, readings_at(a->image, head->read), row, parts_of(a, h), &rest);
    return rest;
}

static void backward_heads(Analysis *a, word layer) {
    uint8_t *live = live_at(a, 2 * layer), *mid = live_at(a, 2 * layer + 1);
    for (word i = 0; i < a->width; i++) live[i] = mid[i] && !known_at(a, 2 * layer)[i];
    for (word h = 0; h < a->model->heads; h++) {
        const HeadRecord *head = head_at(a, h);
        if (head->layer != layer) continue;
        for (word j = 0; j < head->lanes; j++)
            a->head_alive[h] |= mid[a->image[head->lane + j]] && adds(a, h, j);
        if (a->head_alive[h] && h != a->model->fetch)
            need_rows(a, sparse_at(a->image, head->query), 2 * layer, live);
        if (head->dynamic) {
            need_rows(a, sparse_at(a->image, head->key), 2 * layer, live);
            need_rows(a, sparse_at(a->image, head->value), 2 * layer, live);
        }
    }
}

static void analysis_close(Analysis *a) {
    for (word i = 0; i < a->layers && a->state && a->alive; i++) {
        free(a->state[i]);
        free(a->alive[i]);
    }
    void *held[] = {a->known, a->live, a->value, a->head_alive, a->state, a->alive};
    for (size_t i = 0; i < sizeof held / sizeof *held; i++) free(held[i]);
}

/* The analysis for these parts; 0 where memory ran out. To be closed in any case. */
static int analyze(Analysis *a, const word *image, const int *own, const int *fetched) {
    const ModelRecord *model = (const ModelRecord *)image;
    Analysis opened = {.image = image, .model = model, .own = own, .fetched = fetched,
                       .width = model->width, .layers = model->layers};
    *a = opened;
    size_t cells = (size_t)(a->width * (2 * a->layers + 1)), layers = (size_t)a->layers;
    a->known = zeroed(cells, 1);
    a->live = zeroed(cells, 1);
    a->value = zeroed(cells, sizeof *a->value);
    a->head_alive = zeroed((size_t)model->heads, 1);
    a->state = zeroed(layers, sizeof *a->state);
    a->alive = zeroed(layers, sizeof *a->alive);
    if (!a->known || !a->live || !a->value || !a->head_alive || !a->state || !a->alive) return 0;
    for (word i = 0; i < a->layers; i++) {
        a->state[i] = zeroed((size_t)layer_at(a, i)->neurons, 1);
        a->alive[i] = zeroed((size_t)layer_at(a, i)->neurons, 1);
        if (!a->state[i] || !a->alive[i]) return 0;
    }
    forward_embedding(a);
    for (word i = 0; i < a->layers; i++) forward_heads(a, i), forward_neurons(a, i);
    backward_outputs(a);
    for (word i = a->layers; i--;) backward_neurons(a, i), backward_heads(a, i);
    return 1;
}

#endif
