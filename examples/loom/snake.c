// Snake on a board of 8 x 8. Every run of main is one tick: the host writes `key` before it and
// draws `board` after it.
enum { NOTHING, SNAKE, FOOD };
enum { NONE, UP, RIGHT, DOWN, LEFT };

int key;
int board[64] = {[35] = SNAKE, [36] = SNAKE, [39] = FOOD};
int alive = 1, score;

static int body[64] = {35, 36};  // the snake's cells, from the tail on, in a ring
static int tail, head = 2;
static int x = 4, y = 4, dx = 1, dy = 0;
static int random = 5;

void turn(void) {
    switch (key) {
    case UP:
        if (!dy) { dx = 0; dy = -1; }
        break;
    case RIGHT:
        if (!dx) { dx = 1; dy = 0; }
        break;
    case DOWN:
        if (!dy) { dx = 0; dy = 1; }
        break;
    case LEFT:
        if (!dx) { dx = -1; dy = 0; }
    }
}

int main(void) {
    if (!alive) return 0;
    turn();
    x += dx;
    y += dy;
    int cell = y * 8 + x;
    int there = board[cell & 63];
    if ((x | y) & ~7 || there == SNAKE) {
        alive = 0;
        return 0;
    }
    board[cell] = SNAKE;
    body[head] = cell;
    head = (head + 1) & 63;
    if (there == FOOD) {
        score++;
        do random = (random * 5 + 3) & 63; while (board[random]);
        board[random] = FOOD;
    } else {
        board[body[tail]] = NOTHING;
        tail = (tail + 1) & 63;
    }
    return 1;
}
