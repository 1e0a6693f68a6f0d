#include <stdlib.h>
struct node { int value; struct node *next; };
typedef struct node node;
static node *push(node *head, int value) {
    node *fresh = malloc(sizeof *fresh);
    fresh->value = value;
    fresh->next = head;
    return fresh;
}
int main(void) {
    node *head = 0;
    int sum = 0;
    for (int i = 1; i <= 4; i++)
        head = push(head, i * i);
    for (node *at = head; at; at = at->next)
        sum += at->value;
    return sum;
}
