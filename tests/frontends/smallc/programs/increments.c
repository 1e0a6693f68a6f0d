int a[3] = {1, 2, 3};
int main(void) {
    int i = 5, j = i++, k = ++i, l = i--, m = --i;
    int *p = a;
    int n = *p++ + *p;
    a[1]++;
    --a[2];
    return i + 10 * (j + k + l + m - 20) + n + a[1] + a[2];
}
