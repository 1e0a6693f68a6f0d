#include <stdio.h>
#include <string.h>

int main(void) {
    char line[40], all[100] = "";
    for (int i = 1; i <= 3; i++) {
        int n = sprintf(line, "%d^2=%d;", i * 3, i * i * 9);
        strcat(all, line);
        printf("%d %s\n", n, line);
    }
    printf("%s\n", all);
    int wanted = snprintf(line, 8, "truncated %05d", 42);
    printf("[%s] %d\n", line, wanted);
    char hex[9];
    sprintf(hex, "%08X", 0xC0FFEEu);
    puts(hex);
    return strlen(all);
}
