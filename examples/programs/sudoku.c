// Solve sudokus: the arguments (81 cells, row by row, `.` or 0 where open), or the one that
// Arto Inkala published in 2012 as the hardest known.
//
//     transputer run examples/programs/sudoku.c [PUZZLE...]
//
// A cell that is down to one digit takes it from its row, column and box; a digit that has
// only one place left in one of them goes there. When nothing follows any more, the cell with
// the fewest digits left is tried with each of them.

#include <stdio.h>
#include <string.h>

enum { SIDE = 9, CELLS = 81, UNITS = 27, PEERS = 20, ANY = 511 };

typedef struct {
    unsigned short may[CELLS];  // one bit per digit, the lowest for 1
} Grid;

static unsigned char unit[UNITS][SIDE];  // rows, columns, boxes
static unsigned char peers[CELLS][PEERS];
static int tried;

static void find_units(void) {
    for (int u = 0; u < SIDE; u++)
        for (int i = 0; i < SIDE; i++) {
            unit[u][i] = (unsigned char)(u * SIDE + i);
            unit[u + 9][i] = (unsigned char)(i * SIDE + u);
            unit[u + 18][i] = (unsigned char)((u / 3 * 3 + i / 3) * SIDE + u % 3 * 3 + i % 3);
        }
    for (int cell = 0; cell < CELLS; cell++) {
        unsigned char *peer = peers[cell];
        int row = cell / SIDE, column = cell % SIDE, box = row / 3 * 3 + column / 3;
        for (int i = 0; i < SIDE; i++) {
            int other = unit[box + 18][i];
            if (i != column) *peer++ = unit[row][i];
            if (i != row) *peer++ = unit[column + 9][i];
            if (other / SIDE != row && other % SIDE != column) *peer++ = (unsigned char)other;
        }
    }
}

static int single(unsigned digits) { return !(digits & (digits - 1)); }

// Put a digit (its bit) into a cell, with what follows for its peers. 0 if one has none left.
static int put(Grid *grid, int cell, unsigned digit) {
    unsigned char fixed[CELLS];  // cells down to one digit, not yet taken from their peers
    int count = 0;
    if (!(grid->may[cell] & digit)) return 0;
    grid->may[cell] = (unsigned short)digit;
    fixed[count++] = (unsigned char)cell;
    while (count) {
        cell = fixed[--count];
        digit = grid->may[cell];
        for (int i = 0; i < PEERS; i++) {
            int peer = peers[cell][i];
            unsigned before = grid->may[peer], after = before & ~digit;
            if (after == before) continue;
            if (after == 0) return 0;
            grid->may[peer] = (unsigned short)after;
            if (single(after)) fixed[count++] = (unsigned char)peer;
        }
    }
    return 1;
}

// Put every digit that has one place left in a unit. 1 if there was one, -1 if a digit has none.
static int put_singles(Grid *grid) {
    int found = 0;
    for (int u = 0; u < UNITS; u++) {
        unsigned once = 0, twice = 0, fixed = 0;
        for (int i = 0; i < SIDE; i++) {
            unsigned may = grid->may[unit[u][i]];
            twice |= once & may;
            once |= may;
            if (single(may)) fixed |= may;
        }
        if (once != ANY) return -1;
        for (unsigned left = once & ~twice & ~fixed; left; left &= left - 1) {
            int i = 0;
            while (i < SIDE && !(grid->may[unit[u][i]] & left & -left)) i++;
            if (i == SIDE || !put(grid, unit[u][i], left & -left)) return -1;
            found = 1;
        }
    }
    return found;
}

// 1, and the grid is solved; or 0, and it has no solution.
static int solve(Grid *grid) {
    int found, best = -1, fewest = SIDE + 1;
    while ((found = put_singles(grid)) > 0) continue;
    if (found < 0) return 0;
    for (int cell = 0; cell < CELLS && fewest > 2; cell++) {
        if (single(grid->may[cell])) continue;
        int count = __builtin_popcount(grid->may[cell]);
        if (count < fewest) {
            fewest = count;
            best = cell;
        }
    }
    if (best < 0) return 1;
    for (unsigned left = grid->may[best]; left; left &= left - 1) {
        Grid attempt = *grid;
        tried++;
        if (put(&attempt, best, left & -left) && solve(&attempt)) {
            *grid = attempt;
            return 1;
        }
    }
    return 0;
}

static int show(const char *puzzle) {
    Grid grid;
    int possible = 1;
    for (int cell = 0; cell < CELLS; cell++) grid.may[cell] = ANY;
    for (int cell = 0; cell < CELLS; cell++) {
        char c = puzzle[cell];
        if (c >= '1' && c <= '9') possible = possible && put(&grid, cell, 1u << (c - '1'));
    }
    tried = 0;
    if (!possible || !solve(&grid)) {
        printf("no solution\n");
        return 1;
    }
    for (int cell = 0; cell < CELLS; cell++) {
        int row = cell / SIDE, column = cell % SIDE;
        if (column == 0 && row % 3 == 0 && row) printf("------+-------+------\n");
        const char *after = column == 8 ? "\n" : column % 3 == 2 ? " | " : " ";
        printf("%d%s", __builtin_ctz(grid.may[cell]) + 1, after);
    }
    printf("%d digits tried\n", tried);
    return 0;
}

int main(int argc, char **argv) {
    const char *hardest =
        "8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..";
    int failed = 0;
    find_units();
    if (argc < 2) return show(hardest);
    for (int i = 1; i < argc; i++) {
        if (strlen(argv[i]) != CELLS) {
            fprintf(stderr, "a puzzle has 81 cells, not %zu\n", strlen(argv[i]));
            return 2;
        }
        failed |= show(argv[i]);
    }
    return failed;
}
