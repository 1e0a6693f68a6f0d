// Solve n sudokus of 9 by 9: the one of `examples/c/sudoku.c`, which says how it is done, and the
// same with up to three of its 23 givens taken away. A check sum of the solutions.

enum { SIDE = 9, CELLS = SIDE * SIDE, PEERS = 20, ANY = (1 << SIDE) - 1, GIVEN = 23 };

// Arto Inkala's puzzle of 2010.
static const char puzzle[] =
    "..53....."
    "8......2."
    ".7..1.5.."
    "4....53.."
    ".1..7...6"
    "..32...8."
    ".6.5....9"
    "..4....3."
    ".....97..";

typedef struct {
    unsigned short may[CELLS];  // one bit per digit, the lowest for 1
} Grid;

static unsigned char peers[CELLS][PEERS];  // the other cells of a cell's row, column and box

static void find_peers(void) {
    for (int cell = 0; cell < CELLS; cell++) {
        unsigned char *peer = peers[cell];
        int row = cell / SIDE, column = cell % SIDE;
        int top = row - row % 3, left = column - column % 3;
        for (int i = 0; i < SIDE; i++) {
            if (i != column) *peer++ = row * SIDE + i;
            if (i != row) *peer++ = i * SIDE + column;
        }
        for (int r = top; r < top + 3; r++)
            for (int c = left; c < left + 3; c++)
                if (r != row && c != column) *peer++ = r * SIDE + c;
    }
}

static int is_single(unsigned digits) { return (digits & (digits - 1)) == 0; }

// Put a digit (its bit) into a cell, with all that follows. 0 if a cell has no digit left.
static int put(Grid *grid, int cell, unsigned digit) {
    unsigned char fixed[CELLS];  // cells down to one digit, not yet taken from their peers
    int count = 0;
    grid->may[cell] = digit;
    fixed[count++] = cell;
    while (count) {
        cell = fixed[--count];
        digit = grid->may[cell];
        for (int i = 0; i < PEERS; i++) {
            int peer = peers[cell][i];
            unsigned before = grid->may[peer], after = before & ~digit;
            if (after == before) continue;
            if (after == 0) return 0;
            grid->may[peer] = after;
            if (is_single(after)) fixed[count++] = peer;
        }
    }
    return 1;
}

// The open cell with the fewest digits left, or -1 if none is open.
static int narrowest(const Grid *grid) {
    int best = -1, fewest = SIDE + 1;
    for (int cell = 0; cell < CELLS && fewest > 2; cell++) {
        unsigned digits = grid->may[cell];
        if (is_single(digits)) continue;
        int count = __builtin_popcount(digits);
        if (count < fewest) {
            fewest = count;
            best = cell;
        }
    }
    return best;
}

// 1, and the grid is solved; or 0, and it has no solution.
static int solve(Grid *grid) {
    int cell = narrowest(grid);
    if (cell < 0) return 1;
    for (unsigned digits = grid->may[cell]; digits; digits &= digits - 1) {
        Grid attempt = *grid;
        if (put(&attempt, cell, digits & -digits) && solve(&attempt)) {
            *grid = attempt;
            return 1;
        }
    }
    return 0;
}

// The puzzle with its first `given` givens.
static int solve_puzzle(Grid *grid, int given) {
    find_peers();
    for (int cell = 0; cell < CELLS; cell++) grid->may[cell] = ANY;
    for (int cell = 0; cell < CELLS; cell++) {
        if (puzzle[cell] == '.' || !given) continue;
        given--;
        unsigned digit = 1u << (puzzle[cell] - '1');
        if (!(grid->may[cell] & digit) || !put(grid, cell, digit)) return 0;
    }
    return solve(grid);
}

int run(int n) {
    Grid grid;
    unsigned check = 0;
    for (int i = 0; i < n; i++) {
        if (!solve_puzzle(&grid, GIVEN - i % 4)) return 0;
        for (int cell = 0; cell < CELLS; cell++) check = check * 31 + grid.may[cell];
    }
    return (int)check;
}
