// Bubble sort of eight numbers, in place.
int a[8] = {5, 2, 7, -1, 8, 3, 6, 0};

int main(void) {
    for (int end = 7; end; end--)
        for (int i = 0; i < end; i++)
            if (a[i] > a[i + 1]) swap(a[i], a[i + 1]);
    return a[0];
}
