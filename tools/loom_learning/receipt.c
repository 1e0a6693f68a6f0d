// Sorts three digits and adds them up.
int digits[3], total;

int main(void) {
    if (digits[0] > digits[1]) swap(digits[0], digits[1]);
    if (digits[1] > digits[2]) swap(digits[1], digits[2]);
    if (digits[0] > digits[1]) swap(digits[0], digits[1]);
    total = digits[0] + digits[1] + digits[2];
    return total;
}
