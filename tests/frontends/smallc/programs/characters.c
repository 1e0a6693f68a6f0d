char text[] = "loOm";
int main(void) {
    int n = 0;
    for (int i = 0; text[i]; i++) {
        char c = text[i];
        if (c >= 'a' && c <= 'z') c -= 'a' - 'A';
        else n++;
        putchar(c);
    }
    return n;
}
