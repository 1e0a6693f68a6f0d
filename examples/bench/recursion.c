// Fibonacci by definition: fib(n) takes about 1.6 times as many calls as fib(n - 1).

static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }

int run(int n) { return fib(n); }
