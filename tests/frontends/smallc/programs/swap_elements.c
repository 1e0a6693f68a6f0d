int a[6] = {1, 2, 3, 4, 5, 6}, x = 7, y = 8;
int main(void) {
    for (int i = 0, j = 5; i < j; i++, j--) swap(a[i], a[j]);
    swap(x, y);
    swap(a[2], x);
    return a[0] * 10 + x;
}
