#include <ctype.h>
#include <stdio.h>

static const char *at;
static int expression(void);

static int factor(void) {
    int value = 0;
    while (*at == ' ') at++;
    if (*at == '-') {
        at++;
        return -factor();
    }
    if (*at == '(') {
        at++;
        value = expression();
        at++;
        return value;
    }
    while (isdigit(*at)) value = value * 10 + (*at++ - '0');
    while (*at == ' ') at++;
    return value;
}

static int term(void) {
    int value = factor();
    for (;;) {
        if (*at == '*') {
            at++;
            value *= factor();
        } else if (*at == '/') {
            at++;
            int d = factor();
            value = d ? value / d : 0;
        } else {
            return value;
        }
    }
}

static int expression(void) {
    int value = term();
    while (*at == '+' || *at == '-') {
        char op = *at++;
        int right = term();
        value = op == '+' ? value + right : value - right;
    }
    return value;
}

int main(void) {
    const char *tests[] = {"1 + 2 * 3", "(1+2)*3", "100/7 - -4", "2*(3+4)*(5-6)", "((7))"};
    for (int i = 0; i < (int)(sizeof tests / sizeof *tests); i++) {
        at = tests[i];
        printf("%s = %d\n", tests[i], expression());
    }
    return 0;
}
