// Doom's platform on the trace machine: keys from standard input, frames to standard error.
//
// Each byte of standard input is the key that is held during one frame: w a s d walk and turn, f fires,
// e opens doors, anything else is no key. Each frame is a PPM picture. The program ends with the input.
// Time is what the frames take, 35 in a second; so a run depends on its input alone.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// WebAssembly calls no function through another type: i_video.c declares that I_InitInput returns an
// int, i_input.c defines it without a result. So i_input.c is compiled here, under another name.
#define I_InitInput init_input
#include "i_input.c"
#undef I_InitInput

#include "doomgeneric.h"
#include "doomkeys.h"

enum { WIDTH = 320, HEIGHT = 200, FRAME_MS = 1000 / 35 + 1 };

static uint32_t now = 1;
static int held_key, next_key;  // keys: during the last frame, during this one

static int key_of(int c) {
    switch (c) {
    case 'w': return KEY_UPARROW;
    case 's': return KEY_DOWNARROW;
    case 'a': return KEY_LEFTARROW;
    case 'd': return KEY_RIGHTARROW;
    case 'f': return KEY_FIRE;
    case 'e': return KEY_USE;
    }
    return 0;
}

static void draw(void) {
    static unsigned char picture[15 + 3 * WIDTH * HEIGHT] = "P6\n320 200\n255\n";
    unsigned char *out = picture + 15;
    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        uint32_t pixel = DG_ScreenBuffer[i];
        *out++ = pixel >> 16;
        *out++ = pixel >> 8;
        *out++ = pixel;
    }
    for (size_t done = 0; done < sizeof picture;) {
        ssize_t more = write(2, picture + done, sizeof picture - done);
        if (more <= 0) exit(1);
        done += more;
    }
    int c;
    do c = getchar();
    while (c == '\n');
    if (c == EOF) exit(0);
    next_key = key_of(c);
    now += FRAME_MS;
}

static void sleep_ms(uint32_t ms) { now += ms; }
static uint32_t ticks(void) { return now; }
static void title(const char *text) { (void)text; }

// One event per call: first the release of the last key, then the press of the next.
static int key(int *pressed, unsigned char *code) {
    if (held_key == next_key) return 0;
    *pressed = held_key == 0;
    *code = held_key ? held_key : next_key;
    held_key = held_key ? 0 : next_key;
    return 1;
}

int I_InitInput(void) {
    init_input();
    return 0;
}

int system(const char *command) { (void)command; return -1; }

int main(int count, char **arguments) {
    dg_Create(WIDTH, HEIGHT, draw, sleep_ms, ticks, key, title);
    dg_main(count, arguments);
    for (;;) {}
}
