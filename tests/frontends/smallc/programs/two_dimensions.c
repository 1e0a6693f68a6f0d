int m[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}}, t[4][3];
int row_sum(int r[4]) { return r[0] + r[1] + r[2] + r[3]; }
int corner(int a[][4], int n) { return a[n][n]; }
int main(void) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 4; j++) t[j][i] = m[i][j];
    m[1][2] = -1;
    return row_sum(m[1]) + t[3][2] + corner(m, 2);
}
