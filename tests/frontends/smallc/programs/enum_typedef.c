typedef unsigned char byte;
enum colour { RED = 2, GREEN, BLUE = 8 };
byte pick(enum colour c) { return c * 2; }
int main(void) { return pick(GREEN) + BLUE; }
