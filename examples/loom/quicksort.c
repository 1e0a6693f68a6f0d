// Quicksort, which calls itself.
int a[12] = {9, -3, 7, 7, 0, 120, -100, 4, 2, 8, -1, 6};

void sort(int low, int high) {
    if (low >= high) return;
    int pivot = a[high], i = low;
    for (int j = low; j < high; j++)
        if (a[j] < pivot) {
            swap(a[i], a[j]);
            i++;
        }
    swap(a[i], a[high]);
    sort(low, i - 1);
    sort(i + 1, high);
}

int main(void) {
    sort(0, 11);
    return a[6];
}
