int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
int main(void) {
    int weekday = 3;
    for (int m = 0; m < 12; m++) {
        putchar('0' + weekday);
        weekday = (weekday + days[m]) % 7;
    }
    return weekday;
}
