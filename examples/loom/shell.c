// Shell sort: elements far apart first, neighbours last.
int a[32] = {
    29, 10, 20, 11, 30, 6, 8, 23, 1, 15, 9, 16, 24, 25, 22, 14,
    26, 28, 7, 17, 27, 19, 12, 4, 18, 3, 2, 32, 13, 5, 31, 21,
};

int main(void) {
    for (int gap = 13; gap; gap /= 3)
        for (int i = gap; i < 32; i++) {
            int x = a[i], j = i;
            while (j >= gap && a[j - gap] > x) {
                a[j] = a[j - gap];
                j -= gap;
            }
            a[j] = x;
        }
    return a[0];
}
