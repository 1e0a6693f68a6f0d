// A program short enough for the soft path: what it returns is 120.

int factorial(int n) {
    if (n < 2) return 1;
    return n * factorial(n - 1);
}

int main(void) {
    return factorial(5);
}
