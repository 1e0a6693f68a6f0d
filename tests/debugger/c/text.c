#include <string.h>
struct person { char name[12]; const char *title; unsigned char age; };
static int vowels(const char *text) {
    int count = 0;
    for (; *text; text++)
        if (strchr("aeiou", *text))
            count++;
    return count;
}
int main(void) {
    struct person p = {"Ada", "Countess\tof \"L\"", 36};
    char buffer[20] = "start";
    strcat(buffer, "-end");
    char letter = buffer[1];
    int total = vowels(p.name) + vowels(p.title);
    return total + letter;
}
