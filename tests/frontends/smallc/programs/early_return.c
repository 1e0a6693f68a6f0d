int sign(int x) {
    if (x < 0) return -1;
    if (x == 0) return 0;
    return 1;
}
int main(void) {
    for (int i = -2; i < 3; i++) if (sign(i) > 0) return 10 * i + sign(-i);
    return 99;
}
