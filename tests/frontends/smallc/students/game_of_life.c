#include <stdio.h>
#include <string.h>
#define H 8
#define W 8

static char board[H][W + 1], next[H][W + 1];

static int neighbours(int r, int c) {
    int n = 0;
    for (int dr = -1; dr <= 1; dr++)
        for (int dc = -1; dc <= 1; dc++)
            if ((dr || dc) && board[(r + dr + H) % H][(c + dc + W) % W] == '#') n++;
    return n;
}

int main(void) {
    const char *start[H] = {".#......", "..#.....", "###.....", "........",
                            "........", "........", "........", "........"};
    for (int r = 0; r < H; r++) strcpy(board[r], start[r]);
    for (int generation = 0; generation < 4; generation++) {
        for (int r = 0; r < H; r++)
            for (int c = 0; c < W; c++) {
                int n = neighbours(r, c);
                next[r][c] = n == 3 || (n == 2 && board[r][c] == '#') ? '#' : '.';
            }
        memcpy(board, next, sizeof board);
    }
    int alive = 0;
    for (int r = 0; r < H; r++) {
        puts(board[r]);
        for (char *p = board[r]; *p; p++) alive += *p == '#';
    }
    return alive;
}
