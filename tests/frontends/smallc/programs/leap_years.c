int main(void) {
    int n = 0;
    for (int y = 0; y < 120; y++)
        if ((y % 4 == 0 && y % 100 != 0) || y == 0) n++;
    return n;
}
