// In how many ways n queens stand on an n × n board so that none attacks another.
//
//     transputer run examples/c/queens.c --invoke queens 6
//
// prints 4. Row by row; a bit per column says where a queen of a row above attacks:
// straight down, down to the left, down to the right.

static int place(unsigned board, unsigned down, unsigned left, unsigned right) {
    if (down == board) return 1;
    int ways = 0;
    unsigned free = board & ~(down | left | right);
    while (free) {
        unsigned queen = free & -free;  // the lowest free column
        free ^= queen;
        ways += place(board, down | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return ways;
}

int queens(int n) { return place((1u << n) - 1, 0, 0, 0); }
