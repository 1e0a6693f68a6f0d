int next[8], value[8], used = 1;
int push(int list, int x) {
    value[used] = x;
    next[used] = list;
    return used++;
}
int main(void) {
    int list = 0, sum = 0;
    for (int i = 1; i < 6; i++) list = push(list, i * i);
    for (int p = list; p; p = next[p]) {
        putchar(value[p]);
        sum += value[p];
    }
    return sum;
}
