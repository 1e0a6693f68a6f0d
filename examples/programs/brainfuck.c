// A Brainfuck interpreter: the program is the argument, its input standard input.
//
//     transputer run examples/programs/brainfuck.c '++++++++[>++++++++<-]>+.' < /dev/null

#include <stdio.h>
#include <string.h>

enum { TAPE = 30000, LONGEST = 10000 };

static unsigned char tape[TAPE];
static int partner[LONGEST];

// Where each bracket's partner is; 0 if one has none.
static int match(const char *code, int length) {
    int open[LONGEST], depth = 0;
    for (int i = 0; i < length; i++) {
        if (code[i] == '[') open[depth++] = i;
        if (code[i] != ']') continue;
        if (depth == 0) return 0;
        partner[i] = open[--depth];
        partner[partner[i]] = i;
    }
    return depth == 0;
}

int main(int argc, char **argv) {
    const char *code = argc > 1 ? argv[1]
        // 26, then 65, then so many letters from there on
        : "+++++[>+++++<-]>+ >++++++++[>++++++++<-]>+ <<[>>.+<<-] ++++++++++.";
    int length = (int)strlen(code), at = 0, c;
    if (length > LONGEST || !match(code, length)) {
        fprintf(stderr, "brackets do not match\n");
        return 2;
    }
    for (int i = 0; i < length; i++) {
        switch (code[i]) {
            case '>': at = at + 1 == TAPE ? 0 : at + 1; break;
            case '<': at = at == 0 ? TAPE - 1 : at - 1; break;
            case '+': tape[at]++; break;
            case '-': tape[at]--; break;
            case '.': putchar(tape[at]); break;
            case ',': if ((c = getchar()) != EOF) tape[at] = (unsigned char)c; break;
            case '[': if (!tape[at]) i = partner[i]; break;
            case ']': if (tape[at]) i = partner[i]; break;
        }
    }
    return 0;
}
