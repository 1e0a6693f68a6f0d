// The sun and its four large planets, moved by their gravity; the energy stays (nearly) the same.
//
//     transputer run examples/programs/nbody.c [STEPS]
//
// Distances in astronomical units, times in years, masses in suns times 4 pi^2.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BODIES = 5 };
static const double PI = 3.141592653589793, YEAR = 365.24;

typedef struct {
    double at[3], speed[3], mass;
} Body;

// Sun, Jupiter, Saturn, Uranus, Neptune: place, speed per day, mass in suns.
static Body body[BODIES] = {
    {{0, 0, 0}, {0, 0, 0}, 1},
    {{4.84143144246472090e+00, -1.16032004402742839e+00, -1.03622044471123109e-01},
     {1.66007664274403694e-03, 7.69901118419740425e-03, -6.90460016972063023e-05},
     9.54791938424326609e-04},
    {{8.34336671824457987e+00, 4.12479856412430479e+00, -4.03523417114321381e-01},
     {-2.76742510726411899e-03, 4.99852801234917238e-03, 2.30417297573763929e-05},
     2.85885980666130812e-04},
    {{1.28943695621391310e+01, -1.51111514016986312e+01, -2.23307578892655734e-01},
     {2.96460137564761618e-03, 2.37847173959480950e-03, -2.96589568540237556e-05},
     4.36624404335156298e-05},
    {{1.53796971148509165e+01, -2.59193146099879641e+01, 1.79258772950371181e-01},
     {2.68067772490389322e-03, 1.62824170038242295e-03, -9.51592254519715870e-05},
     5.15138902046611451e-05},
};

static void prepare(void) {
    for (int i = 0; i < BODIES; i++) {
        body[i].mass *= 4 * PI * PI;
        for (int d = 0; d < 3; d++) body[i].speed[d] *= YEAR;
    }
    for (int i = 1; i < BODIES; i++)  // the whole does not move
        for (int d = 0; d < 3; d++)
            body[0].speed[d] -= body[i].speed[d] * body[i].mass / body[0].mass;
}

static double distance(const Body *a, const Body *b, double *apart) {
    for (int d = 0; d < 3; d++) apart[d] = a->at[d] - b->at[d];
    return apart[0] * apart[0] + apart[1] * apart[1] + apart[2] * apart[2];
}

static double energy(void) {
    double sum = 0, apart[3];
    for (int i = 0; i < BODIES; i++) {
        const double *v = body[i].speed;
        sum += 0.5 * body[i].mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (int j = i + 1; j < BODIES; j++)
            sum -= body[i].mass * body[j].mass / sqrt(distance(&body[i], &body[j], apart));
    }
    return sum;
}

static void advance(double time) {
    for (int i = 0; i < BODIES; i++)
        for (int j = i + 1; j < BODIES; j++) {
            double apart[3], square = distance(&body[i], &body[j], apart);
            double pull = time / (square * sqrt(square));
            for (int d = 0; d < 3; d++) {
                body[i].speed[d] -= apart[d] * body[j].mass * pull;
                body[j].speed[d] += apart[d] * body[i].mass * pull;
            }
        }
    for (int i = 0; i < BODIES; i++)
        for (int d = 0; d < 3; d++) body[i].at[d] += time * body[i].speed[d];
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? atoi(argv[1]) : 20;
    prepare();
    printf("%.9f\n", energy());
    for (int i = 0; i < steps; i++) advance(0.01);
    printf("%.9f\n", energy());
    return 0;
}
