static int add(int a, int b) { return a + b; }
static int multiply(int a, int b) { return a * b; }
int main(void) {
    int (*table[2])(int, int) = {add, multiply};
    int x = 3, y = 4;
    int *p = &x, **pp = &p;
    int results[2];
    for (int i = 0; i < 2; i++)
        results[i] = table[i](x, y);
    **pp = 10;
    p = &y;
    *p += x;
    return results[0] + results[1] + y;
}
