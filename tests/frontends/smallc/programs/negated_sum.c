int a = 30, b = 12;
int main(void) { return -(a + b); }
