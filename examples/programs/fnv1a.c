// The FNV-1a hashes of the arguments, in 32 and in 64 bits.
//
//     transputer run examples/programs/fnv1a.c [TEXT...]

#include <inttypes.h>
#include <stdio.h>

static uint32_t fnv32(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

static uint64_t fnv64(const char *text) {
    uint64_t hash = 14695981039346656037u;
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 1099511628211u;
    return hash;
}

int main(int argc, char **argv) {
    char *given[] = {"", "a", "foobar", "The quick brown fox jumps over the lazy dog"};
    int count = argc > 1 ? argc - 1 : 4;
    char **texts = argc > 1 ? argv + 1 : given;
    for (int i = 0; i < count; i++)
        printf("%08" PRIx32 " %016" PRIx64 " %s\n", fnv32(texts[i]), fnv64(texts[i]), texts[i]);
    return 0;
}
