// Strings: the longest word of a line, upper case, a line turned round.

int putchar(int c);

char *lines[] = {
    "a machine that runs its own compiler",
    "pack my box with five dozen liquor jugs",
    "\"tabs\tand 'quotes' \\ survive\", na\303\257ve \1411 too"
};

void print(char *text) {
    while (*text) putchar(*text++);
    putchar('\n');
}

int length_of(char *text) {
    char *end = text;
    while (*end) end++;
    return end - text;
}

int is_letter(char c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
}

char *longest(char *text, int *length) {
    char *found = text, *start;
    *length = 0;
    while (*text) {
        while (*text && !is_letter(*text)) text++;
        start = text;
        while (is_letter(*text)) text++;
        if (text - start > *length) {
            *length = text - start;
            found = start;
        }
    }
    return found;
}

void turn_round(char *to, char *from) {
    int n = length_of(from), i;
    for (i = 0; i < n; i++) to[i] = from[n - 1 - i];
    to[n] = 0;
}

int main(void) {
    char buffer[64], *at;
    int i, n;
    for (i = 0; i < 3; i++) {
        print(lines[i]);
        at = longest(lines[i], &n);
        while (n--) {
            putchar(*at >= 'a' ? *at - 'a' + 'A' : *at);
            at++;
        }
        putchar('\n');
        turn_round(buffer, lines[i]);
        print(buffer);
    }
    return 0;
}
