int name(int x) {
    switch (x) {
    case 0: return 5;
    case 1:
    case 3: x += 10;
    case 4: x++; break;
    case -2: { int y = x * 2; return y; }
    default: return 100;
    }
    return x;
}
int main(void) {
    for (int i = -3; i < 7; i++) putchar(name(i));
    return name(3);
}
