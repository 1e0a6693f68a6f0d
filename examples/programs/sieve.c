// The primes below a limit, by the sieve of Eratosthenes.
//
//     transputer run examples/programs/sieve.c [LIMIT]

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int limit = argc > 1 ? atoi(argv[1]) : 1000, count = 0;
    char *composite = calloc((size_t)limit + 1, 1);
    if (composite == NULL) return 1;
    for (int n = 2; n < limit; n++) {
        if (composite[n]) continue;
        printf("%d%c", n, ++count % 10 ? ' ' : '\n');
        for (int multiple = n * n; multiple < limit; multiple += n) composite[multiple] = 1;
    }
    printf("%s%d primes below %d\n", count % 10 ? "\n" : "", count, limit);
    free(composite);
    return 0;
}
