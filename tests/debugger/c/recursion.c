static int depth;
static int ackermann(int m, int n) {
    depth++;
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}
int main(void) {
    int result = ackermann(2, 2);
    return result;
}
