// The towers of Hanoi, five discs: every move is put out.
int moves;

void move(int discs, char from, char to, char over) {
    if (discs == 0) return;
    move(discs - 1, from, over, to);
    putchar(from);
    putchar(to);
    moves++;
    move(discs - 1, over, to, from);
}

int main(void) {
    move(5, 'A', 'C', 'B');
    return moves;
}
