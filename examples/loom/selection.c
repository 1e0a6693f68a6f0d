// Selection sort, the smallest first.
int a[10] = {12, -7, 33, 0, 5, 5, -90, 127, 64, 1};

int main(void) {
    for (int i = 0; i < 9; i++) {
        int least = i;
        for (int j = i + 1; j < 10; j++)
            if (a[j] < a[least]) least = j;
        swap(a[i], a[least]);
    }
    return a[9];
}
