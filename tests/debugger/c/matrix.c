typedef struct { int rows, columns; int cells[2][3]; } matrix;
static matrix scale(matrix m, int by) {
    for (int i = 0; i < m.rows; i++)
        for (int j = 0; j < m.columns; j++)
            m.cells[i][j] *= by;
    return m;
}
int main(void) {
    matrix one = {2, 3, {{1, 2, 3}, {4, 5, 6}}};
    matrix two = scale(one, -2);
    int (*row)[3] = &two.cells[1];
    return (*row)[2];
}
