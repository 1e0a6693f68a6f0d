#include <stdio.h>
#include <stdbool.h>
#define LIMIT 60

int main(int argc, char *argv[]) {
    for (int i = 1; i <= 15; i++) {
        if (i % 15 == 0) printf("FizzBuzz");
        else if (i % 5 == 0) printf("Buzz");
        else if (i % 3 == 0) printf("Fizz");
        else printf("%d", i);
        printf(i < 15 ? "," : "\n");
    }
    bool composite[LIMIT + 1] = {false};
    for (int i = 2; i * i <= LIMIT; i++)
        if (!composite[i])
            for (int j = i * i; j <= LIMIT; j += i) composite[j] = true;
    for (int i = 2; i <= LIMIT; i++)
        if (!composite[i]) printf("%d ", i);
    printf("\n");
    int rows = 4;
    for (int i = 1; i <= rows; i++) {
        for (int s = 0; s < rows - i; s++) putchar(' ');
        for (int s = 0; s < 2 * i - 1; s++) putchar('*');
        putchar('\n');
    }
    return argc;
}
