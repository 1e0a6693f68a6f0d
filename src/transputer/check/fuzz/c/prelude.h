#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef double f64;

static u32 rounds; /* loop rounds and calls that may still be made */
static u64 hash;

static void mix(u64 x) {
    hash = (hash ^ x) * 1099511628211ull;
    hash ^= hash >> 29;
}

/* the bits of a NaN are not determined */
static void mix_f32(f32 x) {
    u32 bits = 0x7fc00000u;
    if (x == x) memcpy(&bits, &x, sizeof bits);
    mix(bits);
}

static void mix_f64(f64 x) {
    u64 bits = 0x7ff8000000000000ull;
    if (x == x) memcpy(&bits, &x, sizeof bits);
    mix(bits);
}

static i32 div_i32(i32 a, i32 b) { return b == 0 || b == -1 ? a : a / b; }
static i32 rem_i32(i32 a, i32 b) { return b == 0 || b == -1 ? a : a % b; }
static u32 div_u32(u32 a, u32 b) { return b == 0 ? a : a / b; }
static u32 rem_u32(u32 a, u32 b) { return b == 0 ? a : a % b; }
static i64 div_i64(i64 a, i64 b) { return b == 0 || b == -1 ? a : a / b; }
static i64 rem_i64(i64 a, i64 b) { return b == 0 || b == -1 ? a : a % b; }
static u64 div_u64(u64 a, u64 b) { return b == 0 ? a : a / b; }
static u64 rem_u64(u64 a, u64 b) { return b == 0 ? a : a % b; }

/* a float outside the range of an integer, or a NaN, becomes 0; both bounds are exact floats */
static i32 i32_f64(f64 x) { return x > -2147483648.0 && x < 2147483648.0 ? (i32)x : 0; }
static u32 u32_f64(f64 x) { return x >= 0.0 && x < 4294967296.0 ? (u32)x : 0; }
static i64 i64_f64(f64 x) {
    return x > -9223372036854775808.0 && x < 9223372036854775808.0 ? (i64)x : 0;
}
static u64 u64_f64(f64 x) { return x >= 0.0 && x < 18446744073709551616.0 ? (u64)x : 0; }
static i32 i32_f32(f32 x) { return x > -2147483648.0f && x < 2147483648.0f ? (i32)x : 0; }
static u32 u32_f32(f32 x) { return x >= 0.0f && x < 4294967296.0f ? (u32)x : 0; }
static i64 i64_f32(f32 x) {
    return x > -9223372036854775808.0f && x < 9223372036854775808.0f ? (i64)x : 0;
}
static u64 u64_f32(f32 x) { return x >= 0.0f && x < 18446744073709551616.0f ? (u64)x : 0; }

static int order_i32(const void *a, const void *b) {
    i32 x = *(const i32 *)a, y = *(const i32 *)b;
    return (x > y) - (x < y);
}

static int order_u64(const void *a, const void *b) {
    u64 x = *(const u64 *)a, y = *(const u64 *)b;
    return (x > y) - (x < y);
}
