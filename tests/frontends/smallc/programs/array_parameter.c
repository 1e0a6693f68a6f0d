int a[5] = {1, 2, 3, 4, 5}, b[3] = {10, 20, 30};
int sum(int v[], int n) {
    int s = 0;
    while (n--) s += *v++;
    return s;
}
int main(void) { return sum(a, 5) + sum(b, 3) + sum(a + 1, 2); }
