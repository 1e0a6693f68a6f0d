// A 9x9 sudoku by iterative backtracking: the classic easy puzzle.
int board[81] = {
    5, 3, 0, 0, 7, 0, 0, 0, 0,
    6, 0, 0, 1, 9, 5, 0, 0, 0,
    0, 9, 8, 0, 0, 0, 0, 6, 0,
    8, 0, 0, 0, 6, 0, 0, 0, 3,
    4, 0, 0, 8, 0, 3, 0, 0, 1,
    7, 0, 0, 0, 2, 0, 0, 0, 6,
    0, 6, 0, 0, 0, 0, 2, 8, 0,
    0, 0, 0, 4, 1, 9, 0, 0, 5,
    0, 0, 0, 0, 8, 0, 0, 7, 9,
};
int empty[51];  // the cells to fill

// Whether a number may stand in a cell: it stands in no cell of its row, column and box.
int fits(int cell, int number) {
    int row = 0, column = cell;
    while (column >= 9) {
        column -= 9;
        row += 9;
    }
    for (int i = 0; i < 9; i++)
        if (board[row + i] == number) return 0;
    for (int i = column; i < 81; i += 9)
        if (board[i] == number) return 0;
    while (row % 27) row -= 9;
    column -= column % 3;
    for (int i = 0; i < 27; i += 9)
        for (int j = 0; j < 3; j++)
            if (board[row + column + i + j] == number) return 0;
    return 1;
}

int main(void) {
    int count = 0;
    for (int i = 0; i < 81; i++)
        if (board[i] == 0) empty[count++] = i;
    int at = 0;
    while (at != count) {
        int cell = empty[at];
        int number = board[cell];
        do number++; while (number < 10 && !fits(cell, number));
        if (number < 10) {
            board[cell] = number;
            at++;
        } else {
            board[cell] = 0;
            at--;
        }
    }
    return at;
}
