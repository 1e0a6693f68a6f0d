// Conway's game of life on a torus: an R-pentomino, or the picture on standard input.
//
//     transputer run examples/programs/life.c [GENERATIONS] < /dev/null

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 40, HEIGHT = 16 };

static char cells[2][HEIGHT][WIDTH];

static void show(int generation, char grid[HEIGHT][WIDTH]) {
    int alive = 0;
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) {
            alive += grid[y][x];
            putchar(grid[y][x] ? '#' : '.');
        }
        putchar('\n');
    }
    printf("generation %d, %d alive\n", generation, alive);
}

static void advance(char from[HEIGHT][WIDTH], char to[HEIGHT][WIDTH]) {
    for (int y = 0; y < HEIGHT; y++) {
        const char *above = from[(y + HEIGHT - 1) % HEIGHT], *below = from[(y + 1) % HEIGHT];
        for (int x = 0; x < WIDTH; x++) {
            int left = x ? x - 1 : WIDTH - 1, right = x < WIDTH - 1 ? x + 1 : 0;
            int around = above[left] + above[x] + above[right] + from[y][left] + from[y][right] +
                         below[left] + below[x] + below[right];
            to[y][x] = around == 3 || (around == 2 && from[y][x]);
        }
    }
}

int main(int argc, char **argv) {
    static const char *pentomino[] = {".##", "##.", ".#."};
    int generations = argc > 1 ? atoi(argv[1]) : 20, given = 0, c;
    for (int x = 0, y = 0; y < HEIGHT && (c = getchar()) != EOF;) {
        if (c == '\n') x = 0, y++;
        else if (x < WIDTH) given += cells[0][y][x++] = c == '#';
    }
    for (int i = 0; i < 9 && !given; i++)
        cells[0][HEIGHT / 2 - 1 + i / 3][WIDTH / 2 - 1 + i % 3] = pentomino[i / 3][i % 3] == '#';
    show(0, cells[0]);
    for (int i = 0; i < generations; i++) advance(cells[i % 2], cells[(i + 1) % 2]);
    show(generations, cells[generations % 2]);
    return 0;
}
