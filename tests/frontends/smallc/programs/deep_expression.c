int a = 1, b = 2, c = 3, d = 4;
int main(void) {
    return ((((a + b) * (c + d)) - ((a - b) * (c - d))) + (((a ^ b) | (c & d)) - ((a | b) ^ (c | d)))) * ((a + (b - (c + (d - (a + (b - c)))))) + 1);
}
