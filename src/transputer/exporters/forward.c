/* A decoder-only transformer with hard attention, its weights above as sparse data.
 *
 *   x     = bias + sum of the embeddings of the token's parts + position
 *   layer : x += sum over heads of output @ (value of the best-scoring position)
 *           x += out @ (relu(gate @ x) * (value @ x))
 *   next  = for each part the largest of output @ x
 *
 * All numbers are integers below 2^53, so doubles hold them exactly. The rest is the host: it
 * appends the prompt, the arguments and input, shows output, and stops where a status says so.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

static double dot(Matrix m, int row, const double *x) {
    double sum = 0;
    for (int i = m.start[row]; i < m.start[row + 1]; i++) sum += m.weight[i] * x[m.lane[i]];
    return sum;
}

static void *resized(void *old, size_t size) {
    void *made = realloc(old, size ? size : 1);
    if (!made) {
        fprintf(stderr, "out of memory\n");
        exit(3);
    }
    return made;
}

/* ---- What each head remembers: keys by row, values and positions. ---- */

typedef struct {
    double *key, *value, *position; /* key[row * capacity + entry] */
    long count, capacity;
    uint32_t *slot; /* entries by hash of their keys, of heads that keep only the latest of equals */
    uint64_t slots;
} Memory;

static Memory memories[HEADS + 1];

static void grow(Memory *m, const Head *h) {
    long wanted = m->capacity ? 2 * m->capacity : 256;
    double *key = resized(NULL, sizeof(double) * (size_t)(wanted * h->key.rows));
    for (int r = 0; r < h->key.rows && m->count; r++)
        memcpy(key + r * wanted, m->key + r * m->capacity, sizeof(double) * (size_t)m->count);
    free(m->key);
    m->key = key;
    m->value = resized(m->value, sizeof(double) * (size_t)(wanted * h->value.rows));
    m->position = resized(m->position, sizeof(double) * (size_t)wanted);
    m->capacity = wanted;
}

static uint64_t hashed(const double *key, int rows) {
    uint64_t hash = 1469598103934665603u, bits;
    for (int r = 0; r < rows; r++) {
        memcpy(&bits, &key[r], sizeof bits);
        hash = (hash ^ bits) * 1099511628211u;
        hash ^= hash >> 29;
    }
    return hash;
}

static int is_key(const Memory *m, long entry, const double *key, int rows) {
    for (int r = 0; r < rows; r++)
        if (m->key[r * m->capacity + entry] != key[r]) return 0;
    return 1;
}

static void rehash(Memory *m, const Head *h) {
    double key[MAX_ROWS];
    m->slots = m->slots ? 2 * m->slots : 1024;
    m->slot = resized(m->slot, sizeof *m->slot * m->slots);
    memset(m->slot, 0, sizeof *m->slot * m->slots);
    for (long e = 0; e < m->count; e++) {
        for (int r = 0; r < h->key.rows; r++) key[r] = m->key[r * m->capacity + e];
        uint64_t at = hashed(key, h->key.rows) & (m->slots - 1);
        while (m->slot[at]) at = (at + 1) & (m->slots - 1);
        m->slot[at] = (uint32_t)e + 1;
    }
}

/* Where a key is kept: in the entry of an equal key, if this head wants only the latest. */
static long entry_for(Memory *m, const Head *h, const double *key) {
    if (m->count == m->capacity) grow(m, h);
    if (!h->latest) return m->count++;
    if (2 * (uint64_t)m->count >= m->slots) rehash(m, h);
    uint64_t at = hashed(key, h->key.rows) & (m->slots - 1);
    for (; m->slot[at]; at = (at + 1) & (m->slots - 1))
        if (is_key(m, m->slot[at] - 1, key, h->key.rows)) return m->slot[at] - 1;
    m->slot[at] = (uint32_t)++m->count;
    return m->count - 1;
}

static void note(Memory *m, const Head *h, const double *x, long position) {
    double key[MAX_ROWS];
    for (int r = 0; r < h->key.rows; r++) key[r] = dot(h->key, r, x) + 0.0; /* no -0 */
    long e = entry_for(m, h, key);
    for (int r = 0; r < h->key.rows; r++) m->key[r * m->capacity + e] = key[r];
    for (int r = 0; r < h->value.rows; r++) m->value[e * h->value.rows + r] = dot(h->value, r, x);
    m->position[e] = (double)position;
}

/* The entry of the largest score, then of the latest position. */
static long attended(const Memory *m, const Head *h, const double *x) {
    static double *score;
    static long room;
    if (room < m->count) score = resized(score, sizeof(double) * (size_t)(room = m->capacity));
    for (long e = 0; e < m->count; e++) score[e] = h->recency * m->position[e];
    for (int r = 0; r < h->key.rows; r++) {
        double q = dot(h->query, r, x);
        const double *key = m->key + r * m->capacity;
        if (q != 0)
            for (long e = 0; e < m->count; e++) score[e] += q * key[e];
    }
    long best = 0;
    for (long e = 1; e < m->count; e++)
        if (score[e] > score[best]
            || (score[e] == score[best] && m->position[e] > m->position[best]))
            best = e;
    return best;
}

/* ---- The forward pass. ---- */

/* The v below `size` with the largest v a + v^2 b, the lowest of equals. */
static int top_of_parabola(double a, double b, int size) {
    if (b >= 0) return (size - 1) * (a + (size - 1) * b) > 0 ? size - 1 : 0;
    int64_t n = (int64_t)(a + b), d = (int64_t)(-2 * b); /* v + 1 is no better from n / d on */
    int64_t v = n <= 0 ? 0 : (n + d - 1) / d;
    return v >= size ? size - 1 : (int)v;
}

static int largest(const Output *o, const double *x) {
    if (o->parabola) return top_of_parabola(dot(o->rows, 0, x), dot(o->rows, 1, x), o->size);
    int best = 0;
    double top = dot(o->rows, 0, x);
    for (int v = 1; v < o->size; v++) {
        double logit = dot(o->rows, v, x);
        if (logit > top) top = logit, best = v;
    }
    return best;
}

static void forward(const int *token, long position, int *next) {
    static double x[LANES], y[LANES];
    for (int l = 0; l < LANES; l++) y[l] = bias[l] + step[l] * (double)position;
    for (int p = 0; p < PARTS; p++) {
        Matrix m = embeddings[p];
        for (int i = m.start[token[p]]; i < m.start[token[p] + 1]; i++) y[m.lane[i]] += m.weight[i];
    }
    for (int l = 0; l < LAYERS; l++) {
        Layer layer = layers[l];
        memcpy(x, y, sizeof x);
        for (int h = layer.first; h < layer.first + layer.heads; h++) {
            note(&memories[h], &heads[h], x, position);
            long e = attended(&memories[h], &heads[h], x);
            const double *value = memories[h].value + e * heads[h].value.rows;
            for (int r = 0; r < heads[h].value.rows; r++) {
                Matrix out = heads[h].output;
                for (int i = out.start[r]; i < out.start[r + 1]; i++)
                    y[out.lane[i]] += out.weight[i] * value[r];
            }
        }
        memcpy(x, y, sizeof x);
        for (int n = 0; n < layer.gate.rows; n++) {
            double gate = dot(layer.gate, n, x);
            if (gate <= 0) continue;
            double product = gate * dot(layer.value, n, x);
            for (int i = layer.out.start[n]; i < layer.out.start[n + 1]; i++)
                y[layer.out.lane[i]] += layer.out.weight[i] * product;
        }
    }
    for (int p = 0; p < PARTS; p++) next[p] = largest(&outputs[p], y);
}

/* ---- SHA-256 of what is decoded. ---- */

static uint32_t digest[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
static uint8_t block[64];
static uint64_t hashed_bytes;

static uint32_t turned(uint32_t x, int by) { return x >> by | x << (32 - by); }

/* The first 32 bits of the fraction of the cube root of the i-th prime. */
static uint32_t round_constant(int i) {
    static uint32_t found[64];
    static int count;
    for (int n = 2; count < 64; n++) {
        int prime = 1;
        for (int d = 2; d * d <= n; d++) prime &= n % d != 0;
        if (!prime) continue;
        double root = n; /* by Newton's method; a double has 18 bits to spare */
        for (int k = 0; k < 40; k++) root -= (root * root * root - n) / (3 * root * root);
        found[count++] = (uint32_t)((root - (int)root) * 4294967296.0);
    }
    return found[i];
}

static void hash_block(void) {
    uint32_t w[64], s[8];
    memcpy(s, digest, sizeof s);
    for (int i = 0; i < 16; i++)
        w[i] = (uint32_t)block[4 * i] << 24 | (uint32_t)block[4 * i + 1] << 16
               | (uint32_t)block[4 * i + 2] << 8 | block[4 * i + 3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7]
               + (turned(w[i - 15], 7) ^ turned(w[i - 15], 18) ^ w[i - 15] >> 3)
               + (turned(w[i - 2], 17) ^ turned(w[i - 2], 19) ^ w[i - 2] >> 10);
    for (int i = 0; i < 64; i++) {
        uint32_t a = s[0], e = s[4];
        uint32_t one = s[7] + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25))
                       + ((e & s[5]) ^ (~e & s[6])) + round_constant(i) + w[i];
        uint32_t two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22))
                       + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
        memmove(s + 1, s, 7 * sizeof *s);
        s[4] += one;
        s[0] = one + two;
    }
    for (int i = 0; i < 8; i++) digest[i] += s[i];
}

static void hash_byte(uint8_t byte) {
    block[hashed_bytes++ % 64] = byte;
    if (hashed_bytes % 64 == 0) hash_block();
}

static void print_digest(void) {
    uint64_t bits = 8 * hashed_bytes;
    hash_byte(0x80);
    while (hashed_bytes % 64 != 56) hash_byte(0);
    for (int i = 7; i >= 0; i--) hash_byte((uint8_t)(bits >> 8 * i));
    for (int i = 0; i < 8; i++) fprintf(stderr, "%08x", (unsigned)digest[i]);
    fprintf(stderr, "\n");
}

/* ---- The host. ---- */

static int token[PARTS], next[PARTS];
static long length;
static uint64_t *slots; /* the latest value of each slot, to hand results out */
static uint32_t slot_count;

static int seen(int universal) {
    View v = views[universal];
    int own = v.part < 0 ? 0 : token[v.part];
    return v.table ? v.table[own] : own;
}

static uint64_t number(Field f) {
    uint64_t sum = 0;
    for (int i = 0; i < f.bytes; i++) sum |= (uint64_t)seen(f.first + i) << 8 * i;
    return sum;
}

static void say(Field f, uint64_t value) {
    for (int i = 0; i < f.bytes; i++) token[views[f.first + i].part] = value >> 8 * i & 255;
}

/* Adds `token`; its forward pass predicts `next`. */
static void append(void) {
    if (number(SPACE) == SPACE_SLOT) {
        uint32_t at = (uint32_t)number(AT);
        if (at >= slot_count) {
            slots = resized(slots, sizeof *slots * (2 * (size_t)at + 64));
            memset(slots + slot_count, 0, sizeof *slots * (2 * (size_t)at + 64 - slot_count));
            slot_count = 2 * at + 64;
        }
        slots[at] = number(VALUE);
    }
    forward(token, length++, next);
}

static void decode(void) {
    memcpy(token, next, sizeof token);
    append();
}

/* The program waits for a byte: the last token once more, with the byte as its value. */
static void give_input(void) {
    fflush(stdout);
    say(VALUE, (uint32_t)getchar());
    say(STATUS, 0);
    append();
}

/* An argument of 32 or 64 bits, with or without a sign. */
static uint64_t parameter(const char *text, int wide) {
    uint64_t bits = *text == '-' ? (uint64_t)strtoll(text, NULL, 0) : strtoull(text, NULL, 0);
    return wide ? bits : (uint32_t)bits;
}

static void start(int count, char **given) {
    for (int t = 0; t < COUNT(prompt) / PARTS; t++) {
        memcpy(token, prompt + t * PARTS, sizeof token);
        int argument = t - FIRST_ARGUMENT;
        if (argument >= 0 && argument < ARGUMENTS && count)
            say(VALUE, parameter(given[argument], wide_arguments[argument]));
        append();
    }
    for (int i = 0; i < BOOT; i++) decode();
}

static int finish(int status) {
    if (status >= STATUS_TRAPS) {
        fprintf(stderr, "trap: %s\n", traps[status - STATUS_TRAPS]);
        return 134;
    }
    if (status == STATUS_EXIT) return (int)(number(VALUE) & 255);
    if (status != STATUS_DONE) {
        fprintf(stderr, "the program asks for a function of its host\n");
        return 3;
    }
    if (EXITS) return (int)(slots[0] & 255);
    int results = RESULTS < 0 ? (int)number(SP) : RESULTS;
    for (int i = 0; i < results; i++)
        printf("%lld\n", RESULTS >= 0 && wide_results[i] ? (long long)slots[i]
                                                         : (long long)(int32_t)slots[i]);
    return 0;
}

int main(int argc, char **argv) {
    int trace = argc > 1 && !strcmp(argv[1], "--trace");
    int count = argc - 1 - trace;
    if (count && count != ARGUMENTS) {
        fprintf(stderr, "%d arguments, %d given\n", ARGUMENTS, count);
        return 2;
    }
    if (!count && !HAS_DEFAULTS) {
        fprintf(stderr, "usage: %s [--trace] and %d arguments\n", argv[0], ARGUMENTS);
        return 2;
    }
    start(count, argv + 1 + trace);
    int status;
    do {
        decode();
        for (int i = 0; i < COUNT(views); i++) hash_byte((uint8_t)seen(i));
        if (number(SPACE) == SPACE_OUTPUT) putchar((int)(number(VALUE) & 255));
        status = (int)number(STATUS);
        if (status == STATUS_INPUT) give_input();
    } while (status == STATUS_RUN || status == STATUS_INPUT);
    int code = finish(status);
    fflush(stdout);
    if (trace) print_digest();
    return code;
}
