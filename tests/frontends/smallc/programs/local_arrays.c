int reversed(int n) {
    int digits[4] = {0}, count = 0, r = 0;
    while (n) {
        digits[count++] = n % 10;
        n /= 10;
    }
    for (int i = 0; i < count; i++) r = r * 10 + digits[i];
    return r;
}
int main(void) { return reversed(12) + reversed(120); }
