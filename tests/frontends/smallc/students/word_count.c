#include <ctype.h>
#include <stdio.h>

int main(void) {
    int c, lines = 0, words = 0, bytes = 0, inside = 0, histogram[26] = {0};
    while ((c = getchar()) != EOF) {
        bytes++;
        if (c == '\n') lines++;
        if (isspace(c)) {
            inside = 0;
        } else if (!inside) {
            inside = 1;
            words++;
        }
        if (isalpha(c)) histogram[tolower(c) - 'a']++;
    }
    printf("%d %d %d\n", lines, words, bytes);
    for (int i = 0; i < 26; i++)
        if (histogram[i]) printf("%c: %.*s\n", 'a' + i, histogram[i], "####################");
    return lines;
}
