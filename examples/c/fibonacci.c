// The n-th Fibonacci number: 0, 1, 1, 2, 3, 5, … (from n = 47 on it wraps around 32 bits).
//
//     transputer run examples/c/fibonacci.c --invoke fibonacci 30
//
// prints 832040.

int fibonacci(int n) {
    unsigned now = 0, next = 1;
    while (n > 0) {
        unsigned sum = now + next;
        now = next;
        next = sum;
        n = n - 1;
    }
    return (int)now;
}
