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
#if defined(__CUDACC__) && !defined(DIRECT)
/* Blocks are passed by in rounds: each thread executes the block that it is at, and the threads
 * of a warp meet after each. A block that follows itself does so for some turns first. */
#define TURNS 16
#define MEET(at) asm volatile("" : "+r"(at)) /* no jump from one block into the next */
#define FIRST(i) { at = i; break; }
#define ROUNDS for (;;) {
#define GROUP_OF(i, j) if (at >= i && at <= j) {
#define GROUP_END } MEET(at);
#define BLOCK(i) if (at == i) { int turns = TURNS;
#define START(i, most) if (left < TURNS * most) turns = left / most; T##i:
#define AGAIN(i) goto E##i;
#define GO(i, j) { at = j; goto E##i; }
#define LEAVE(i) { at = -1; goto E##i; }
#define END(i) E##i: ; } MEET(at);
#define END_AGAIN(i) E##i: MEET(at); if (at == i && --turns > 0) goto T##i; } MEET(at);
#define ROUNDS_END if (at < 0) break; }
#else /* jumps from block to block: for a core, and for threads that stay together by themselves */
#define FIRST(i) goto B##i;
#define ROUNDS
#define GROUP_OF(i, j)
#define GROUP_END
#define BLOCK(i) B##i:
#define START(i, most)
#define AGAIN(i) goto B##i;
#define GO(i, j) goto B##j;
#define LEAVE(i) goto out;
#define END(i)
#define END_AGAIN(i)
#define ROUNDS_END
#endif
typedef struct { uint64_t word, held; } Entry;
DEV Entry entry(uint64_t word, uint64_t held) { Entry e; e.word = word; e.held = held; return e; }
typedef struct { uint32_t h[8]; uint64_t length; uint32_t block[16]; } Sha;
typedef struct State State;
struct State {
    int64_t left, tally, rows, room, slot, extra, next, from;
    int64_t read, given, printed;
    int32_t lost;
    const uint8_t *input;
    uint16_t *output;
    uint64_t *far;
    Sha *sha;
    uint64_t word[GROUPS];
    NEAR
};
/* Words of neighbouring threads are side by side. */
#define FAR(i) far[(i) * LANES]
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

/* ---- sha ---- */
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
