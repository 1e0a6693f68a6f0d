// Fibonacci's numbers, put out and returned.
int fibonacci[10];

int main(void) {
    int a = 0, b = 1;
    for (int i = 0; i < 10; i++) {
        fibonacci[i] = a;
        putchar(a);
        int next = a + b;
        a = b;
        b = next;
    }
    return a;
}
