// Insertion sort.
int a[10] = {12, -7, 33, 0, 5, 5, -90, 127, 64, 1};

int main(void) {
    for (int i = 1; i < 10; i++) {
        int x = a[i], j = i;
        while (j > 0 && a[j - 1] > x) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = x;
    }
    return a[0];
}
