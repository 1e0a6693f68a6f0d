#include <stdio.h>
#include <limits.h>

int main(void) {
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d]\n", 42, 42, 42, 42, 42, 42);
    printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d]\n", -42, -42, -42, -42, -42, -42);
    printf("[%u] [%x] [%X] [%o] [%#x] [%08x]\n", 3000000000u, 48879, 48879, 511, 255, 4096);
    printf("[%c] [%3c] [%-3c] [%%]\n", 'a', 'b', 'c');
    printf("[%s] [%8s] [%-8s] [%.2s] [%6.3s]\n", "text", "text", "text", "text", "text");
    printf("[%*d] [%-*d] [%.*s]\n", 6, 7, 6, 7, 2, "xyz");
    printf("[%.3d] [%8.3d] [%-8.4x]\n", 5, -5, 255);
    printf("%d %d %u\n", INT_MAX, INT_MIN, UINT_MAX);
    printf("[%i] [%hd] [%hhd] [%hu]\n", 7, (short)40000, (char)200, (unsigned short)70000);
    printf("[%x] [%d]\n", -1, 'A');
    printf("no arguments, a tab\t\"quotes\" and a backslash \\\n");
    printf("%s%s%s" "\n", "", "joined", " strings");
    printf("%d%%\n%5s|%-6d|\n", 50, "ab", 12);
    return 0;
}
