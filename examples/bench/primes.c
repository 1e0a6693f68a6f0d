// How many primes there are below n, by trial division through the odd numbers.

int run(int n) {
    int count = n > 2;
    for (int i = 3; i < n; i += 2) {
        int prime = 1;
        for (int d = 3; d * d <= i && prime; d += 2) prime = i % d != 0;
        count += prime;
    }
    return count;
}
