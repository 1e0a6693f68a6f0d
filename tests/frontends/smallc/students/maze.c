#include <stdbool.h>
#include <stdio.h>

enum { ROWS = 6, COLUMNS = 8 };
typedef struct { signed char row, column; } Cell;

static char maze[ROWS][COLUMNS + 1] = {
    "########", "#S.#...#", "##.#.#.#", "#....#.#", "#.##.#E#", "########",
};

static bool search(Cell at, int depth, int *length) {
    static const Cell moves[4] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    char *here = &maze[at.row][at.column];
    if (*here == 'E') {
        *length = depth;
        return true;
    }
    if (*here != '.' && *here != 'S') return false;
    *here = '*';
    for (int i = 0; i < 4; i++) {
        Cell next = {at.row + moves[i].row, at.column + moves[i].column};
        if (search(next, depth + 1, length)) return true;
    }
    *here = ' ';
    return false;
}

int main(void) {
    int length = -1;
    bool solved = search((Cell){1, 1}, 0, &length);
    for (int r = 0; r < ROWS; r++) printf("%s\n", maze[r]);
    printf("%s in %d steps\n", solved ? "solved" : "stuck", length);
    return length;
}
