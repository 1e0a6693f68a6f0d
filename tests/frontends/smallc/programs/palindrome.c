char a[] = "racecar", b[] = "racers";
int palindrome(char *s) {
    int n = 0;
    while (s[n]) n++;
    for (int i = 0, j = n - 1; i < j; i++, j--)
        if (s[i] != s[j]) return 0;
    return 1;
}
int main(void) { return palindrome(a) * 10 + palindrome(b); }
