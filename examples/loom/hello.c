// A string, character by character.
int main(void) {
    for (const char *p = "Hello, world!\n"; *p; p++) putchar(*p);
    return 0;
}
