static int data[6] = {5, -3, 9, 0, 7, 2};
static void swap(int *a, int *b) {
    int old = *a;
    *a = *b;
    *b = old;
}
int main(void) {
    int swaps = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j + 1 < 6 - i; j++)
            if (data[j] > data[j + 1]) {
                swap(&data[j], &data[j + 1]);
                swaps++;
            }
    return swaps;
}
