// Snake without a C library: one key per move on standard input (w a s d), a frame per move.
// Without a key, the snake goes for the food by itself. `transputer demo` shows it.
#include "transputer.h"

enum { WIDTH = 22, HEIGHT = 10, MOST = WIDTH * HEIGHT };

static unsigned char board[MOST];  // 0 empty, 1 snake, 2 food
static int body[MOST], head, tail, way = 1, score;
static unsigned state = 7;

static void text(const char *s) {
    while (*s) tp_write(*s++);
}

static void number(int n) {
    if (n >= 10) number(n / 10);
    tp_write('0' + n % 10);
}

static void drop_food(void) {
    int at;
    do {
        state = state * 1664525 + 1013904223;
        at = (state >> 8) % MOST;
    } while (board[at]);
    board[at] = 2;
}

static int free_at(int at, int by) {
    int x = at % WIDTH;
    if ((by == 1 && x == WIDTH - 1) || (by == -1 && x == 0)) return 0;
    return at + by >= 0 && at + by < MOST && board[at + by] != 1;
}

static int chosen(int at) {
    static const int ways[4] = {1, WIDTH, -1, -WIDTH};
    int food = 0, best = way, least = 1 << 20;
    while (board[food] != 2) food++;
    for (int i = 0; i < 4; i++) {
        if (!free_at(at, ways[i])) continue;
        int next = at + ways[i];
        int dx = next % WIDTH - food % WIDTH, dy = next / WIDTH - food / WIDTH;
        int far = (dx < 0 ? -dx : dx) + (dy < 0 ? -dy : dy);
        if (far < least) least = far, best = ways[i];
    }
    return best;
}

static void draw(void) {
    text("+----------------------+\n");
    for (int y = 0; y < HEIGHT; y++) {
        tp_write('|');
        for (int x = 0; x < WIDTH; x++) {
            int cell = board[y * WIDTH + x];
            tp_write(cell == 1 ? (body[head] == y * WIDTH + x ? '@' : 'o') : cell ? '*' : ' ');
        }
        text("|\n");
    }
    text("+----------------------+\nscore ");
    number(score);
    text("\n\f");
}

int main(void) {
    for (int i = 0; i < 4; i++) board[body[i] = 4 * WIDTH + 3 + i] = 1;
    head = 3;
    drop_food();
    for (;;) {
        draw();
        int key = tp_read();
        if (key == 'q') return 0;
        int turn = key == 'w' ? -WIDTH : key == 's' ? WIDTH : key == 'a' ? -1 : key == 'd' ? 1 : 0;
        way = turn ? (turn != -way ? turn : way) : chosen(body[head]);
        if (!free_at(body[head], way)) return 0;
        int next = body[head] + way, ate = board[next] == 2;
        head = (head + 1) % MOST;
        body[head] = next;
        board[next] = 1;
        if (ate) {
            score++;
            drop_food();
        } else {
            board[body[tail]] = 0;
            tail = (tail + 1) % MOST;
        }
    }
}
