#include <stdio.h>
#define N 3

typedef int Matrix[N][N];

void multiply(Matrix a, Matrix b, Matrix c) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            c[i][j] = 0;
            for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j];
        }
}

void print(const char *name, int m[][N]) {
    printf("%s:\n", name);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) printf("%4d", m[i][j]);
        printf("\n");
    }
}

int trace(int (*m)[N]) {
    int sum = 0;
    for (int i = 0; i < N; i++) sum += m[i][i];
    return sum;
}

int main(void) {
    Matrix a = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, b = {{-1}, {0, 2}, {1, 0, 3}}, c;
    multiply(a, b, c);
    print("product", c);
    int transposed[N][N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) transposed[j][i] = c[i][j];
    print("transposed", transposed);
    printf("trace %d, size %d\n", trace(c), (int)(sizeof c / sizeof c[0][0]));
    char words[3][8] = {"zero", "one", "two"};
    for (int i = 2; i >= 0; i--) printf("%s ", words[i]);
    printf("%d\n", (int)sizeof words);
    return trace(transposed) & 0x7f;
}
