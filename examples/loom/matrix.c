// The product of two matrices of 3 x 3.
const int a[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 1}};
const int b[3][3] = {{1, 0, 2}, {0, 1, 2}, {1, 1, 1}};
int c[3][3];

int main(void) {
    int trace = 0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int sum = 0;
            for (int k = 0; k < 3; k++) sum += a[i][k] * b[k][j];
            c[i][j] = sum;
        }
        trace += c[i][i];
    }
    return trace;
}
