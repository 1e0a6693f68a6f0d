#include <stdbool.h>
typedef enum { NORTH, EAST, SOUTH = 7, WEST } heading;
enum level { LOW = -1, HIGH = 3 };
typedef struct { heading way; enum level level; bool seen; } robot;
static heading turn(heading way) {
    switch (way) {
    case NORTH: return EAST;
    case EAST: return SOUTH;
    case SOUTH: return WEST;
    default: return NORTH;
    }
}
int main(void) {
    robot r = {EAST, LOW, false};
    heading first = r.way;
    for (int i = 0; i < 3; i++)
        r.way = turn(r.way);
    r.seen = true;
    r.level = HIGH;
    return r.way + first;
}
