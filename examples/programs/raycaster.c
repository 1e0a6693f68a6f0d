// Look around in a maze: one ray per column, walls drawn as high as they are near.
//
//     transputer run examples/programs/raycaster.c [FRAMES]
//
// Numbers are whole, in units of 1/65536. Every frame ends with a form feed, so that
// `--frames DIR` makes a picture of each.

#include <stdio.h>
#include <stdlib.h>

typedef int Fixed;
enum { ONE = 65536, WIDTH = 64, HEIGHT = 24, SIDE = 12, FAR = 1 << 30 };

static const char maze[SIDE][SIDE + 1] = {
    "############",
    "#..........#",
    "#.##.##.##.#",
    "#.#.......##",
    "#.#.#.#.#..#",
    "#...#...#..#",
    "#.#.#.#.##.#",
    "#.#....#...#",
    "#.##.#.#.#.#",
    "#....#.....#",
    "#.##...##..#",
    "############",
};

static Fixed times(Fixed a, Fixed b) { return (Fixed)((long long)a * b / ONE); }

// How far a ray goes until it crosses from one cell to the next, along one axis.
static Fixed stride(Fixed way) {
    if (way < 0) way = -way;
    return way < 4 ? FAR : (Fixed)((long long)ONE * ONE / way);
}

// The distance to the wall along a ray; `side` says which kind of wall.
static Fixed cast(Fixed x, Fixed y, Fixed way_x, Fixed way_y, int *side) {
    int column = x / ONE, row = y / ONE;
    Fixed stride_x = stride(way_x), stride_y = stride(way_y);
    Fixed in_x = x % ONE, in_y = y % ONE;
    Fixed next_x = stride_x == FAR ? FAR : times(way_x < 0 ? in_x : ONE - in_x, stride_x);
    Fixed next_y = stride_y == FAR ? FAR : times(way_y < 0 ? in_y : ONE - in_y, stride_y);
    for (;;) {
        *side = next_x < next_y;
        Fixed distance = *side ? next_x : next_y;
        if (*side) {
            column += way_x < 0 ? -1 : 1;
            next_x += stride_x;
        } else {
            row += way_y < 0 ? -1 : 1;
            next_y += stride_y;
        }
        if (maze[row][column] == '#') return distance;
    }
}

static void render(Fixed x, Fixed y, Fixed look_x, Fixed look_y) {
    static const char shades[] = "@%#*+=-:";
    static char screen[HEIGHT][WIDTH + 1];
    for (int column = 0; column < WIDTH; column++) {
        // the screen is as far away as it is wide, times 3/4
        Fixed across = (2 * column + 1 - WIDTH) * (ONE / WIDTH) / 4 * 3;
        int side;
        Fixed far = cast(x, y, look_x - times(look_y, across), look_y + times(look_x, across), &side);
        int height = far < ONE / 4 ? HEIGHT : (int)((long long)HEIGHT * ONE / far);
        int shade = far / ONE + side;
        for (int row = 0; row < HEIGHT; row++) {
            int from_middle = abs(2 * row + 1 - HEIGHT);
            char floor = row < HEIGHT / 2 ? ' ' : '.';
            screen[row][column] = from_middle < height ? shades[shade > 7 ? 7 : shade] : floor;
        }
    }
    for (int row = 0; row < HEIGHT; row++) puts(screen[row]);
    puts("\f");
}

int main(int argc, char **argv) {
    int frames = argc > 1 ? atoi(argv[1]) : 6;
    Fixed x = ONE * 3 / 2, y = ONE * 3 / 2, look_x = ONE, look_y = 0, step = ONE / 8;
    for (int frame = 0; frame < frames; frame++) {
        render(x, y, look_x, look_y);
        // a twelfth of a turn, by cosine and sine
        Fixed turned = times(look_x, 56756) - times(look_y, 32768);
        look_y = times(look_x, 32768) + times(look_y, 56756);
        look_x = turned;
        if (frame % 12 == 11) look_x = ONE, look_y = 0;  // a whole turn, whatever was rounded
        // along the first corridor, to and fro
        if (x + step < ONE * 3 / 2 || x + step > ONE * 21 / 2) step = -step;
        x += step;
    }
    return 0;
}
