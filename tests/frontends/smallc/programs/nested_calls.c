int add(int a, int b) { return a + b; }
int twice(int x) { return add(x, x); }
int main(void) { return add(twice(3), add(twice(add(1, 2)), twice(twice(4)))) - add(add(1, 2), 3); }
