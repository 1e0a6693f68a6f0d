#include <stdio.h>

int length(const char *s) {
    int n = 0;
    while (s[n] != '\0') n++;
    return n;
}

void reverse(char s[]) {
    for (int i = 0, j = length(s) - 1; i < j; i++, j--) {
        char t = s[i];
        s[i] = s[j];
        s[j] = t;
    }
}

int palindrome(const char *s) {
    const char *e = s + length(s) - 1;
    while (s < e)
        if (*s++ != *e--) return 0;
    return 1;
}

int count_vowels(const char *s) {
    int count = 0;
    for (; *s; s++) switch (*s) {
        case 'a': case 'e': case 'i': case 'o': case 'u': count++;
        }
    return count;
}

void caesar(char *s, int shift) {
    for (; *s; s++)
        if (*s >= 'a' && *s <= 'z') *s = 'a' + (*s - 'a' + shift + 26) % 26;
}

int main(void) {
    char text[] = "hello, world", other[20] = "level";
    reverse(text);
    printf("%s %d\n", text, length(text));
    printf("%d %d\n", palindrome(other), palindrome(text));
    printf("%d\n", count_vowels("education is everything"));
    caesar(text, 3);
    printf("%s\n", text);
    caesar(text, -3);
    puts(text);
    return 0;
}
