int x = 3, y = 8, r[10];
int main(void) {
    r[0] = x < y; r[1] = x > y; r[2] = x == y; r[3] = x != y; r[4] = x <= 3; r[5] = y >= 9;
    r[6] = !x; r[7] = !(x - 3); r[8] = x && y - 8; r[9] = x - 3 || y;
    return r[0] + 2 * r[4] + 4 * r[9];
}
