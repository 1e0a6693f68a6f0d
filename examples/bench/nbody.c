// n steps of three bodies that attract each other, in double precision; the bits of the energy.

static double root(double x) { return __builtin_sqrt(x); }

int run(int n) {
    double x[3] = {0, 4.84, 8.34}, y[3] = {0, -1.16, 4.12}, z[3] = {0, -0.10, -0.40};
    double u[3] = {0, 0.60, -1.01}, v[3] = {0, 2.81, 1.82}, w[3] = {0, -0.02, 0.008};
    const double m[3] = {39.47, 0.037, 0.011}, dt = 0.01;
    for (; n; n--) {
        for (int i = 0; i < 3; i++)
            for (int j = i + 1; j < 3; j++) {
                double dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j];
                double square = dx * dx + dy * dy + dz * dz;
                double pull = dt / (square * root(square));
                u[i] -= dx * m[j] * pull, v[i] -= dy * m[j] * pull, w[i] -= dz * m[j] * pull;
                u[j] += dx * m[i] * pull, v[j] += dy * m[i] * pull, w[j] += dz * m[i] * pull;
            }
        for (int i = 0; i < 3; i++) x[i] += dt * u[i], y[i] += dt * v[i], z[i] += dt * w[i];
    }
    union { double number; unsigned halves[2]; } energy = {0};
    for (int i = 0; i < 3; i++) energy.number += m[i] * (u[i] * u[i] + v[i] * v[i] + w[i] * w[i]);
    return (int)(energy.halves[0] ^ energy.halves[1]);
}
