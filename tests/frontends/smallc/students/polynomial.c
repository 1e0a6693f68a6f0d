#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    size_t degree;
    int coefficients[];
} Polynomial;

static Polynomial *make(size_t degree) {
    Polynomial *p = malloc(sizeof(Polynomial) + (degree + 1) * sizeof(int));
    p->degree = degree;
    memset(p->coefficients, 0, (degree + 1) * sizeof(int));
    return p;
}
static Polynomial *multiply(const Polynomial *a, const Polynomial *b) {
    Polynomial *p = make(a->degree + b->degree);
    for (size_t i = 0; i <= a->degree; i++)
        for (size_t j = 0; j <= b->degree; j++)
            p->coefficients[i + j] += a->coefficients[i] * b->coefficients[j];
    return p;
}
static int evaluate(const Polynomial *p, int x) {
    int value = 0;
    for (size_t i = p->degree + 1; i-- > 0;) value = value * x + p->coefficients[i];
    return value;
}

int main(void) {
    Polynomial *p = make(1);
    p->coefficients[0] = -1;
    p->coefficients[1] = 1;
    Polynomial *q = p;
    for (int i = 0; i < 4; i++) {
        Polynomial *r = multiply(q, p);
        if (q != p) free(q);
        q = r;
    }
    for (size_t i = 0; i <= q->degree; i++) printf("%+d ", q->coefficients[i]);
    printf("\n%d %d\n", evaluate(q, 3), evaluate(q, -1));
    free(q);
    free(p);
    return 0;
}
