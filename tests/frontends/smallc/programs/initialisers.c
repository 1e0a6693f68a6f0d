int g = 3 + 4 * 2, *p = &g;
const int table[5] = {10, 20, 30};
int main(void) {
    int a[4] = {1, g, g + 1}, s = 0;
    const int k[3] = {7, 8, 9};
    for (int i = 0; i < 4; i++) s += a[i];
    for (int i = 0; i < 3; i++) s += k[i];
    return s + table[1] + table[4] + *p;
}
