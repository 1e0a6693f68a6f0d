// The greatest common divisor by subtraction.
int a = 84, b = 36;

int main(void) {
    while (a != b)
        if (a > b) a -= b;
        else b -= a;
    return a;
}
