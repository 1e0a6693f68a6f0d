int main(void) {
    int i = 10;
    while (i) putchar(i--);
    return i;
}
