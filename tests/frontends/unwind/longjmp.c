#include <setjmp.h>
#include <stdio.h>
static jmp_buf outer, inner;
static int depth;
static void deep(int n, int v) { if (n == 0) longjmp(v & 1 ? inner : outer, v); depth++; deep(n - 1, v); depth--; printf("not here\n"); }
static int (*volatile call)(int);
static int through(int v) { deep(3, v); return 0; }
int main(void) {
  volatile int count = 0;
  int r = setjmp(outer);
  printf("outer %d count %d\n", r, count);
  if (r == 4) { longjmp(outer, 0); }
  if (r == 1) { puts("done"); return 7; }
  count++;
  int s = setjmp(inner);
  printf("inner %d count %d\n", s, count);
  if (s == 0) { call = through; count += 10; call(3); }
  if (s == 3) { count += 100; deep(50, 5); }
  if (s == 5) deep(10, 4);
  return 1;
}
