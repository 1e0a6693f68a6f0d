const char names[3][4] = {"one", "two", "six"};
int main(void) {
    for (int i = 2; i >= 0; i--)
        for (int j = 0; names[i][j]; j++) putchar(names[i][j]);
    return names[1][2];
}
