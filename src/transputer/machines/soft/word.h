// Words of the hard path in C: WORD_BITS is 32, which also has narrower words, or 64.
#include <stdint.h>

#if WORD_BITS == 64
typedef uint64_t word_t;
typedef int64_t signed_t;
#else
typedef uint32_t word_t;
typedef int32_t signed_t;
#endif

// A word that has `spare` bits less than there are, as a signed number.
static inline signed_t as_signed(word_t word, uint32_t spare) {
    return (signed_t)(word << spare) >> spare;
}

// The number of an instruction, sign-extended.
static inline word_t extended(uint32_t number) { return (word_t)(signed_t)(int32_t)number; }

