struct flags { unsigned a : 3; int b : 5; unsigned c : 24; };
union number { int i; float f; short halves[2]; };
struct box { union number n; struct { short x, y; } at; long long big; };
int main(void) {
    struct flags f = {5, -3, 70000};
    union number n = {.f = 1.0f};
    struct box b = {{42}, {-1, 2}, -5000000000LL};
    f.b = f.b + 1;
    b.at.x = f.a;
    b.n = n;
    return f.b + b.at.x;
}
