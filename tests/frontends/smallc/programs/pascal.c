int row[8] = {1};
int main(void) {
    for (int n = 1; n < 8; n++)
        for (int k = n; k > 0; k--) row[k] += row[k - 1];
    return row[3];
}
