int a[16] = {1, 3, 5, 8, 13, 21, 34, 40, 47, 55, 62, 70, 81, 89, 99, 120};
int find_in(int x) {
    int low = 0, high = 15;
    while (low <= high) {
        int middle = (low + high) >> 1;
        if (a[middle] == x) return middle;
        if (a[middle] < x) low = middle + 1;
        else high = middle - 1;
    }
    return -1;
}
int main(void) {
    for (int x = 0; x < 125; x += 7) putchar(find_in(x) + 1);
    return find_in(81);
}
