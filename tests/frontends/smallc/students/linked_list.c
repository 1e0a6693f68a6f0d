#include <stdio.h>
#include <stdlib.h>

typedef struct node {
    int value;
    struct node *next;
} Node;

Node *push(Node *head, int value) {
    Node *n = malloc(sizeof(Node));
    if (n == NULL) {
        printf("out of memory\n");
        exit(1);
    }
    n->value = value;
    n->next = head;
    return n;
}

Node *reverse(Node *head) {
    Node *done = NULL;
    while (head) {
        Node *next = head->next;
        head->next = done;
        done = head;
        head = next;
    }
    return done;
}

int length(const Node *n) { return n ? 1 + length(n->next) : 0; }

void show(const Node *n) {
    for (; n != NULL; n = n->next) printf("%d%s", n->value, n->next ? " -> " : "\n");
}

void delete_value(Node **head, int value) {
    while (*head && (*head)->value != value) head = &(*head)->next;
    if (*head) {
        Node *gone = *head;
        *head = gone->next;
        free(gone);
    }
}

int main(void) {
    Node *list = NULL;
    for (int i = 1; i <= 10; i++) list = push(list, i * i);
    show(list);
    list = reverse(list);
    delete_value(&list, 25);
    delete_value(&list, 1);
    delete_value(&list, 7);
    show(list);
    printf("length %d\n", length(list));
    while (list) {
        Node *next = list->next;
        free(list);
        list = next;
    }
    return list == NULL ? 0 : 1;
}
