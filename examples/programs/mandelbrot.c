// The Mandelbrot set, in double precision.
//
//     transputer run examples/programs/mandelbrot.c [WIDTH] [HEIGHT] [MOST]

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int width = argc > 1 ? atoi(argv[1]) : 36, height = argc > 2 ? atoi(argv[2]) : 13;
    int most = argc > 3 ? atoi(argv[3]) : 16;
    static const char shades[] = " .,:;-=+*oxO#%@";
    for (int row = 0; row < height; row++) {
        double y = 1.2 - 2.4 * row / (height - 1);
        for (int column = 0; column < width; column++) {
            double x = -2.1 + 2.8 * column / (width - 1), u = 0, v = 0, uu = 0, vv = 0;
            int count = 0;
            for (; count < most && uu + vv <= 4; count++) {
                v = 2 * u * v + y;
                u = uu - vv + x;
                uu = u * u;
                vv = v * v;
            }
            putchar(count == most ? '@' : shades[count % 14]);
        }
        putchar('\n');
    }
    return 0;
}
