// A hash of n numbers in 64 bits: multiplications, shifts and rotations.

typedef unsigned long long u64;

int run(int n) {
    u64 hash = 0x9E3779B97F4A7C15u, state = 1;
    for (; n; n--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        u64 x = state;
        x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
        x = (x ^ x >> 27) * 0x94D049BB133111EBu;
        hash = (hash << 23 | hash >> 41) ^ x ^ x >> 31;
    }
    return (int)(hash ^ hash >> 32);
}
