// What programs do in turn: a list that is searched, sorted and reversed, products of small matrices, a
// state machine that reads numbers from text, and a checksum of 16 bits over all of it. n rounds.

enum { NODES = 48, SIZE = 9, TEXT = 96 };

typedef struct node {
    struct node *next;
    short key, value;
} node;

static node nodes[NODES];
static short left[SIZE][SIZE], right[SIZE][SIZE];
static int product[SIZE][SIZE];
static char text[TEXT + 1];

static unsigned crc(unsigned value, unsigned sum) {
    for (int bit = 0; bit < 16; bit++, value >>= 1)
        sum = (value ^ sum) & 1 ? (sum >> 1) ^ 0xA001 : sum >> 1;
    return sum;
}

static node *reversed(node *list) {
    node *done = 0;
    while (list) {
        node *next = list->next;
        list->next = done;
        done = list;
        list = next;
    }
    return done;
}

static node *merged(node *a, node *b, int by_value) {
    node first, *last = &first;
    while (a && b) {
        int smaller = by_value ? a->value <= b->value : a->key <= b->key;
        node **from = smaller ? &a : &b;
        last = last->next = *from;
        *from = (*from)->next;
    }
    last->next = a ? a : b;
    return first.next;
}

static node *sorted(node *list, int by_value) {
    if (!list || !list->next) return list;
    node *slow = list, *fast = list->next;
    while (fast && fast->next) slow = slow->next, fast = fast->next->next;
    node *half = slow->next;
    slow->next = 0;
    return merged(sorted(list, by_value), sorted(half, by_value), by_value);
}

static unsigned lists(int seed, unsigned sum) {
    node *list = 0;
    for (int i = 0; i < NODES; i++) {
        nodes[i] = (node){list, (short)(i * 37 % NODES), (short)((seed + i) * 7919 & 0x7FF)};
        list = &nodes[i];
    }
    list = reversed(sorted(list, 1));
    for (int key = 0; key < NODES; key += 5) {
        int place = 0;
        for (node *at = list; at && at->key != key; at = at->next) place++;
        sum = crc((unsigned)place, sum);
    }
    for (node *at = sorted(list, 0); at; at = at->next) sum = crc((unsigned short)at->value, sum);
    return sum;
}

static unsigned matrices(int seed, unsigned sum) {
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            left[i][j] = (short)(seed * (i + 1) + j);
            right[i][j] = (short)((i ^ j) + (seed & 15));
        }
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            int total = 0;
            for (int k = 0; k < SIZE; k++) total += left[i][k] * right[k][j];
            product[i][j] = total;
            sum = crc((unsigned)(total >> 2) & 0xFFFF, sum);
        }
    return sum;
}

enum state { START, SIGN, WHOLE, POINT, FRACTION, EXPONENT, INVALID, STATES };

static enum state next(enum state now, char c) {
    int digit = c >= '0' && c <= '9';
    switch (now) {
        case START: return digit ? WHOLE : c == '+' || c == '-' ? SIGN : c == '.' ? POINT : INVALID;
        case SIGN: return digit ? WHOLE : c == '.' ? POINT : INVALID;
        case WHOLE: return digit ? WHOLE : c == '.' ? FRACTION : c == 'e' ? EXPONENT : INVALID;
        case POINT: return digit ? FRACTION : INVALID;
        case FRACTION: return digit ? FRACTION : c == 'e' ? EXPONENT : INVALID;
        case EXPONENT: return digit ? EXPONENT : INVALID;
        default: return INVALID;
    }
}

static unsigned states(int seed, unsigned sum) {
    int counts[STATES] = {0};
    for (int i = 0; i < TEXT; i++) text[i] = "5012,+17.9e4,-3x,.25,1e9,6"[(i + seed) % 26];
    enum state now = START;
    for (int i = 0; i < TEXT; i++) {
        if (text[i] == ',') {
            counts[now]++;
            now = START;
        } else if (now != INVALID) {
            now = next(now, text[i]);
        }
    }
    for (int i = 0; i < STATES; i++) sum = crc((unsigned)counts[i], sum);
    return sum;
}

int run(int n) {
    unsigned sum = 0xFFFF;
    for (int i = 0; i < n; i++) sum = states(i, matrices(i, lists(i, sum)));
    return (int)sum;
}
