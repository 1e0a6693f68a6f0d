int f(int a, int b) { return 10 * a + b; }
int main(void) { int x = 1, y = 5; return f(x++, y--) + f(x, y); }
