// Flood fill of a picture of 8 x 8 from one cell, with a stack of cells to visit.
int picture[64] = {
    0, 0, 0, 1, 0, 0, 0, 0,
    0, 1, 0, 1, 0, 1, 1, 0,
    0, 1, 0, 0, 0, 1, 0, 0,
    0, 1, 1, 1, 1, 1, 0, 0,
    0, 0, 0, 0, 0, 1, 0, 0,
    1, 1, 1, 1, 0, 1, 0, 0,
    0, 0, 0, 1, 0, 1, 1, 1,
    0, 0, 0, 1, 0, 0, 0, 0,
};
static int stack[48];

int main(void) {
    int top = 0, filled = 0;
    stack[top++] = 0;
    while (top) {
        int cell = stack[--top];
        if (picture[cell]) continue;
        picture[cell] = 2;
        filled++;
        if (cell & 7) stack[top++] = cell - 1;
        if ((cell & 7) != 7) stack[top++] = cell + 1;
        if (cell >= 8) stack[top++] = cell - 8;
        if (cell < 56) stack[top++] = cell + 8;
    }
    return filled;
}
