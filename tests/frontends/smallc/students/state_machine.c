#include <stdio.h>
#include <ctype.h>

typedef enum { START, NUMBER, WORD, ERROR, STATES } State;
typedef State (*Handler)(int c);

static State start(int c) { return isdigit(c) ? NUMBER : isalpha(c) ? WORD : c == ' ' ? START : ERROR; }
static State number(int c) { return isdigit(c) ? NUMBER : c == ' ' ? START : ERROR; }
static State word(int c) { return isalnum(c) ? WORD : c == ' ' ? START : ERROR; }
static State error(int c) { return c == ' ' ? START : ERROR; }

static const Handler handlers[STATES] = {[WORD] = word, [START] = start, [ERROR] = error, [NUMBER] = number};
static const char *const names[] = {"start", "number", "word", "error"};

int main(void) {
    int seen[STATES] = {0};
    State state = START;
    for (const char *p = "abc 123 a1 1a x ? 42"; *p; p++) {
        State next = handlers[state](*p);
        if (next != state) seen[next]++;
        state = next;
    }
    for (int i = 0; i < STATES; i++) printf("%s=%d\n", names[i], seen[i]);
    return seen[WORD] * 10 + seen[NUMBER];
}
