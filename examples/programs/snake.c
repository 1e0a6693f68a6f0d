// Snake. Keys are the letters w a s d on standard input, one per move; where the input is at its
// end, the snake goes for the food by itself.
//
//     echo ssdd | transputer run examples/programs/snake.c [MOVES] [SEED]
//
// Every frame ends with a form feed, so that `--frames DIR` makes a picture of each.

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 24, HEIGHT = 12, MOST = WIDTH * HEIGHT };

typedef struct {
    int x, y;
} Place;

static Place body[MOST];  // the head first
static int length = 4;
static Place food, way = {1, 0};
static unsigned state;

static int at(Place p, int from) {
    for (int i = from; i < length; i++)
        if (body[i].x == p.x && body[i].y == p.y) return i;
    return -1;
}

static void drop_food(void) {
    do {
        state = state * 1664525 + 1013904223;
        food.x = (int)((state >> 16) % WIDTH);
        food.y = (int)((state >> 8 & 255) % HEIGHT);
    } while (at(food, 0) >= 0);
}

static Place ahead(Place by) { return (Place){body[0].x + by.x, body[0].y + by.y}; }

// What stands in the way is the wall or the snake, but not the tip of its tail, which moves on.
static int blocked(Place p) {
    if (p.x < 0 || p.x >= WIDTH || p.y < 0 || p.y >= HEIGHT) return 1;
    int part = at(p, 0);
    return part >= 0 && part < length - 1;
}

static Place chosen(void) {
    static const Place ways[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    int least = 2 * MOST, best = 0;
    for (int i = 0; i < 4; i++) {
        Place p = ahead(ways[i]);
        int far = abs(p.x - food.x) + abs(p.y - food.y);
        if (!blocked(p) && far < least) {
            least = far;
            best = i;
        }
    }
    return ways[best];
}

static Place asked(void) {
    switch (getchar()) {
        case EOF: return chosen();
        case 'w': return (Place){0, -1};
        case 'a': return (Place){-1, 0};
        case 's': return (Place){0, 1};
        case 'd': return (Place){1, 0};
        default: return way;
    }
}

static void show(void) {
    static char line[WIDTH + 1];
    for (int y = 0; y < HEIGHT; y++) {
        for (int x = 0; x < WIDTH; x++) line[x] = '.';
        for (int i = length - 1; i >= 0; i--)
            if (body[i].y == y) line[body[i].x] = i ? 'o' : '@';
        if (food.y == y) line[food.x] = '*';
        puts(line);
    }
    puts("\f");
}

int main(int argc, char **argv) {
    int last = argc > 1 ? atoi(argv[1]) : 30, moves = 0;
    state = argc > 2 ? (unsigned)atoi(argv[2]) : 7;
    for (int i = 0; i < length; i++) body[i] = (Place){WIDTH / 2 - i, HEIGHT / 2};
    drop_food();
    for (show(); moves < last; moves++, show()) {
        way = asked();
        Place next = ahead(way);
        if (blocked(next)) {
            printf("dead after %d moves, length %d\n", moves, length);
            return 1;
        }
        int eats = next.x == food.x && next.y == food.y;
        if (eats && length < MOST - 1) length++;
        for (int i = length - 1; i > 0; i--) body[i] = body[i - 1];
        body[0] = next;
        if (eats) drop_food();
    }
    printf("%d moves, length %d\n", moves, length);
    return 0;
}
