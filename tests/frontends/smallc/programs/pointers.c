int a[4] = {5, 6, 7, 8}, g = 1;
void exchange(int *x, int *y) { int t = *x; *x = *y; *y = t; }
int *last(int *p, int n) { return p + n - 1; }
int main(void) {
    int local = 3;
    exchange(&a[0], &a[3]);
    exchange(&g, &local);
    int *p = last(a, 4), **pp = &p;
    **pp += 10;
    return a[0] * 10 + a[3] + (p - a) + local + (p > a);
}
