int power(int x, int n) {
    int r = 1;
    while (n) {
        if (n & 1) r *= x;
        x = n > 1 ? x * x : x;
        n >>= 1;
    }
    return r;
}
int main(void) { return power(3, 4) + power(2, 5) + power(-1, 7); }
