/* The image of a model: what `plan.py` derived from the tensors, as one array of 64-bit words.
 *
 * Nothing in it says what a token means. All numbers are integers, and `verify` has shown that
 * every sum a step forms stays below 2^53; so 64-bit integers hold them exactly, in any order,
 * and a sum that leaves 64 bits on the way (wraps) is right again at its end.
 *
 * Records are overlaid on the words. A field that is a list is the index of its first word.
 */
#ifndef TRANSPUTER_IMAGE_H
#define TRANSPUTER_IMAGE_H

#include <stddef.h>
#include <stdint.h>

/* The library is linked with nothing: these come from the process that loads it. */
void *realloc(void *, size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);

typedef int64_t word;

static void *zeroed(size_t count, size_t size) {
    void *memory = realloc(NULL, count * size + 1);
    if (memory) memset(memory, 0, count * size);
    return memory;
}

typedef struct {
    word parts, width, layers, context;
    word sizes;             /* [parts] values of each part */
    word embedding;         /* Readings, a row per lane */
    word layer;             /* [layers] LayerRecord */
    word heads, head;       /* [heads] HeadRecord, in the order of layers */
    word tables, table;     /* [tables] TableRecord */
    word output;            /* [parts] OutputRecord */
    word controls, control; /* [controls] ControlRecord: what selects a specialised plan */
    word fetch;             /* the head that some controls read, or -1 */
    word fetch_query;       /* Readings: its query digits as functions of the token */
    word dynamic;           /* 1 if some head is dynamic */
} ModelRecord;

typedef struct {
    word lo, hi;            /* [width] range of each lane between heads and neurons */
    word erased;            /* [width] 1 where a neuron takes away all that the lane holds */
    word neurons;
    word gate, value, out;  /* Sparse, a row per neuron */
} LayerRecord;

/* Static heads: keys and values are functions of the attended token alone. Dynamic ones need
 * what the layers compute. RUNNING: the query is constant, so the best token is known as tokens
 * come. PACKED: a parabola over digits (table.h). WIDE: anything else, found by a scan. */
enum { RUNNING, PACKED, WIDE };

typedef struct {
    word layer, kind, dynamic, table;
    word query;             /* Sparse: PACKED digits in table order, extras; WIDE every row */
    word digits, extras;    /* how many */
    word scale;             /* PACKED: the factor c of the parabola */
    word recency;           /* coefficient of the position in the constant part of a score */
    word offset_field;      /* PACKED: where the number m is; -1: the same for all */
    word digit_field, extra_field; /* [digits], [extras] fields of the table */
    word key;               /* dynamic Sparse: digits, extras, rest; WIDE rows, rest */
    word spread;            /* WIDE [digits] coefficient of the position in each row */
    word value;             /* dynamic Sparse: a row per value */
    word lanes, lane;       /* [lanes] lanes that it adds to */
    word read;              /* static: Readings of the attended token, a row per lane */
    word mix;               /* dynamic Sparse: a row per lane, over values */
} HeadRecord;

typedef struct {
    word kind, dynamic;
    word fields;            /* PACKED: digits of keys and what tells classes apart */
    word shift, bits, low;  /* [fields] */
    word classes;           /* mask of the fields that tell classes apart */
    word key;               /* static Readings of one row: packed key, or score if RUNNING */
    word keywords;          /* words of a key */
    word payload;           /* bytes of what is kept with a key */
} TableRecord;

/* CLAMP: logits are k (2 v y - v^2) + what all share, with k > 0 and y an integer. */
/* SEARCH: rows pick lanes; increments[v - 1], a constant and a weight per lane, is what logit v
 * exceeds logit v - 1 by, and never grows with v. */
enum { CLAMP, ARGMAX, SEARCH };

typedef struct { word kind, size, constant, rows, increments; } OutputRecord; /* y is constant + rows[0] */

typedef struct { word fetched, part, stride; } ControlRecord;

typedef struct { word rows; const word *start, *lane, *weight; } Sparse;

/* Functions of a token: constant + position * t + sum over terms of table[token[part]]. */
typedef struct { word rows; const word *constant, *position, *start, *part, *table; } Readings;

static inline Sparse sparse_at(const word *image, word at) {
    const word *w = image + at;
    Sparse s = {w[0], w + 2, w + 2 + w[0] + 1, w + 2 + w[0] + 1 + w[1]};
    return s;
}

static inline Readings readings_at(const word *image, word at) {
    const word *w = image + at;
    word n = w[0], terms = w[1];
    Readings r = {n, w + 2, w + 2 + n, w + 2 + 2 * n, w + 3 + 3 * n, w + 3 + 3 * n + terms};
    return r;
}

static inline word reading(const word *image, Readings r, word row, const uint16_t *token, word t) {
    word sum = r.constant[row] + r.position[row] * t;
    for (word i = r.start[row]; i < r.start[row + 1]; i++)
        sum += image[r.table[i] + token[r.part[i]]];
    return sum;
}

#endif
