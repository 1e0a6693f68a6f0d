#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#define N 6

static int column[N], solutions;

static bool safe(int row, int c) {
    for (int i = 0; i < row; i++)
        if (column[i] == c || abs(column[i] - c) == row - i) return false;
    return true;
}

static void place(int row) {
    if (row == N) {
        if (solutions++ == 0)
            for (int i = 0; i < N; i++) {
                for (int j = 0; j < N; j++) putchar(column[i] == j ? 'Q' : '.');
                putchar('\n');
            }
        return;
    }
    for (int c = 0; c < N; c++)
        if (safe(row, c)) {
            column[row] = c;
            place(row + 1);
        }
}

int main(void) {
    place(0);
    printf("%d solutions\n", solutions);
    return solutions;
}
