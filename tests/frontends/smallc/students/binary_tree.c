#include <stdio.h>
#include <stdlib.h>

struct tree { int key; struct tree *left, *right; };

struct tree *insert(struct tree *t, int key) {
    if (!t) {
        t = calloc(1, sizeof *t);
        t->key = key;
    } else if (key < t->key) {
        t->left = insert(t->left, key);
    } else if (key > t->key) {
        t->right = insert(t->right, key);
    }
    return t;
}

void in_order(struct tree *t, void (*visit)(int)) {
    if (!t) return;
    in_order(t->left, visit);
    visit(t->key);
    in_order(t->right, visit);
}

int height(struct tree *t) {
    if (!t) return 0;
    int l = height(t->left), r = height(t->right);
    return 1 + (l > r ? l : r);
}

static int total;
static void print(int key) { printf("%d ", key); }
static void add(int key) { total += key; }

int main(void) {
    int keys[] = {50, 30, 70, 20, 40, 60, 80, 35, 45, 65, 30};
    struct tree *root = NULL;
    for (unsigned i = 0; i < sizeof keys / sizeof keys[0]; i++) root = insert(root, keys[i]);
    in_order(root, print);
    putchar('\n');
    in_order(root, &add);
    printf("sum %d height %d\n", total, height(root));
    return height(root);
}
