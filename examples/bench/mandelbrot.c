// How often points of a grid of n by n stay in the Mandelbrot set, in double precision.

int run(int n) {
    int total = 0;
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            double y = -1.2 + 2.4 * row / n, x = -2.1 + 2.8 * column / n, u = 0, v = 0;
            int count = 0;
            for (; count < 50 && u * u + v * v <= 4; count++) {
                double next = u * u - v * v + x;
                v = 2 * u * v + y;
                u = next;
            }
            total += count;
        }
    return total;
}
