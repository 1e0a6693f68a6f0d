#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#define CAPACITY 8

typedef struct stack { int data[CAPACITY]; int top; } Stack;
typedef struct queue { int data[CAPACITY]; int head, count; } Queue;

bool push(Stack *s, int x) {
    if (s->top == CAPACITY) return false;
    s->data[s->top++] = x;
    return true;
}
int pop(Stack *s) {
    assert(s->top > 0);
    return s->data[--s->top];
}
bool enqueue(Queue *q, int x) {
    if (q->count == CAPACITY) return false;
    q->data[(q->head + q->count++) % CAPACITY] = x;
    return true;
}
int dequeue(Queue *q) {
    assert(q->count > 0);
    int x = q->data[q->head];
    q->head = (q->head + 1) % CAPACITY;
    q->count--;
    return x;
}
bool balanced(const char *s) {
    Stack open = {.top = 0};
    for (; *s; s++) {
        if (*s == '(' || *s == '[') push(&open, *s);
        if (*s == ')' || *s == ']') {
            if (open.top == 0 || pop(&open) != (*s == ')' ? '(' : '[')) return false;
        }
    }
    return open.top == 0;
}

int main(void) {
    Stack s = {{0}, 0};
    Queue q = {.head = 0, .count = 0};
    for (int i = 0; i < 10; i++) printf("%d%d ", push(&s, i), enqueue(&q, i * i));
    printf("\n");
    while (s.top) printf("%d ", pop(&s));
    int oldest = dequeue(&q);
    printf("\n%d %d\n", oldest, dequeue(&q));
    enqueue(&q, 1000);
    while (q.count) printf("%d ", dequeue(&q));
    printf("\n%d %d %d\n", balanced("([])()"), balanced("([)]"), balanced("(("));
    return 0;
}
