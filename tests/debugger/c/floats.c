static double mean(const double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i];
    return sum / count;
}
int main(void) {
    double values[4] = {1.5, -2.25, 1e10, 0.1};
    float small = 0.1f;
    double average = mean(values, 4);
    small = small * 3;
    return average > small;
}
