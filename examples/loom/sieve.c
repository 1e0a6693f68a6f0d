// Primes below 60 by the sieve of Eratosthenes.
int composite[60], count;

int main(void) {
    for (int i = 2; i < 60; i++) {
        if (composite[i]) continue;
        count++;
        putchar(i);
        for (int j = i + i; j < 60; j += i) composite[j] = 1;
    }
    return count;
}
