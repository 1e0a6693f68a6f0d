/* Rows of one program: what surrounds the code that `source.py` prints. The three parts of this
 * file go before the program's arrays, before its code, and behind it. It is C11 and C++, for one
 * core or for a CUDA device, where a thread takes a row. */
#ifdef __CUDACC__
#include <cstdint>
#include <cstring>
#define DEV static __device__
#define TABLE static __device__ const
#define LANES 32
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 4 /* of 128 threads, per multiprocessor */
#endif
#define UNROLL _Pragma("unroll")
#define __builtin_popcountll(x) __popcll(x)
#else
#include <stdint.h>
#define DEV static inline
#define TABLE static const
#define LANES 1
#define UNROLL
#endif
typedef struct { uint64_t word, held; } Entry;
DEV Entry entry(uint64_t word, uint64_t held) { Entry e; e.word = word; e.held = held; return e; }
typedef struct {
    uint32_t h[8];
    uint64_t length;
    uint32_t block[16];
} Sha;
typedef struct State State;
struct State {
    int64_t left, tally, rows, room, slot, extra, next, from;
    int64_t read, given, printed, lost;
    const uint8_t *input;
    uint16_t *output;
    uint64_t *far;
    Sha *sha;
    uint64_t word[GROUPS];
    NEAR
};
/* Words of neighbouring threads are side by side. */
#define FAR(s, i) (s)->far[(i) * LANES]
#define ARG(i) args[(i) * stride]
/* ---- program ---- */
DEV uint64_t mix(uint64_t array, uint64_t at, uint64_t word) {
    uint64_t x = word ^ (at * UINT64_C(0x9E3779B97F4A7C15) + array);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* A token that the host has to see. */
DEV void seen(State *s, uint64_t tag, uint64_t word) {
    if (tag == OUTPUT) {
        if (s->printed < ROOM) s->output[s->printed++] = (uint16_t)(word & OUTPUT_MASK);
        else s->lost = 1;
    }
    if (tag == GROWTH && word > GROWTH_MOST) s->lost = 1;
}

/* The next byte of input; 2^32 - 1 after the last. */
DEV uint64_t next_input(State *s) {
    return s->read < s->given ? s->input[s->read++] : UINT64_C(0xFFFFFFFF);
}

TABLE uint32_t SHA_K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

DEV void sha_begin(Sha *s) {
    const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                               0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    for (int i = 0; i < 8; i++) s->h[i] = first[i];
    s->length = 0;
}

DEV uint32_t sha_rotate(uint32_t x, int by) { return x >> by | x << (32 - by); }

/* A block; all indices are constants once the loops are unrolled. */
DEV void sha_block(Sha *s) {
    uint32_t w[16], v[8];
    UNROLL
    for (int i = 0; i < 16; i++) w[i] = s->block[i];
    UNROLL
    for (int i = 0; i < 8; i++) v[i] = s->h[i];
    UNROLL
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            const uint32_t x = w[(i + 1) & 15], y = w[(i + 14) & 15];
            w[i & 15] += w[(i + 9) & 15] + (sha_rotate(x, 7) ^ sha_rotate(x, 18) ^ x >> 3)
                         + (sha_rotate(y, 17) ^ sha_rotate(y, 19) ^ y >> 10);
        }
        const uint32_t e = v[4], a = v[0];
        const uint32_t one = v[7] + (sha_rotate(e, 6) ^ sha_rotate(e, 11) ^ sha_rotate(e, 25))
                             + ((e & v[5]) ^ (~e & v[6])) + SHA_K[i] + w[i & 15];
        const uint32_t two = (sha_rotate(a, 2) ^ sha_rotate(a, 13) ^ sha_rotate(a, 22))
                             + ((a & v[1]) ^ (a & v[2]) ^ (v[1] & v[2]));
        UNROLL
        for (int k = 7; k; k--) v[k] = v[k - 1];
        v[4] += one;
        v[0] = one + two;
    }
    UNROLL
    for (int i = 0; i < 8; i++) s->h[i] += v[i];
}

DEV void sha_byte(Sha *s, uint8_t byte) {
    const int at = (int)(s->length & 63), shift = 24 - 8 * (at & 3);
    s->block[at >> 2] = (at & 3 ? s->block[at >> 2] : 0) | (uint32_t)byte << shift;
    if (!(++s->length & 63)) sha_block(s);
}

DEV void sha_end(Sha *s) {
    const uint64_t bits = 8 * s->length;
    sha_byte(s, 0x80);
    while ((s->length & 63) != 56) sha_byte(s, 0);
    for (int i = 56; i >= 0; i -= 8) sha_byte(s, (uint8_t)(bits >> i));
}

DEV void hash_token(State *s) {
    uint8_t bytes[PARTS];
    token_bytes(s, bytes);
    if (64 % PARTS) {
        for (int i = 0; i < PARTS; i++) sha_byte(s->sha, bytes[i]);
        return;
    }
    const int at = (int)(s->sha->length & 63) / 4;
    for (int i = 0; i < PARTS / 4; i++)
        s->sha->block[at + i] = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16
                                | (uint32_t)bytes[4 * i + 2] << 8 | bytes[4 * i + 3];
    s->sha->length += PARTS;
    if (!(s->sha->length & 63)) sha_block(s->sha);
}
/* ---- program ---- */
/* What a batch gets and gives; arrays by row, but arguments and results by number first. */
typedef struct {
    int64_t rows, limit, stride;
    const uint64_t *args;     /* [ARGUMENTS][stride] */
    const uint8_t *input;
    const int64_t *starts;    /* of the rows' inputs; rows + 1 of them, or none */
    uint16_t *output;         /* [rows][ROOM] */
    int32_t *printed;         /* numbers of output */
    int32_t *reason;          /* why the row ended; -1 if it is lost */
    int32_t *slot;            /* the row of the model that was missing */
    int64_t *steps, *tally;
    uint64_t *results;        /* [RESULTS][stride] */
    uint64_t *last;           /* [rows][GROUPS], or none */
    uint64_t *digests;        /* or none */
    uint32_t *hashes;         /* [rows][8], or none */
    uint64_t *far;
} Batch;

DEV void take_row(const Batch *b, int64_t row, uint64_t *far, const int traced) {
    State state, *s = &state;
    Sha sha;
    s->left = b->limit;
    s->tally = s->rows = s->slot = s->extra = s->from = s->read = s->printed = s->lost = 0;
    s->room = s->next = -1;
    s->far = far;
    s->sha = &sha;
    s->input = b->starts ? b->input + b->starts[row] : 0;
    s->given = b->starts ? b->starts[row + 1] - b->starts[row] : 0;
    s->output = b->output + row * ROOM;
    if (traced) sha_begin(&sha);
    begin(s, b->args + row, b->stride);
    const int reason = run_rows(s, traced);
    b->reason[row] = s->lost ? -1 : reason;
    b->slot[row] = (int32_t)s->slot;
    b->steps[row] = b->limit - s->left;
    b->tally[row] = s->tally;
    b->printed[row] = (int32_t)s->printed;
    for (int i = 0; i < RESULTS; i++) b->results[i * b->stride + row] = LOAD_RESULT(i);
    if (b->last)
        for (int g = 0; g < GROUPS; g++) b->last[row * GROUPS + g] = s->word[g];
    if (b->digests) b->digests[row] = digest(s);
    if (traced && b->hashes) {
        sha_end(&sha);
        for (int i = 0; i < 8; i++) b->hashes[row * 8 + i] = sha.h[i];
    }
}

#ifdef __CUDACC__
/* A warp's words lie together: word i of lane k at 32 i + k. */
DEV void take_rows(const Batch *b, const int traced) {
    const int64_t thread = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    const int64_t threads = gridDim.x * (int64_t)blockDim.x;
    uint64_t *far = b->far + thread / LANES * LANES * ROW_WORDS + thread % LANES;
    for (int64_t row = thread; row < b->rows; row += threads) take_row(b, row, far, traced);
}
extern "C" __global__ void __launch_bounds__(128, MIN_BLOCKS) lifted_rows(const Batch *b) { take_rows(b, 0); }
extern "C" __global__ void __launch_bounds__(128, MIN_BLOCKS) traced_rows(const Batch *b) { take_rows(b, 1); }
#else
/* `far` has room for one row. */
void batch_rows(const Batch *b, int traced) {
    for (int64_t row = 0; row < b->rows; row++) {
        if (traced) take_row(b, row, b->far, 1);
        else take_row(b, row, b->far, 0);
    }
}
int64_t batch_words(void) { return ROW_WORDS; }
#endif
