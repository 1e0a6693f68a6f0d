// A raycaster with enemies. Every run of main is one tick: the host writes `key` before it and
// draws `wall` (heights) and `sprite` (heights, 0 where there is none) after it.
enum { COLUMNS = 16, ENEMIES = 3 };
enum { NONE, FORWARD, RIGHT, BACK, LEFT, FIRE };
enum { FREE, WALL, ENEMY };

int key;
int wall[COLUMNS], sprite[COLUMNS];
int health = 9, score;
int map[64] = {
    1, 1, 1, 1, 1, 1, 1, 1,
    1, 0, 0, 0, 0, 0, 2, 1,
    1, 0, 1, 0, 0, 0, 0, 1,
    1, 0, 0, 0, 0, 1, 0, 1,
    1, 0, 0, 0, 0, 1, 0, 1,
    1, 0, 1, 1, 0, 0, 0, 1,
    1, 2, 0, 0, 0, 0, 2, 1,
    1, 1, 1, 1, 1, 1, 1, 1,
};
int px = 56, py = 56, angle;  // sixteenths of a cell; thirty-seconds of a turn

static int enemy[ENEMIES] = {14, 49, 54};  // their cells, 0 where dead
static int strength[ENEMIES] = {2, 2, 2};
static int moving;
static int last;  // where the last ray came to: the cell of an enemy, or 0

const int sine[32] = {
    0, 12, 24, 35, 45, 53, 59, 62, 63, 62, 59, 53, 45, 35, 24, 12,
    0, -12, -24, -35, -45, -53, -59, -62, -63, -62, -59, -53, -45, -35, -24, -12,
};

int cell_of(int x, int y) { return ((y >> 1) & 56) + (x >> 4); }

// The height of what is so many steps away.
int height(int steps) { return 48 / steps; }

// Follow a ray to the wall; what it passes is drawn into a column.
void cast(int rx, int ry, int column) {
    int x = px, y = py, steps = 0;
    rx >>= 4;
    ry >>= 4;
    last = 0;
    sprite[column] = 0;
    for (;;) {
        x += rx;
        y += ry;
        steps++;
        int cell = cell_of(x, y);
        int there = map[cell];
        if (there == WALL) break;
        if (there == ENEMY && !last) {
            last = cell;
            sprite[column] = height(steps);
        }
    }
    wall[column] = height(steps);
}

void walk(int dx, int dy) {
    int x = px + dx, y = py + dy;
    if (map[cell_of(x, y)] == FREE) {
        px = x;
        py = y;
    }
}

void fire(void) {
    for (int i = 0; i < ENEMIES; i++)
        if (last && enemy[i] == last && --strength[i] == 0) {
            map[last] = FREE;
            enemy[i] = 0;
            score++;
        }
}

// An enemy comes one cell nearer, or strikes.
void hunt(int i) {
    int from = enemy[i], to = from, player = cell_of(px, py);
    int column = (from & 7) - (player & 7), row = (from >> 3) - (player >> 3);
    if (column > 0) to--;
    else if (column) to++;
    else if (row > 0) to -= 8;
    else to += 8;
    if (to == player) {
        health--;
    } else if (map[to] == FREE) {
        map[from] = FREE;
        map[to] = ENEMY;
        enemy[i] = to;
    }
}

int main(void) {
    if (health <= 0) return 0;
    if (key == LEFT) angle = (angle - 1) & 31;
    if (key == RIGHT) angle = (angle + 1) & 31;
    int s = sine[angle], c = sine[(angle + 8) & 31];
    if (key == FORWARD) walk(c >> 3, s >> 3);
    if (key == BACK) walk(-(c >> 3), -(s >> 3));
    if (key == FIRE) {
        cast(c, s, 0);
        fire();
    }
    if ((++moving & 3) == 0)
        for (int i = 0; i < ENEMIES; i++)
            if (enemy[i]) hunt(i);
    int rx = c + (s >> 1), ry = s - (c >> 1);  // the leftmost ray; the view is 53 degrees wide
    for (int i = 0; i < COLUMNS; i++) {
        cast(rx, ry, i);
        rx -= s >> 4;
        ry += c >> 4;
    }
    return score;
}
