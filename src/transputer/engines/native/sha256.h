/* SHA-256 (FIPS 180-4) with a state that can be put aside and taken up again. */
#ifndef TRANSPUTER_SHA256_H
#define TRANSPUTER_SHA256_H

#include "image.h"

typedef struct {
    uint64_t length;        /* bytes so far; the last length % 64 of them are in `rest` */
    uint32_t h[8];
    uint8_t rest[64];
} Sha256;

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
static const uint32_t SHA_K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static inline uint32_t rotated(uint32_t x, int by) { return x >> by | x << (32 - by); }

static void sha_block(uint32_t *h, const uint8_t *p) {
    uint32_t w[64], a[8];
    for (int i = 0; i < 16; i++, p += 4)
        w[i] = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    for (int i = 16; i < 64; i++) {
        uint32_t x = w[i - 15], y = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (rotated(x, 7) ^ rotated(x, 18) ^ x >> 3)
               + (rotated(y, 17) ^ rotated(y, 19) ^ y >> 10);
    }
    memcpy(a, h, sizeof a);
    for (int i = 0; i < 64; i++) {
        uint32_t e = a[4], one = a[7] + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25))
                                 + ((e & a[5]) ^ (~e & a[6])) + SHA_K[i] + w[i];
        uint32_t two = (rotated(a[0], 2) ^ rotated(a[0], 13) ^ rotated(a[0], 22))
                       + ((a[0] & a[1]) ^ (a[0] & a[2]) ^ (a[1] & a[2]));
        a[7] = a[6], a[6] = a[5], a[5] = a[4], a[4] = a[3] + one;
        a[3] = a[2], a[2] = a[1], a[1] = a[0], a[0] = one + two;
    }
    for (int i = 0; i < 8; i++) h[i] += a[i];
}

/* Adds bytes to a hash whose `h` holds the initial value of the standard at length 0. */
void transputer_sha256(Sha256 *s, const uint8_t *bytes, word count) {
    uint64_t have = s->length % 64, left = (uint64_t)count;
    s->length += left;
    while (left && have) {
        s->rest[have++] = *bytes++;
        left--;
        if (have == 64) sha_block(s->h, s->rest), have = 0;
    }
    for (; left >= 64; left -= 64, bytes += 64) sha_block(s->h, bytes);
    for (uint64_t i = 0; i < left; i++) s->rest[have + i] = bytes[i];
}

#endif
