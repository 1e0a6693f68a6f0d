// How many steps the Collatz rule takes from n down to 1: halve an even number, else 3n + 1.
//
//     transputer run examples/c/collatz.c --invoke collatz 27
//
// prints 111.

int collatz(int n) {
    int steps = 0;
    while (n > 1) {
        if (n % 2 == 0) {
            n = n / 2;
        } else {
            n = 3 * n + 1;
        }
        steps = steps + 1;
    }
    return steps;
}
