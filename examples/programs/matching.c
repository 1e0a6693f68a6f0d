// Give each of N workers one of N tasks so that the total cost is least: the Hungarian method.
//
//     transputer run examples/programs/matching.c [N] [SEED]
//
// A price for each worker and each task is kept so that no pair costs less than its prices
// together. Workers come in one by one; each looks for the cheapest way to a free task along
// pairs that cost exactly their prices, which are raised where there is no such way.

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 30 };

static int cost[MOST + 1][MOST + 1];
static int worker_price[MOST + 1], task_price[MOST + 1];
static int worker_of[MOST + 1];  // of each task, from 1 on; 0 is nobody

static void place(int worker, int n) {
    int slack[MOST + 1], before[MOST + 1], seen[MOST + 1] = {0}, task = 0;
    for (int t = 0; t <= n; t++) slack[t] = INT_MAX;
    worker_of[0] = worker;
    do {
        int from = worker_of[task], least = INT_MAX, next = 0;
        seen[task] = 1;
        for (int t = 1; t <= n; t++) {
            if (seen[t]) continue;
            int over = cost[from][t] - worker_price[from] - task_price[t];
            if (over < slack[t]) {
                slack[t] = over;
                before[t] = task;
            }
            if (slack[t] < least) {
                least = slack[t];
                next = t;
            }
        }
        for (int t = 0; t <= n; t++) {
            if (seen[t]) {
                worker_price[worker_of[t]] += least;
                task_price[t] -= least;
            } else {
                slack[t] -= least;
            }
        }
        task = next;
    } while (worker_of[task]);
    for (; task; task = before[task]) worker_of[task] = worker_of[before[task]];
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 8, total = 0, task_of[MOST + 1];
    unsigned state = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
    if (n < 1 || n > MOST) return 1;
    for (int w = 1; w <= n; w++)
        for (int t = 1; t <= n; t++) {
            state = state * 1664525 + 1013904223;
            cost[w][t] = (int)(state >> 24) % 90 + 10;
        }
    for (int w = 1; w <= n; w++) place(w, n);
    for (int t = 1; t <= n; t++) task_of[worker_of[t]] = t;
    for (int w = 1; w <= n; w++) {
        for (int t = 1; t <= n; t++) printf(t == task_of[w] ? "[%d]" : " %d ", cost[w][t]);
        printf("\n");
        total += cost[w][task_of[w]];
    }
    printf("least total cost: %d\n", total);
    return 0;
}
