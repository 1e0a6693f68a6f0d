enum { RED, RED_YELLOW, GREEN, YELLOW };
int light, pedestrian, cars;
int step(int now, int waiting) {
    switch (now) {
    case RED: return waiting ? RED : RED_YELLOW;
    case RED_YELLOW: return GREEN;
    case GREEN: return waiting ? YELLOW : GREEN;
    }
    return RED;
}
int main(void) {
    for (int t = 0; t < 12; t++) {
        light = step(light, t % 5 == 4);
        cars += light == GREEN;
        putchar(light);
    }
    return cars;
}
