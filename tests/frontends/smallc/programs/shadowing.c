int x = 1;
int main(void) {
    int s = x;
    int x = 2;
    { int x = 3; s = s * 2 + x; { int x = 4; s = s * 2 + x; } s += x; }
    for (int x = 0; x < 2; x++) { int s = 50; s++; }
    return s * 2 + x;
}
