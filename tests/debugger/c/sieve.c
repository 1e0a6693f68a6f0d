#define SIZE 30
static unsigned char composite[SIZE];
int main(void) {
    int count = 0;
    for (int i = 2; i < SIZE; i++) {
        if (composite[i])
            continue;
        count++;
        for (int j = i * i; j < SIZE; j += i)
            composite[j] = 1;
    }
    return count;
}
