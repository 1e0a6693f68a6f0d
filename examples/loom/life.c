// Conway's Life on a torus of 8 x 8: a glider. Every run of main is one generation.
int board[64] = {[1] = 1, [10] = 1, [16] = 1, [17] = 1, [18] = 1};
static int next[64];

int neighbours(int cell) {
    int count = 0, row = cell & 56, column = cell & 7;
    for (int y = -8; y <= 8; y += 8)
        for (int x = -1; x <= 1; x++)
            count += board[((row + y) & 56) + ((column + x) & 7)];
    return count - board[cell];
}

int main(void) {
    int alive = 0;
    for (int i = 0; i < 64; i++) {
        int n = neighbours(i);
        next[i] = n == 3 || (n == 2 && board[i]);
    }
    for (int i = 0; i < 64; i++) alive += board[i] = next[i];
    return alive;
}
