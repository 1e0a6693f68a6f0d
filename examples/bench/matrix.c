// The n-th power of a 16 by 16 matrix modulo 2^32, by n multiplications; a check sum of it.

enum { SIDE = 16 };

static unsigned a[SIDE][SIDE], power[SIDE][SIDE], product[SIDE][SIDE];

int run(int n) {
    unsigned seed = 3, check = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            seed = seed * 1664525u + 1013904223u;
            a[i][j] = seed >> 16;
            power[i][j] = i == j;
        }
    for (; n; n--) {
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) {
                unsigned sum = 0;
                for (int k = 0; k < SIDE; k++) sum += power[i][k] * a[k][j];
                product[i][j] = sum;
            }
        for (int i = 0; i < SIDE; i++)
            for (int j = 0; j < SIDE; j++) power[i][j] = product[i][j];
    }
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) check = check * 31 + power[i][j];
    return (int)check;
}
