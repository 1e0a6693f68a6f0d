int main(void) {
    int a = 1, b = 2, c;
    c = (a += 3, b += a, a * b);
    int d = a > b ? a : b > 3 ? b - 3 : 0;
    return c + d;
}
