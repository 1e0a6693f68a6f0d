#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define MAX_ACCOUNTS 5

typedef struct account {
    char owner[20];
    int balance;
    struct { int count; int amounts[4]; } history;
} Account;

static Account accounts[MAX_ACCOUNTS];
static int used = 0;

Account *open_account(const char *owner, int deposit) {
    if (used >= MAX_ACCOUNTS) return NULL;
    Account *a = &accounts[used++];
    strncpy(a->owner, owner, sizeof(a->owner) - 1);
    a->owner[sizeof(a->owner) - 1] = '\0';
    a->balance = deposit;
    a->history.count = 0;
    return a;
}

int transfer(Account *from, Account *to, int amount) {
    if (!from || !to) return -1;
    if (amount <= 0 || from->balance < amount) return -2;
    from->balance -= amount;
    to->balance += amount;
    from->history.amounts[from->history.count++ % 4] = -amount;
    to->history.amounts[to->history.count++ % 4] = amount;
    return 0;
}

int main(void) {
    Account *a = open_account("Ada", 1000), *b = open_account("Bob", 50);
    printf("%d %d %d\n", transfer(a, b, 300), transfer(b, a, 10000), transfer(a, NULL, 1));
    for (int i = 0; i < 5; i++) transfer(b, a, 20 * (i + 1));
    for (int i = 0; i < used; i++) {
        printf("%-6s %6d [", accounts[i].owner, accounts[i].balance);
        for (int k = 0; k < 4; k++) printf("%d%s", accounts[i].history.amounts[k], k < 3 ? "," : "]\n");
    }
    if (a->balance + b->balance != 1050) exit(EXIT_FAILURE);
    exit(EXIT_SUCCESS);
}
