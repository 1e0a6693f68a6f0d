int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }
int main(void) { return gcd(105, 77); }
