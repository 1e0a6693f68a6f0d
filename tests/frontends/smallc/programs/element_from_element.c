int a[4] = {3, 1, 0, 2}, b[4] = {40, 50, 60, 70}, c[4];
int main(void) {
    for (int i = 0; i < 4; i++) c[i] = b[a[i]];
    for (int i = 0; i < 4; i++) a[i] = b[3 - i];
    return c[0];
}
