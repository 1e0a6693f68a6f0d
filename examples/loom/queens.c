// How many ways there are to put six queens on a board of 6 x 6.
enum { N = 6 };
static int columns[N], rising[2 * N], falling[2 * N];
int solutions;

void place(int row) {
    if (row == N) {
        solutions++;
        return;
    }
    for (int c = 0; c < N; c++) {
        if (columns[c] || rising[row + c] || falling[row - c + N]) continue;
        columns[c] = rising[row + c] = falling[row - c + N] = 1;
        place(row + 1);
        columns[c] = rising[row + c] = falling[row - c + N] = 0;
    }
}

int main(void) {
    place(0);
    return solutions;
}
