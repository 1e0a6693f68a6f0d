// How many primes there are up to n, by the sieve of Eratosthenes. n is at most 1000.
//
//     transputer run examples/c/sieve.c --invoke sieve 100
//
// prints 25. A larger n gives -1.

static char composite[1001];

int sieve(int n) {
    int count = 0;
    if (n > 1000) return -1;
    for (int i = 0; i <= n; i = i + 1) composite[i] = 0;
    for (int i = 2; i <= n; i = i + 1) {
        if (composite[i]) continue;
        count = count + 1;
        for (int j = i * i; j <= n; j = j + i) composite[j] = 1;
    }
    return count;
}
