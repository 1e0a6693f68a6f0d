/* Looped models: sparse, with the weights as data, equal to the dense definition.
 *
 * A column is idle if every layer, with all its heads on itself alone, leaves it as it is, and if
 * no other idle column scores with it as much as it does itself. An idle column can be left alone
 * in a layer unless a column that works now, a worker, reaches its score with itself. Workers are
 * column 0 as a rule, and whatever it disturbs, until that is again what it was. All of this is
 * computed from the weights and the state, never assumed; a column that fails a check works in
 * every step.
 *
 * Who reaches whom: where the entries of a head's keys are -1, 0 and 1, a . b is at most the number
 * of nonzeros of b, b . b, and equal to it only where a agrees with b on them. So a table of the
 * idle keys, by what they are on a set of rows, finds those whom a worker reaches (the set is their
 * own nonzeros) and those that it attends to beside itself (the set is its nonzeros). Heads with
 * other keys, and workers with others, are scanned.
 */
#include <stddef.h>
#include <stdint.h>

typedef int64_t word;
typedef uint64_t bits;
typedef NUMBER num; /* 32 bits where all sums of the model stay below 2^31, otherwise 64 */

void *malloc(size_t);
void *calloc(size_t, size_t);
void free(void *);
void *memcpy(void *, const void *, size_t);
void *memset(void *, int, size_t);
int memcmp(const void *, const void *, size_t);

enum { MEMO = 1024, TRIAL = 256, PAUSE = 8192, MASKS = 8, NONE = -1, DISTURBED = -2, OUT_OF_MEMORY = -1 };

typedef struct {
    int32_t row;
    num weight;
} Term;

typedef struct {
    word rows;
    int32_t *starts;
    Term *terms;
    int single; /* whether every row has one term */
} Matrix;

/* Idle columns by what their keys are on the rows of a mask; chains through `next`. */
typedef struct {
    bits mask;
    int32_t *first, *next;
} Table;

typedef struct {
    Matrix key, value, output; /* output: terms by value */
    char *keyed;               /* per row: whether the key reads it */
    int ternary;               /* whether all idle keys have entries -1, 0 and 1 */
    num *keys, *own;           /* per column: key, score with itself */
    bits *plus, *minus;        /* per column: rows of a ternary key; in `plus` all nonzeros else */
    bits seen;                 /* rows that some idle key has */
    Table tables[MASKS];
    int masks, crowded;
    bits supports[MASKS]; /* nonzeros that idle ternary keys have */
    int support_count;
    num *slack, *moving; /* heads with other keys: see `quiet` */
    const word *fixed;    /* per key row: whether it reads only what no weight writes */
    num most_moving;
    num *worker_keys, *worker_values; /* of a step; values where `valued` says so */
    char *valued;
    bits *reached;                     /* per column, one bit: by a worker, in this head */
} Head;

/* How often the memo helped lately, and for how many turns it is not asked. */
typedef struct {
    int asked, helped, pause;
} Habit;

typedef struct {
    word heads;
    Head *head;
    word gates;
    int32_t *parent; /* of a gate: 1 + an earlier one, from which it differs by its terms, or 0 */
    int32_t *starts, *neurons; /* of a gate: its terms, its neurons; those of the next follow */
    Term *terms;
    Matrix value, out; /* out: terms by neuron, whose rows are places in `writes` */
    char *sees;        /* per row: whether neurons or the values of heads read it */
    int32_t *reads, *writes, *meets; /* rows that neurons read and write, that heads write */
    int read_count, write_count, meet_count;
    num *memo;         /* what neurons read lately, and what they then added */
    char *known;       /* whether a place of the memo is filled */
    bits *salt;        /* per row that is read: for the hash of a memo */
    Habit habit[2];    /* of idle columns and of others */
} Layer;

/* Memory is given back with the engine only: one list of all that was taken. */
typedef struct Block {
    struct Block *next;
} Block;

typedef struct {
    Block *blocks;
    word rows, columns, layers, stop_terms;
    Layer *layer;
    Term *stop;
    int failed;
    num *held;   /* columns between steps */
    num *now;    /* columns that work, in a step */
    num *delta;  /* per worker */
    num *gained;
    int32_t *workers, *place, *chosen, *disturbed, *busy_list, *changed;
    int count, busy_count, change_count;
    char *busy;
    const word *written; /* per row: whether a weight writes it */
    num *sums, *values, *scores, *solo, *gates, *seen;
    word table_size;
} Engine;

static void *take(Engine *e, word count, size_t size) {
    Block *made = calloc(1, sizeof(Block) + 8 + (size_t)(count > 0 ? count : 1) * size);
    if (!made) {
        e->failed = 1;
        return NULL;
    }
    made->next = e->blocks;
    e->blocks = made;
    return (char *)made + sizeof(Block) + 8;
}

/* The image: see `looped.py`. */
typedef struct {
    Engine *engine;
    const word *at;
} Reader;

static word next(Reader *r) { return *r->at++; }

static const word *several(Reader *r, word count) {
    const word *found = r->at;
    r->at += count;
    return found;
}

static Term *terms(Reader *r, word count) {
    Term *made = take(r->engine, count, sizeof(Term));
    const word *rows = several(r, count), *weights = several(r, count);
    for (word i = 0; made && i < count; i++) made[i] = (Term){(int32_t)rows[i], (num)weights[i]};
    return made;
}

static int32_t *places(Reader *r, word count) {
    int32_t *made = take(r->engine, count, sizeof(int32_t));
    const word *found = several(r, count);
    for (word i = 0; made && i < count; i++) made[i] = (int32_t)found[i];
    return made;
}

static Matrix matrix(Reader *r) {
    Matrix m;
    m.rows = next(r);
    word count = next(r);
    m.starts = places(r, m.rows + 1);
    m.terms = terms(r, count);
    m.single = m.starts != NULL;
    for (word i = 0; m.starts && i < m.rows; i++) m.single &= m.starts[i + 1] - m.starts[i] == 1;
    return m;
}

/* made = m x. The loops are short: what they read is kept at hand, and each is as plain as it is. */
static inline void multiply(const Matrix *m, const num *restrict x, num *restrict made) {
    const Term *restrict t = m->terms;
    const int32_t *restrict starts = m->starts;
    word rows = m->rows;
    if (m->single) {
        for (word i = 0; i < rows; i++) made[i] = t[i].weight * x[t[i].row];
        return;
    }
    for (word i = 0; i < rows; i++) {
        num sum = 0;
        for (const Term *end = m->terms + starts[i + 1]; t < end; t++) sum += t->weight * x[t->row];
        made[i] = sum;
    }
}

static void mark(const Matrix *m, char *rows) {
    for (word k = 0; rows && k < m->starts[m->rows]; k++) rows[m->terms[k].row] = 1;
}

static int32_t *listed(Engine *e, const char *rows, int *count) {
    int32_t *made = take(e, e->rows, sizeof(int32_t));
    for (int32_t r = 0; made && rows && r < e->rows; r++)
        if (rows[r]) made[(*count)++] = r;
    return made;
}

static void read_head(Reader *r, Head *head, word n) {
    Engine *e = r->engine;
    head->keyed = take(e, e->rows, 1);
    head->key = matrix(r);
    head->fixed = several(r, head->key.rows);
    head->value = matrix(r);
    head->output = matrix(r);
    mark(&head->key, head->keyed);
    head->keys = take(e, n * head->key.rows, sizeof(num));
    head->own = take(e, n, sizeof(num));
    head->plus = take(e, n, sizeof(bits));
    head->minus = take(e, n, sizeof(bits));
    head->slack = take(e, n, sizeof(num));
    head->moving = take(e, n, sizeof(num));
    head->worker_keys = take(e, n * head->key.rows, sizeof(num));
    head->worker_values = take(e, n * head->value.rows, sizeof(num));
    head->valued = take(e, n, 1);
    head->reached = take(e, n / 64 + 1, sizeof(bits));
}

static void read_layer(Reader *r, Layer *layer, word n) {
    Engine *e = r->engine;
    layer->heads = next(r);
    layer->head = take(e, layer->heads, sizeof(Head));
    for (word h = 0; !e->failed && h < layer->heads; h++) read_head(r, &layer->head[h], n);
    layer->gates = next(r);
    word count = next(r);
    layer->starts = places(r, layer->gates + 1);
    layer->terms = terms(r, count);
    layer->parent = places(r, layer->gates);
    layer->neurons = places(r, layer->gates + 1);
    layer->value = matrix(r);
    layer->out = matrix(r);
    char *reads = take(e, e->rows, 1), *writes = take(e, e->rows, 1), *meets = take(e, e->rows, 1);
    layer->sees = take(e, e->rows, 1);
    if (e->failed) return;
    for (word h = 0; h < layer->heads; h++) {
        mark(&layer->head[h].output, meets);
        mark(&layer->head[h].value, layer->sees);
    }
    for (word k = 0; k < count; k++) reads[layer->terms[k].row] = 1;
    mark(&layer->value, reads);
    mark(&layer->out, writes);
    layer->reads = listed(e, reads, &layer->read_count);
    layer->writes = listed(e, writes, &layer->write_count);
    layer->meets = listed(e, meets, &layer->meet_count);
    for (int i = 0; i < layer->read_count; i++) layer->sees[layer->reads[i]] = 1;
    layer->memo = take(e, MEMO * (layer->read_count + layer->write_count), sizeof(num));
    layer->known = take(e, MEMO, 1);
    layer->salt = take(e, layer->read_count, sizeof(bits));
    int32_t *place = take(e, e->rows, sizeof(int32_t));
    if (e->failed) return;
    for (int i = 0; i < layer->write_count; i++) place[layer->writes[i]] = i;
    for (word k = 0; k < layer->out.starts[layer->out.rows]; k++)
        layer->out.terms[k].row = place[layer->out.terms[k].row];
    bits salt = 0x9E3779B97F4A7C15u;
    for (int i = 0; i < layer->read_count; i++)
        layer->salt[i] = salt = (salt ^ salt >> 29) * 0xD6E8FEB86659FD93u;
}

/* Layers on one column */

/* gained = out (relu(gate x) * (value x)), on the rows of `writes`; a gate is computed from the one
 * most like it. */
static void activate(const Layer *layer, const num *restrict x, num *restrict gates,
                     num *restrict gained) {
    const Term *restrict gate = layer->terms, *values = layer->value.terms, *outs = layer->out.terms;
    const int32_t *restrict parent = layer->parent, *restrict starts = layer->starts;
    const int32_t *restrict neurons = layer->neurons;
    const int32_t *restrict value_starts = layer->value.starts, *restrict out_starts = layer->out.starts;
    memset(gained, 0, (size_t)layer->write_count * sizeof(num));
    word count = layer->gates;
    gates[0] = 0;
    for (word g = 0; g < count; g++) {
        num open = gates[parent[g]];
        for (const Term *end = layer->terms + starts[g + 1]; gate < end; gate++)
            open += gate->weight * x[gate->row];
        gates[g + 1] = open;
        if (open <= 0) continue;
        for (int32_t n = neurons[g], last = neurons[g + 1]; n < last; n++) {
            num value = 0;
            for (const Term *t = values + value_starts[n], *end = values + value_starts[n + 1];
                 t < end; t++)
                value += t->weight * x[t->row];
            if (!value) continue;
            value *= open;
            for (const Term *t = outs + out_starts[n], *end = outs + out_starts[n + 1]; t < end; t++)
                gained[t->row] += value * t->weight;
        }
    }
}

/* The place of the memo for what neurons read in x; `found` if it holds what they add to that. */
static num *recall(Layer *layer, const num *restrict x, num *restrict seen, int *found) {
    const int32_t *restrict reads = layer->reads;
    const bits *restrict salt = layer->salt;
    int count = layer->read_count;
    size_t size = (size_t)count * sizeof(num);
    bits mixed = 0;
    for (int i = 0; i < count; i++) {
        num here = x[reads[i]];
        seen[i] = here;
        mixed += (bits)(int64_t)here * salt[i];
    }
    mixed ^= mixed >> 32;
    word at = (word)(mixed * 0x9E3779B97F4A7C15u >> 54);
    num *place = layer->memo + at * (count + layer->write_count);
    *found = layer->known[at] && !memcmp(place, seen, size);
    if (!*found) {
        memcpy(place, seen, size);
        layer->known[at] = 1;
    }
    return place + count;
}

/* x += out (relu(gate x) * (value x)), which is not computed again where it is remembered. */
static void apply(Engine *e, Layer *layer, num *restrict x, int busy) {
    Habit *habit = &layer->habit[busy];
    num *restrict added = e->gained;
    int found = 0;
    if (habit->pause) {
        habit->pause--;
    } else {
        added = recall(layer, x, e->seen, &found);
        habit->asked++, habit->helped += found;
        if (habit->asked == TRIAL) {
            if (2 * habit->helped < TRIAL) habit->pause = PAUSE;
            habit->asked = habit->helped = 0;
        }
    }
    if (!found) activate(layer, x, e->gates, added);
    const int32_t *restrict writes = layer->writes;
    int count = layer->write_count;
    for (int i = 0; i < count; i++) x[writes[i]] += added[i];
}

/* What a head adds where it reads these sums over this number of columns. */
static void meet(const Head *head, const num *restrict sums, num count, num *restrict delta) {
    const Term *outs = head->output.terms;
    const int32_t *restrict starts = head->output.starts;
    word rows = head->value.rows;
    for (word v = 0; v < rows; v++) {
        num mean = sums[v];
        if (count == 2) { /* to the nearest, halves to the even one */
            num floor = mean >> 1;
            mean = floor + (mean & floor & 1);
        } else if (count > 1) {
            num floor = mean / count, left = mean % count;
            if (left < 0) left += count, floor--;
            mean = floor + (2 * left > count || (2 * left == count && (floor & 1)));
        }
        if (!mean) continue;
        for (const Term *t = outs + starts[v], *end = outs + starts[v + 1]; t < end; t++)
            delta[t->row] += mean * t->weight;
    }
}

static void alone(Engine *e, const Head *head, const num *x, num *delta) {
    multiply(&head->value, x, e->sums);
    meet(head, e->sums, 1, delta);
}

static int concerned(const Engine *e, const char *rows) {
    for (int i = 0; i < e->change_count; i++)
        if (rows[e->changed[i]]) return 1;
    return 0;
}

/* Whether every layer leaves the column as it is, while its heads attend to itself.
 * Of a column that was so before, only layers that see a changed row are looked at. */
static int unchanged(Engine *e, const num *x, int known) {
    size_t size = (size_t)e->rows * sizeof(num);
    for (word l = 0; l < e->layers; l++) {
        Layer *layer = &e->layer[l];
        if (known && !concerned(e, layer->sees)) continue;
        num *y = e->solo;
        memcpy(y, x, size);
        for (word h = 0; h < layer->heads; h++) alone(e, &layer->head[h], x, y);
        apply(e, layer, y, 0);
        if (memcmp(x, y, size)) return 0;
    }
    return 1;
}

/* Keys */

static inline void add(num *restrict sums, const num *restrict values, word count) {
    for (word i = 0; i < count; i++) sums[i] += values[i];
}

static num product(const num *a, const num *b, word count) {
    num sum = 0;
    for (word i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* Rows where a key is positive and negative; whether it is ternary and has no more than 64. */
static int ternary(const num *key, word count, bits *plus, bits *minus) {
    int fine = count <= 64;
    bits p = 0, m = 0;
    for (word i = 0; i < count; i++) {
        bits row = i < 64 ? (bits)1 << i : ~(bits)0;
        if (key[i] > 0) p |= row;
        if (key[i] < 0) m |= row;
        fine &= key[i] >= -1 && key[i] <= 1;
    }
    *plus = p, *minus = m;
    return fine;
}

static word bucket(const Engine *e, bits plus, bits minus) {
    bits mixed = plus * 0x9E3779B97F4A7C15u ^ (minus + 0x632BE59BD9B4E019u) * 0xD6E8FEB86659FD93u;
    mixed ^= mixed >> 32;
    mixed *= 0xD6E8FEB86659FD93u;
    return (word)((mixed >> 32) & (bits)(e->table_size - 1));
}

static int covers(const Head *head, word column, bits mask) {
    return ((head->plus[column] | head->minus[column]) & mask) == mask;
}

static void insert(Engine *e, Head *head, Table *table, int32_t column) {
    if (!covers(head, column, table->mask)) return;
    bits plus = head->plus[column] & table->mask, minus = head->minus[column] & table->mask;
    word at = bucket(e, plus, minus);
    table->next[column] = table->first[at];
    table->first[at] = column;
}

static void extract(Engine *e, Head *head, Table *table, int32_t column) {
    if (!covers(head, column, table->mask)) return;
    bits plus = head->plus[column] & table->mask, minus = head->minus[column] & table->mask;
    int32_t *at = &table->first[bucket(e, plus, minus)];
    while (*at != column) at = &table->next[*at];
    *at = table->next[column];
}

/* The table of a mask, made if it was not asked for yet; none where there are too many. */
static Table *table_of(Engine *e, Head *head, bits mask) {
    for (int t = 0; t < head->masks; t++)
        if (head->tables[t].mask == mask) return &head->tables[t];
    if (head->masks == MASKS) return NULL;
    Table *table = &head->tables[head->masks];
    table->mask = mask;
    table->first = take(e, e->table_size, sizeof(int32_t));
    table->next = take(e, e->columns, sizeof(int32_t));
    if (e->failed) return NULL;
    for (word i = 0; i < e->table_size; i++) table->first[i] = NONE;
    for (int32_t j = 0; j < e->columns; j++)
        if (!e->busy[j]) insert(e, head, table, j);
    head->masks++;
    return table;
}

static void note_support(Head *head, bits support) {
    for (int s = 0; s < head->support_count; s++)
        if (head->supports[s] == support) return;
    if (head->support_count == MASKS)
        head->crowded = 1;
    else
        head->supports[head->support_count++] = support;
}

/* An idle column's key, into everything that is kept about it; 0 where the head cannot have it. */
static int enter(Engine *e, Head *head, int32_t column) {
    word kd = head->key.rows;
    num *key = head->keys + column * kd, moving = 0;
    int fine = ternary(key, kd, &head->plus[column], &head->minus[column]);
    if (head->own[column] <= 0 || (head->ternary && !fine)) return 0;
    bits support = head->plus[column] | head->minus[column];
    head->seen |= support;
    if (head->ternary) {
        note_support(head, support);
        for (int t = 0; t < head->masks; t++) insert(e, head, &head->tables[t], column);
        return 1;
    }
    for (word i = 0; i < kd; i++) moving += head->fixed[i] ? 0 : key[i] * key[i];
    head->moving[column] = moving;
    return 1;
}

static void leave(Engine *e, Head *head, int32_t column) {
    for (int t = 0; head->ternary && t < head->masks; t++)
        extract(e, head, &head->tables[t], column);
}

static void compute_key(Engine *e, Head *head, int32_t column) {
    word kd = head->key.rows;
    num *key = head->keys + column * kd;
    const num *x = e->held + column * e->rows;
    multiply(&head->key, x, key);
    head->own[column] = product(key, key, kd);
}

/* Whether no other idle column scores with this one as much as it does itself.
 *
 * With keys in a part s that never moves and a part d that may, s_i . s_j <= s_j . s_j - slack_j,
 * and d_i . d_j <= |d_i| |d_j|. So it is enough that slack + d_j . d_j > |d_j| D, D the largest |d|.
 */
static int quiet(const Head *head, word column) {
    __int128 left = (__int128)head->slack[column] + head->moving[column];
    return head->slack[column] > 0 &&
           left * left > (__int128)head->moving[column] * head->most_moving;
}

/* Ternary keys: idle columns that this one, of the same head, reaches. */
static int32_t reached_by(Engine *e, Head *head, int32_t column) {
    bits plus = head->plus[column], minus = head->minus[column];
    for (int s = 0; s < head->support_count; s++) {
        bits mask = head->supports[s];
        if (((plus | minus) & mask) != mask) continue;
        Table *table = table_of(e, head, mask);
        if (!table) return column;
        for (int32_t j = table->first[bucket(e, plus & mask, minus & mask)]; j != NONE;
             j = table->next[j])
            if (j != column && (head->plus[j] | head->minus[j]) == mask &&
                head->plus[j] == (plus & mask) && head->minus[j] == (minus & mask))
                return j;
    }
    return NONE;
}

/* Idle columns */

static void work(Engine *e, int32_t column) {
    e->busy[column] = 1;
    e->busy_list[e->busy_count++] = column;
    for (word l = 0; l < e->layers; l++)
        for (word h = 0; h < e->layer[l].heads; h++) leave(e, &e->layer[l].head[h], column);
}

/* Whether a column that changed has another key in this head. */
static int moved(const Engine *e, const Head *head, int32_t column) {
    word kd = head->key.rows;
    multiply(&head->key, e->held + column * e->rows, head->worker_keys);
    return memcmp(head->worker_keys, head->keys + column * kd, (size_t)kd * sizeof(num)) != 0;
}

/* Whether a column and all idle ones leave each other alone in this head. */
static int apart(Engine *e, Head *head, int32_t column) {
    if (!head->ternary) return head->moving[column] <= head->most_moving && quiet(head, column);
    if (head->crowded || reached_by(e, head, column) != NONE) return 0;
    bits plus = head->plus[column], minus = head->minus[column], support = plus | minus;
    Table *table = table_of(e, head, support);
    if (!table) return 0;
    for (int32_t j = table->first[bucket(e, plus, minus)]; j != NONE; j = table->next[j])
        if (j != column && (head->plus[j] & support) == plus &&
            (head->minus[j] & support) == minus)
            return 0;
    return 1;
}

/* A column whose `changed` rows did: idle again, or working from now on. */
static void refresh(Engine *e, int32_t column) {
    int idle = unchanged(e, e->held + column * e->rows, 1);
    for (word l = 0; l < e->layers; l++)
        for (word h = 0; h < e->layer[l].heads; h++) {
            Head *head = &e->layer[l].head[h];
            if (!concerned(e, head->keyed) || !moved(e, head, column)) continue;
            leave(e, head, column);
            compute_key(e, head, column);
            if (!enter(e, head, column)) {
                head->plus[column] = head->minus[column] = 0;
                idle = 0;
            } else if (!apart(e, head, column)) {
                idle = 0;
            }
        }
    if (!idle) work(e, column);
}

/* The part of a key that never moves, where each of its rows is 0, c or -c in all idle columns:
 * whether it is so, with the c of each row and whether some idle column has 0 there. */
static int scaled(const Engine *e, const Head *head, num *scale, char *absent) {
    word kd = head->key.rows;
    if (kd > 64) return 0;
    for (word i = 0; i < kd; i++) scale[i] = absent[i] = 0;
    for (int32_t j = 0; j < e->columns; j++) {
        const num *key = head->keys + j * kd;
        for (word i = 0; !e->busy[j] && i < kd; i++) {
            if (!head->fixed[i]) continue;
            num size = key[i] < 0 ? -key[i] : key[i];
            if (!size) absent[i] = 1;
            else if (!scale[i]) scale[i] = size;
            else if (scale[i] != size) return 0;
        }
    }
    return 1;
}

/* Slack of such keys: s_i . s_j is s_j . s_j only where s_i agrees with s_j on the nonzeros of s_j;
 * otherwise some row of those is lost, or counts against it. Columns that agree are found in a
 * table, by their values on the nonzeros that idle columns have. 0 where those are too many. */
static int hashed_slack(Engine *e, Head *head) {
    word kd = head->key.rows;
    num scale[64];
    char absent[64];
    bits supports[MASKS];
    int count = 0;
    if (!scaled(e, head, scale, absent)) return 0;
    for (int32_t j = 0; j < e->columns; j++) {
        if (e->busy[j]) continue;
        const num *key = head->keys + j * kd;
        bits plus = 0, minus = 0;
        for (word i = 0; i < kd; i++)
            if (head->fixed[i] && key[i]) *(key[i] > 0 ? &plus : &minus) |= (bits)1 << i;
        head->plus[j] = plus, head->minus[j] = minus;
        int known = 0;
        for (int s = 0; s < count; s++) known |= supports[s] == (plus | minus);
        if (known) continue;
        if (count == MASKS) return 0;
        supports[count++] = plus | minus;
    }
    for (int s = 0; s < count; s++) {
        Table table = {supports[s], take(e, e->table_size, sizeof(int32_t)),
                       take(e, e->columns, sizeof(int32_t))};
        if (e->failed) return 0;
        for (word i = 0; i < e->table_size; i++) table.first[i] = NONE;
        for (int32_t j = 0; j < e->columns; j++)
            if (!e->busy[j]) insert(e, head, &table, j);
        num loss = 0;
        for (word i = 0; i < kd; i++) {
            if (!(table.mask >> i & 1)) continue;
            num least = (absent[i] ? 1 : 2) * scale[i] * scale[i];
            if (!loss || least < loss) loss = least;
        }
        for (int32_t j = 0; j < e->columns; j++) {
            if (e->busy[j] || (head->plus[j] | head->minus[j]) != table.mask) continue;
            head->slack[j] = loss;
            word at = bucket(e, head->plus[j], head->minus[j]);
            for (int32_t k = table.first[at]; k != NONE && head->slack[j]; k = table.next[k])
                if (k != j && (head->plus[k] & table.mask) == head->plus[j] &&
                    (head->minus[k] & table.mask) == head->minus[j])
                    head->slack[j] = 0;
        }
    }
    return 1;
}

/* Slack of other keys: all pairs are compared. */
static void compared_slack(Engine *e, Head *head) {
    word kd = head->key.rows;
    for (int32_t j = 0; j < e->columns; j++) {
        const num *key = head->keys + j * kd;
        num own = 0, best = 0;
        int any = 0;
        for (word i = 0; i < kd; i++) own += head->fixed[i] ? key[i] * key[i] : 0;
        for (int32_t other = 0; !e->busy[j] && other < e->columns; other++) {
            if (other == j || e->busy[other]) continue;
            const num *met = head->keys + other * kd;
            num sum = 0;
            for (word i = 0; i < kd; i++) sum += head->fixed[i] ? key[i] * met[i] : 0;
            if (!any || sum > best) best = sum;
            any = 1;
        }
        head->slack[j] = any ? own - best : own + 1;
    }
}

static void measure_slack(Engine *e, Head *head) {
    if (!hashed_slack(e, head)) compared_slack(e, head);
    for (int32_t j = 0; j < e->columns; j++)
        if (!e->busy[j] && head->moving[j] > head->most_moving)
            head->most_moving = head->moving[j];
}

static void settle(Engine *e) {
    for (int32_t j = 0; j < e->columns; j++) e->busy[j] = !unchanged(e, e->held + j * e->rows, 0);
    for (word l = 0; l < e->layers; l++)
        for (word h = 0; h < e->layer[l].heads; h++) {
            Head *head = &e->layer[l].head[h];
            head->ternary = 1;
            for (int32_t j = 0; j < e->columns; j++) {
                bits plus, minus;
                compute_key(e, head, j);
                if (!e->busy[j])
                    head->ternary &= ternary(head->keys + j * head->key.rows, head->key.rows,
                                             &plus, &minus);
            }
        }
    for (int32_t j = 0; j < e->columns; j++)
        for (word l = 0; !e->busy[j] && l < e->layers; l++)
            for (word h = 0; !e->busy[j] && h < e->layer[l].heads; h++)
                e->busy[j] = e->layer[l].head[h].own[j] <= 0;
    e->busy_count = 0;
    for (int32_t j = 0; j < e->columns; j++)
        if (e->busy[j]) e->busy_list[e->busy_count++] = j;
    for (word l = 0; l < e->layers; l++)
        for (word h = 0; h < e->layer[l].heads; h++) {
            Head *head = &e->layer[l].head[h];
            for (int32_t j = 0; j < e->columns; j++)
                if (!e->busy[j]) enter(e, head, j);
            if (!head->ternary) measure_slack(e, head);
        }
    for (word l = 0; l < e->layers; l++)
        for (word h = 0; h < e->layer[l].heads; h++) {
            Head *head = &e->layer[l].head[h];
            for (int32_t j = 0; j < e->columns; j++) {
                if (e->busy[j]) continue;
                if (!head->ternary) {
                    if (!quiet(head, j)) work(e, j);
                    continue;
                }
                if (head->crowded) {
                    work(e, j);
                    continue;
                }
                for (int32_t other; !e->busy[j] && (other = reached_by(e, head, j)) != NONE;)
                    work(e, other);
            }
        }
}

/* Everything that is known about columns, made anew. */
static void settle_again(Engine *e) {
    for (word l = 0; l < e->layers; l++)
        for (word h = 0; h < e->layer[l].heads; h++) {
            Head *head = &e->layer[l].head[h];
            head->masks = head->support_count = head->crowded = 0;
            head->seen = 0, head->most_moving = 0;
        }
    settle(e);
}

/* Steps */

static void begin(Engine *e, int32_t column) {
    size_t size = (size_t)e->rows * sizeof(num);
    memcpy(e->now + column * e->rows, e->held + column * e->rows, size);
    e->place[column] = e->count;
    e->workers[e->count++] = column;
}

static int is_reached(const Head *head, int32_t column) {
    return head->reached[column >> 6] >> (column & 63) & 1;
}

/* An idle column that a worker reaches in this head. */
static void disturb(Engine *e, Head *head, int32_t column, int *count) {
    head->reached[column >> 6] |= (bits)1 << (column & 63);
    if (e->place[column] == NONE) {
        e->place[column] = DISTURBED;
        e->disturbed[(*count)++] = column;
    }
}

/* Whether a worker that is idle between steps scores with idle columns what it does then: its key
 * differs in rows that none of them has, its own score is no less, and all leave each other alone. */
static int usual(const Engine *e, const Head *head, int worker) {
    word kd = head->key.rows;
    int32_t column = e->workers[worker];
    const num *key = head->worker_keys + worker * kd, *then = head->keys + column * kd;
    if (e->busy[column] || kd > 64) return 0;
    for (word i = 0; i < kd; i++)
        if (key[i] != then[i] && (head->seen >> i & 1)) return 0;
    return 1;
}

/* Idle columns with the largest score for this worker, from `best` on, into `chosen`. */
static int look(Engine *e, Head *head, int worker, num *best, int *disturbed) {
    word kd = head->key.rows;
    const num *key = head->worker_keys + worker * kd;
    bits plus, minus;
    if (usual(e, head, worker)) return 0;
    int count = 0, simple = ternary(key, kd, &plus, &minus) && head->ternary && !head->crowded;
    bits support = plus | minus;
    if (kd <= 64 && support && !(support & head->seen)) {
        if (*best >= 1) return 0; /* scores with all idle columns are 0, and theirs are positive */
        simple = 0;
    }
    Table *beside = simple && support ? table_of(e, head, support) : NULL;
    for (int s = 0; simple && s < head->support_count; s++)
        if (!table_of(e, head, head->supports[s])) simple = 0;
    if (simple && beside) {
        num own = product(key, key, kd); /* entries of a ternary key are -1, 0 and 1 */
        if (own >= *best)
            for (int32_t j = beside->first[bucket(e, plus, minus)]; j != NONE; j = beside->next[j])
                if (e->place[j] < 0 && (head->plus[j] & support) == plus &&
                    (head->minus[j] & support) == minus) {
                    *best = own;
                    e->chosen[count++] = j;
                }
        for (int s = 0; s < head->support_count; s++) {
            bits mask = head->supports[s];
            if ((support & mask) != mask) continue;
            Table *table = table_of(e, head, mask);
            for (int32_t j = table->first[bucket(e, plus & mask, minus & mask)]; j != NONE;
                 j = table->next[j])
                if (e->place[j] < 0 && head->plus[j] == (plus & mask) &&
                    head->minus[j] == (minus & mask))
                    disturb(e, head, j, disturbed);
        }
        return count;
    }
    for (int32_t j = 0; j < e->columns; j++) {
        if (e->place[j] >= 0 || e->busy[j]) continue;
        num score = product(key, head->keys + j * kd, kd);
        if (score > *best) *best = score, count = 0;
        if (score == *best) e->chosen[count++] = j;
        if (score >= head->own[j]) disturb(e, head, j, disturbed);
    }
    return count;
}

/* The scores of a key with the workers', into `scores`; the largest of them and of `best`. */
static num meet_workers(const Engine *e, const Head *head, const num *key, int workers, num best) {
    word kd = head->key.rows;
    for (int u = 0; u < workers; u++) {
        num score = product(key, head->worker_keys + u * kd, kd);
        e->scores[u] = score;
        if (score > best) best = score;
    }
    return best;
}

/* Adds to `sums` the values of workers with this score; how many there are. */
static num add_workers(Engine *e, Head *head, int workers, num best) {
    word vd = head->value.rows;
    num ties = 0;
    for (int u = 0; u < workers; u++) {
        if (e->scores[u] != best) continue;
        num *values = head->worker_values + u * vd;
        if (!head->valued[u]) {
            multiply(&head->value, e->now + e->workers[u] * e->rows, values);
            head->valued[u] = 1;
        }
        add(e->sums, values, vd);
        ties++;
    }
    return ties;
}

/* Adds to `sums` the values of a column between steps. */
static void add_held(Engine *e, const Head *head, int32_t column) {
    multiply(&head->value, e->held + column * e->rows, e->values);
    add(e->sums, e->values, head->value.rows);
}

/* What one head adds to every worker, and to the idle columns that they reach. */
static void attend(Engine *e, Head *head, int workers, int *disturbed) {
    word kd = head->key.rows, vd = head->value.rows;
    size_t size = (size_t)vd * sizeof(num);
    memset(head->reached, 0, (size_t)(e->columns / 64 + 1) * sizeof(bits));
    memset(head->valued, 0, (size_t)workers);
    for (int w = 0; w < workers; w++)
        multiply(&head->key, e->now + e->workers[w] * e->rows, head->worker_keys + w * kd);
    for (int w = 0; w < workers; w++) {
        const num *key = head->worker_keys + w * kd;
        num among = meet_workers(e, head, key, workers, product(key, key, kd)), best = among;
        int found = look(e, head, w, &best, disturbed);
        memset(e->sums, 0, size);
        num ties = best == among ? add_workers(e, head, workers, best) : 0;
        for (int i = 0; i < found; i++) add_held(e, head, e->chosen[i]);
        meet(head, e->sums, ties + found, e->delta + w * e->rows);
    }
    for (int i = 0; i < *disturbed; i++) {
        int32_t j = e->disturbed[i];
        if (!is_reached(head, j)) continue;
        num best = meet_workers(e, head, head->keys + j * kd, workers, head->own[j]);
        memset(e->sums, 0, size);
        num ties = add_workers(e, head, workers, best);
        if (best == head->own[j]) add_held(e, head, j), ties++;
        meet(head, e->sums, ties, e->delta + (workers + i) * e->rows);
    }
}

/* Whether the neurons see an idle column as it is between steps, and so leave it as it is. */
static int same(const Engine *e, const Layer *layer, int32_t column) {
    const num *x = e->now + column * e->rows, *old = e->held + column * e->rows;
    for (int i = 0; i < layer->read_count; i++)
        if (x[layer->reads[i]] != old[layer->reads[i]]) return 0;
    return 1;
}

static void through(Engine *e, Layer *layer) {
    int workers = e->count, disturbed = 0;
    size_t size = (size_t)e->rows * sizeof(num);
    if (layer->heads) {
        for (word h = 0; h < layer->heads; h++)
            attend(e, &layer->head[h], workers, &disturbed);
        for (int i = 0; i < disturbed; i++) {
            int32_t j = e->disturbed[i];
            for (word h = 0; h < layer->heads; h++)
                if (!is_reached(&layer->head[h], j))
                    alone(e, &layer->head[h], e->held + j * e->rows,
                          e->delta + (workers + i) * e->rows);
            begin(e, j);
        }
        for (int w = 0; w < e->count; w++) {
            num *x = e->now + e->workers[w] * e->rows, *more = e->delta + w * e->rows;
            for (int i = 0; i < layer->meet_count; i++) {
                x[layer->meets[i]] += more[layer->meets[i]];
                more[layer->meets[i]] = 0;
            }
        }
    }
    int kept = 0;
    for (int w = 0; w < e->count; w++) {
        int32_t column = e->workers[w];
        num *x = e->now + column * e->rows;
        if (e->busy[column] || layer->heads || !same(e, layer, column))
            apply(e, layer, x, e->busy[column]);
        if (!e->busy[column] && !memcmp(x, e->held + column * e->rows, size))
            e->place[column] = NONE;
        else
            e->place[column] = kept, e->workers[kept++] = column;
    }
    e->count = kept;
}

static num stop(const Engine *e) {
    num sum = 0;
    for (word k = 0; k < e->stop_terms; k++) sum += e->stop[k].weight * e->held[e->stop[k].row];
    return sum;
}

static word read_form(const Engine *e, const word *weights, const num *x) {
    word sum = 0;
    for (word r = 0; r < e->rows; r++) sum += weights[r] * x[r];
    return sum;
}

/* One step; with `cell`, (column, value) of those whose form changed go to `into`, in order. */
static word step(Engine *e, const word *cell, word *into) {
    word told = 0;
    size_t size = (size_t)e->rows * sizeof(num);
    e->count = 0;
    for (int i = 0; i < e->busy_count; i++) begin(e, e->busy_list[i]);
    for (word l = 0; l < e->layers; l++) through(e, &e->layer[l]);
    int count = e->count;
    for (int w = 0; w < count; w++) {
        int32_t j = e->workers[w];
        num *old = e->held + j * e->rows, *new = e->now + j * e->rows;
        e->place[j] = NONE;
        if (!memcmp(old, new, size)) continue;
        if (cell) {
            word after = read_form(e, cell, new);
            if (after != read_form(e, cell, old)) {
                word at = told++;
                for (; at && into[2 * at - 2] > j; at--)
                    into[2 * at] = into[2 * at - 2], into[2 * at + 1] = into[2 * at - 1];
                into[2 * at] = j, into[2 * at + 1] = after;
            }
        }
        if (!e->busy[j]) {
            e->change_count = 0;
            for (int32_t r = 0; r < e->rows; r++)
                if (old[r] != new[r]) e->changed[e->change_count++] = r;
        }
        memcpy(old, new, size);
        if (!e->busy[j]) refresh(e, j);
    }
    return told;
}

/* The library */

void looped_close(Engine *e) {
    for (Block *b = e->blocks; b;) {
        Block *after = b->next;
        free(b);
        b = after;
    }
    free(e);
}

Engine *looped_open(const word *image, const word *state) {
    Engine *e = calloc(1, sizeof(Engine));
    if (!e) return NULL;
    Reader r = {e, image};
    e->rows = next(&r), e->columns = next(&r), e->layers = next(&r);
    word n = e->columns, d = e->rows;
    e->stop_terms = next(&r);
    e->stop = terms(&r, e->stop_terms);
    e->written = several(&r, d);
    word most = next(&r), most_gates = next(&r);
    e->layer = take(e, e->layers, sizeof(Layer));
    for (word l = 0; !e->failed && l < e->layers; l++) read_layer(&r, &e->layer[l], n);
    e->held = take(e, n * d, sizeof(num));
    e->now = take(e, n * d, sizeof(num));
    e->delta = take(e, n * d, sizeof(num));
    e->gained = take(e, d, sizeof(num));
    e->sums = take(e, most, sizeof(num));
    e->values = take(e, most, sizeof(num));
    e->scores = take(e, n, sizeof(num));
    e->seen = take(e, d, sizeof(num));
    e->solo = take(e, d, sizeof(num));
    e->gates = take(e, most_gates + 1, sizeof(num));
    e->workers = take(e, n, sizeof(int32_t));
    e->place = take(e, n, sizeof(int32_t));
    e->chosen = take(e, n, sizeof(int32_t));
    e->disturbed = take(e, n, sizeof(int32_t));
    e->busy_list = take(e, n, sizeof(int32_t));
    e->changed = take(e, d, sizeof(int32_t));
    e->busy = take(e, n, 1);
    for (e->table_size = 16; e->table_size < 2 * n;) e->table_size *= 2;
    if (!e->failed) {
        for (word i = 0; i < n * d; i++) e->held[i] = (num)state[i];
        for (word j = 0; j < n; j++) e->place[j] = NONE;
        settle(e);
    }
    if (e->failed) {
        looped_close(e);
        return NULL;
    }
    return e;
}

int looped_halted(const Engine *e) { return stop(e) >= 1; }

/* Run until it halts or reaches the limit; returns the steps, or OUT_OF_MEMORY. Where there is a form
 * `pause`, also only until it is not 0 in column 0. */
word looped_run(Engine *e, word limit, const word *pause) {
    word done = 0, paused = 0;
    while (done < limit && !paused && stop(e) < 1 && !e->failed) {
        step(e, NULL, NULL);
        paused = pause && read_form(e, pause, e->held);
        done++;
    }
    return e->failed ? OUT_OF_MEMORY : done;
}

word looped_read(const Engine *e, const word *weights, word column) {
    return read_form(e, weights, e->held + column * e->rows);
}

/* As `looped_run`; per step the forms of column 0, a count, and as many (column, value). */
word looped_tell(Engine *e, word limit, const word *first, word forms, const word *cell,
                 word *into, word room, word *filled) {
    word done = 0, used = 0;
    while (done < limit && stop(e) < 1 && !e->failed) {
        if (used + forms + 1 + 2 * e->columns > room) break;
        word told = step(e, cell, into + used + forms + 1);
        for (word f = 0; f < forms; f++)
            into[used + f] = read_form(e, first + f * e->rows, e->held);
        into[used + forms] = told;
        used += forms + 1 + 2 * told;
        done++;
    }
    *filled = used;
    return e->failed ? OUT_OF_MEMORY : done;
}

void looped_state(const Engine *e, word *into) {
    for (word i = 0; i < e->rows * e->columns; i++) into[i] = e->held[i];
}

/* Another column between two steps; what no weight writes is part of what was settled. */
int looped_put(Engine *e, word column, const word *x) {
    num *old = e->held + column * e->rows;
    int again = 0;
    e->change_count = 0;
    for (int32_t r = 0; r < e->rows; r++) {
        again |= old[r] != x[r] && !e->written[r];
        if (old[r] != x[r]) e->changed[e->change_count++] = r;
        old[r] = (num)x[r];
    }
    if (again)
        settle_again(e);
    else if (!e->busy[column])
        refresh(e, (int32_t)column);
    return e->failed ? OUT_OF_MEMORY : 0;
}

/* Another state between two steps. */
int looped_replace(Engine *e, const word *state) {
    for (word c = 0; c < e->columns && !e->failed; c++, state += e->rows) {
        const num *old = e->held + c * e->rows;
        word same = 0;
        while (same < e->rows && old[same] == state[same]) same++;
        if (same < e->rows) looped_put(e, c, state);
    }
    return e->failed ? OUT_OF_MEMORY : 0;
}

/* For each case: put some columns, run some steps, and read forms of column 0 and those. */
word looped_each(Engine *e, word cases, word count, const word *columns, const word *values,
                 word steps, const word *first, word forms, const word *cell, word *into) {
    for (word c = 0; c < cases && !e->failed; c++) {
        for (word k = 0; k < count; k++, values += e->rows) looped_put(e, columns[k], values);
        looped_run(e, steps, NULL);
        for (word f = 0; f < forms; f++) *into++ = read_form(e, first + f * e->rows, e->held);
        for (word k = 0; k < count; k++)
            *into++ = read_form(e, cell, e->held + columns[k] * e->rows);
    }
    return e->failed ? OUT_OF_MEMORY : cases;
}

/* Columns that work in every step. */
word looped_busy(const Engine *e) { return e->busy_count; }
