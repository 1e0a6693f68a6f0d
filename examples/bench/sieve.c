// How many primes there are below n (at most 2^20): the sieve of Eratosthenes, a byte each.

static unsigned char composite[1 << 20];

int run(int n) {
    int count = 0;
    for (int i = 0; i < n; i++) composite[i] = 0;
    for (int i = 2; i < n; i++) {
        if (composite[i]) continue;
        count++;
        for (int multiple = 2 * i; multiple < n; multiple += i) composite[multiple] = 1;
    }
    return count;
}
