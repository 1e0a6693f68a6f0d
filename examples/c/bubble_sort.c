// Sort ten numbers with bubble sort.
//
//     transputer run examples/c/bubble_sort.c --invoke bubble_sort 0
//
// prints 3, the smallest; an argument of 9 gives 96, the largest, and the others lie between:
// 3 8 15 23 27 42 55 61 70 96. An argument outside 0 to 9 gives -1.

static int numbers[10];

static void fill(void) {
    numbers[0] = 42;
    numbers[1] = 8;
    numbers[2] = 70;
    numbers[3] = 15;
    numbers[4] = 96;
    numbers[5] = 3;
    numbers[6] = 61;
    numbers[7] = 23;
    numbers[8] = 55;
    numbers[9] = 27;
}

int bubble_sort(int place) {
    if (place < 0 || place > 9) return -1;
    fill();
    for (int end = 9; end > 0; end = end - 1) {
        for (int i = 0; i < end; i = i + 1) {
            if (numbers[i] > numbers[i + 1]) {
                int larger = numbers[i];
                numbers[i] = numbers[i + 1];
                numbers[i + 1] = larger;
            }
        }
    }
    return numbers[place];
}
