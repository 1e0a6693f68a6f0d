int a[6] = {4, 9, 2, 9, 7, 1};
int main(void) { return 100 * (find(a, 5) == -1) + 10 * find(a, 9) + find(a + 2, 7, 4); }
