int main(void) { return min(3, -4) + max(5, 2) * 10 + abs(-6) + abs(7) + max(min(9, 1), -1); }
