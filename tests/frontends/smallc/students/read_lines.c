#include <stdio.h>
#include <string.h>

int main(void) {
    char line[32], longest[32] = "";
    int number = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        printf("%2d: %s\n", ++number, line);
        if (strlen(line) > strlen(longest)) strcpy(longest, line);
    }
    fputs("longest: ", stdout);
    puts(longest);
    return number;
}
