int x = 2, y = 5, a[4];
int main(void) {
    for (int i = 0; i < 4; i++) a[i] = (x < y);
    a[1] = (x > y);
    a[x] = (x == y);
    return a[0] + a[3];
}
