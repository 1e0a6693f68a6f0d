int counter = 100;
static int bump(int counter) {
    static int calls;
    calls++;
    {
        int counter = calls * 2;
        calls += counter;
    }
    return counter + calls;
}
int main(void) {
    int a = bump(1);
    int b = bump(2);
    counter = a + b;
    return counter;
}
