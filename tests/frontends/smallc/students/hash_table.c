#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define BUCKETS 7

typedef struct entry {
    char *key;
    int value;
    struct entry *next;
} Entry;

static Entry *table[BUCKETS];

static unsigned hash(const char *key) {
    unsigned h = 5381;
    int c;
    while ((c = *key++)) h = ((h << 5) + h) + c;
    return h % BUCKETS;
}

static Entry *lookup(const char *key, int create) {
    Entry **slot = &table[hash(key)];
    while (*slot) {
        if (strcmp((*slot)->key, key) == 0) return *slot;
        slot = &(*slot)->next;
    }
    if (!create) return NULL;
    *slot = malloc(sizeof **slot);
    (*slot)->key = malloc(strlen(key) + 1);
    strcpy((*slot)->key, key);
    (*slot)->value = 0;
    (*slot)->next = NULL;
    return *slot;
}

int main(void) {
    const char *text[] = {"the", "cat", "and", "the", "dog", "and", "the", "bird"};
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) lookup(text[i], 1)->value++;
    const char *keys[] = {"the", "and", "bird", "fish"};
    for (int i = 0; i < 4; i++) {
        Entry *e = lookup(keys[i], 0);
        printf("%s: %d\n", keys[i], e ? e->value : -1);
    }
    for (int b = 0; b < BUCKETS; b++)
        for (Entry *e = table[b]; e;) {
            Entry *next = e->next;
            free(e->key);
            free(e);
            e = next;
        }
    return 0;
}
