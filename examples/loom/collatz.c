// Steps that the number 12 takes to 1: halve what is even, else triple it and add 1.
int start = 12;

int main(void) {
    int steps = 0;
    for (int n = start; n != 1; steps++) n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}
