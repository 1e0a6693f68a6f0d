int main(void) {
    int n = 0;
    for (int i = 1; i < 6; i++)
        for (int j = i; j < 6; j++)
            for (int k = j; k < 6; k++)
                if (i * i + j * j == k * k) n += i * 10 + k;
    return n;
}
