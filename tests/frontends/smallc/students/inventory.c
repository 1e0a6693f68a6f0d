#include <stdio.h>
#include <string.h>

typedef unsigned char byte;
typedef struct { char code[4]; byte stock; unsigned short price; } Item;
typedef struct { Item items[4]; int count; } Store;

static int find(const Store *s, const char *code) {
    for (int i = 0; i < s->count; i++)
        if (!strcmp(s->items[i].code, code)) return i;
    return -1;
}
static Store restock(Store s, byte by) {
    for (int i = 0; i < s.count; i++) s.items[i].stock += by;
    return s;
}

int main(void) {
    Store store = {{{"pen", 250, 120}, {"cup", 3, 65000}, {"ink", 0, 999}}, 3};
    Store more = restock(store, 10);
    for (int i = 0; i < more.count; i++)
        printf("%s %3u -> %3u at %u.%02u\n", more.items[i].code, store.items[i].stock,
               more.items[i].stock, more.items[i].price / 100, more.items[i].price % 100);
    more.items[1].price += 1000;
    int at = find(&more, "cup"), none = find(&more, "hat");
    printf("%d %d %u %d\n", at, none, more.items[at].price, (int)sizeof(Item));
    unsigned total = 0;
    for (const Item *p = more.items; p < more.items + more.count; ++p) total += p->stock * p->price;
    printf("%u\n", total);
    return (int)sizeof(Store);
}
