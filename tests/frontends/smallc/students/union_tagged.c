#include <stdio.h>

enum kind { NUMBER, LETTER, TEXT };

struct value {
    enum kind kind;
    union {
        int number;
        char letter;
        const char *text;
    } as;
};

void show(const struct value *v) {
    switch (v->kind) {
    case NUMBER:
        printf("number %d\n", v->as.number);
        break;
    case LETTER:
        printf("letter %c\n", v->as.letter);
        break;
    case TEXT:
        printf("text %s\n", v->as.text);
        break;
    }
}

union word {
    unsigned all;
    unsigned char low;
    short half;
};

int main(void) {
    struct value values[3];
    values[0].kind = NUMBER;
    values[0].as.number = -12;
    values[1].kind = LETTER;
    values[1].as.letter = 'q';
    values[2] = (struct value){TEXT, {.text = "union"}};
    for (int i = 0; i < 3; i++) show(&values[i]);
    union word w;
    w.all = 0x12348765;
    printf("%x %d %u\n", w.low, w.half, (unsigned)sizeof w);
    w.low = 0xff;
    printf("%x\n", w.all);
    return 0;
}
