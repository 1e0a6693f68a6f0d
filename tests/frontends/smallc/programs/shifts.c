int n = 3, x = 5, y = -100;
unsigned u = 100;
int main(void) { return (x << n) + (y >> n) + (u >> n) + (1 << (n + 1)) + (y >> 6); }
