// Long division of whole numbers of any length, as on paper, four digits at a time.
//
//     transputer run examples/programs/division.c [DIVIDEND DIVISOR]

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BASE = 10000, DIGITS = 4, MOST = 250 };

typedef struct {
    int size;
    int part[MOST + 2];  // the lowest first
} Number;

static int read_number(const char *text, Number *number) {
    int length = (int)strlen(text);
    *number = (Number){0};
    if (length == 0 || length > MOST * DIGITS || strspn(text, "0123456789") != (size_t)length)
        return 0;
    for (int end = length; end > 0; end -= DIGITS) {
        int value = 0;
        for (int i = end > DIGITS ? end - DIGITS : 0; i < end; i++) value = value * 10 + text[i] - '0';
        number->part[number->size++] = value;
    }
    while (number->size > 0 && !number->part[number->size - 1]) number->size--;
    return 1;
}

static void print(const char *title, const Number *number) {
    printf("%s%d", title, number->size ? number->part[number->size - 1] : 0);
    for (int i = number->size - 2; i >= 0; i--) printf("%04d", number->part[i]);
    printf("\n");
}

static int scale(Number *number, int by) {
    int carry = 0;
    for (int i = 0; i < number->size; i++) {
        int value = number->part[i] * by + carry;
        number->part[i] = value % BASE;
        carry = value / BASE;
    }
    return carry;
}

static int shrink(Number *number, int by) {
    int rest = 0;
    for (int i = number->size - 1; i >= 0; i--) {
        int value = rest * BASE + number->part[i];
        number->part[i] = value / by;
        rest = value % by;
    }
    while (number->size > 0 && !number->part[number->size - 1]) number->size--;
    return rest;
}

// The part of the quotient at `at`; what it takes is taken from the remainder.
static int divide_step(Number *left, const Number *by, int at) {
    int high = left->part[at + by->size], n = by->size;
    int guess = (high * BASE + left->part[at + n - 1]) / by->part[n - 1];
    if (guess >= BASE) guess = BASE - 1;
    int borrow = 0;
    for (int i = 0; i < n; i++) {
        int value = left->part[at + i] - borrow - guess * by->part[i];
        borrow = (BASE - 1 - value) / BASE;
        left->part[at + i] = value + borrow * BASE;
    }
    left->part[at + n] = high - borrow;
    while (left->part[at + n] < 0) {  // the guess was one or two too large
        int carry = 0;
        guess--;
        for (int i = 0; i < n; i++) {
            int value = left->part[at + i] + by->part[i] + carry;
            carry = value >= BASE;
            left->part[at + i] = value - carry * BASE;
        }
        left->part[at + n] += carry;
    }
    return guess;
}

int main(int argc, char **argv) {
    const char *first = argc > 2 ? argv[1]  // 2^521 - 1, and 2^127 - 1
        : "6864797660130609714981900799081393217269435300143305409394463459185543183397656052122559"
          "640661454554977296311391480858037121987999716643812574028291115057151";
    const char *second = argc > 2 ? argv[2] : "170141183460469231731687303715884105727";
    static Number left, by, quotient;
    if (!read_number(first, &left) || !read_number(second, &by) || by.size == 0) {
        fprintf(stderr, "two whole numbers, please, of at most %d digits\n", MOST * DIGITS);
        return 2;
    }
    print("dividend  ", &left);
    print("divisor   ", &by);
    // with the divisor's first part at least half the base, guesses are at most two too large
    int factor = BASE / (by.part[by.size - 1] + 1);
    scale(&by, factor);
    left.part[left.size] = scale(&left, factor);
    left.size++;
    quotient.size = left.size > by.size ? left.size - by.size : 0;
    for (int at = quotient.size - 1; at >= 0; at--) quotient.part[at] = divide_step(&left, &by, at);
    while (quotient.size > 0 && !quotient.part[quotient.size - 1]) quotient.size--;
    shrink(&left, factor);
    print("quotient  ", &quotient);
    print("remainder ", &left);
    return 0;
}
