int a[7] = {9, 4, 6, -3, 8, 2, 5};
int main(void) {
    int least = a[0];
    for (int i = 1; i < 7; i++) least = min(least, a[i]);
    return least;
}
