#include <stdio.h>
#include <string.h>

static int count;

static void swap(char *a, char *b) {
    char t = *a;
    *a = *b;
    *b = t;
}

static void permute(char *s, int left, int right) {
    if (left == right) {
        printf("%s%c", s, ++count % 6 ? ' ' : '\n');
        return;
    }
    for (int i = left; i <= right; i++) {
        swap(s + left, s + i);
        permute(s, left + 1, right);
        swap(s + left, s + i);
    }
}

int main(void) {
    char word[] = "abcd";
    permute(word, 0, strlen(word) - 1);
    return count;
}
