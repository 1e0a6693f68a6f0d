void show(int n) {
    if (n >= 10) show(n / 10);
    putchar('0' + n % 10);
}
int main(void) {
    show(107);
    putchar(10);
    show(9);
    return 0;
}
