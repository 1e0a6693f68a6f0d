#include <stdio.h>
#include <string.h>
#include <ctype.h>
#include <stdlib.h>

int main(void) {
    char buffer[64];
    strcpy(buffer, "The quick");
    strcat(buffer, " brown fox");
    printf("%s (%zu)\n", buffer, strlen(buffer));
    printf("%d %d %d\n", strcmp("apple", "apple"), strcmp("apple", "banana") < 0,
           strncmp("apple", "apply", 4));
    printf("%s|%s|%s\n", strchr(buffer, 'q'), strrchr(buffer, 'o'), strstr(buffer, "own"));
    printf("%d\n", strchr(buffer, 'z') == NULL);
    char copy[8];
    strncpy(copy, "abcdefghij", 7);
    copy[7] = '\0';
    puts(copy);
    for (char *p = buffer; *p; p++) *p = toupper((unsigned char)*p);
    puts(buffer);
    char line[] = "one, two,,three ;four";
    for (char *word = strtok(line, ", ;"); word != NULL; word = strtok(NULL, ", ;"))
        printf("<%s>", word);
    putchar('\n');
    printf("%d %d %d\n", atoi("  -123abc"), atoi("42"), atoi("x"));
    int digits = 0, spaces = 0, letters = 0, marks = 0;
    for (const char *s = "C11, in 2 lines: 3+4 = 7!"; *s; s++) {
        if (isdigit(*s)) digits++;
        else if (isspace(*s)) spaces++;
        else if (isalpha(*s)) letters++;
        else if (ispunct(*s)) marks++;
    }
    printf("%d %d %d %d\n", digits, spaces, letters, marks);
    char *twin = strdup("duplicate");
    twin[0] = 'D';
    printf("%s %lu\n", twin, strspn("1234x", "0123456789"));
    free(twin);
    return 0;
}
