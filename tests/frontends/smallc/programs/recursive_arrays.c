int depth(int n) {
    int a[3] = {n, n + 1, n + 2};
    if (n == 0) return a[2];
    int below = depth(n - 1);
    return below + a[0] + a[1] - a[2];
}
int main(void) { return depth(4); }
