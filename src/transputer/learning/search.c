// Discrete search on the soft machine's programs: cost on examples, annealed random changes, and
// breadth-first search over what straight-line programs can do.

typedef struct {
    machine m;
    uint32_t examples, results;
    const word_t *registers;     // examples x registers
    const word_t *memory;        // examples x memory
    const word_t *wanted;        // examples x results
    const word_t *cells;         // examples x memory: the memory wanted
    const uint8_t *matters;      // examples x memory: which of it
    uint32_t ops_count, numbers_count;
    const uint32_t *ops;         // operations to choose from
    const uint32_t *numbers;     // numbers to choose from
    const uint8_t *frozen;       // length: instructions that are given
    const uint8_t *jumps;        // by operation: whether its number is a place
    uint32_t elsewhere;          // whether a result in another register earns credit
} problem;

enum { MAX_MEMORY = 1024, MAX_LENGTH = 64, MAX_EXAMPLES = 32 };

static uint64_t next(uint64_t *s) {
    uint64_t a = s[0], b = s[1], sum = a + b;
    b ^= a;
    s[0] = (a << 24 | a >> 40) ^ b ^ b << 16;
    s[1] = b << 37 | b >> 27;
    return sum;
}

static uint32_t below(uint64_t *s, uint32_t n) { return (uint32_t)((next(s) >> 32) * n >> 32); }

// Set bits, counted without a library: pairs, nibbles, bytes, then all bytes at once.
static uint32_t ones(word_t x) {
    const word_t bytes = (word_t)-1 / 0xFF;
    x -= x >> 1 & bytes * 0x55;
    x = (x & bytes * 0x33) + (x >> 2 & bytes * 0x33);
    return (uint32_t)(((x + (x >> 4)) & bytes * 0x0F) * bytes >> (WORD_BITS - 8));
}

static uint32_t miss(word_t got, word_t wanted) {
    uint32_t bits = ones(got ^ wanted);
    return bits ? 3 + (bits > 6 ? 6 : bits) : 0;
}

// Points lost on one example: for each result up to 9, one more where it stands in another
// register; 6 for each wrong cell; 4 for not ending.
static uint32_t lost(const problem *p, const instr *code, uint32_t k) {
    word_t r[MAX_REGISTERS], mem[MAX_MEMORY];
    uint32_t points = 0;
    for (uint32_t i = 0; i < p->m.registers; i++) r[i] = p->registers[k * p->m.registers + i];
    for (uint32_t i = 0; i < p->m.memory; i++) mem[i] = p->memory[k * p->m.memory + i];
    if (!execute(&p->m, code, r, mem)) points += 4;
    for (uint32_t i = 0; i < p->results; i++) {
        word_t wanted = p->wanted[k * p->results + i];
        uint32_t best = miss(r[i], wanted);
        for (uint32_t j = 0; p->elsewhere && best > 1 && j < p->m.registers; j++) {
            uint32_t other = miss(r[j], wanted) + 1;
            if (other < best) best = other;
        }
        points += best;
    }
    for (uint32_t i = 0; i < p->m.memory; i++)
        if (p->matters[k * p->m.memory + i] && mem[i] != p->cells[k * p->m.memory + i]) points += 6;
    return points;
}

// Points lost on all examples; counting stops above the bound.
uint32_t soft_cost(const problem *p, const instr *code, uint32_t bound) {
    uint32_t points = 0;
    for (uint32_t k = 0; k < p->examples && points <= bound; k++) points += lost(p, code, k);
    return points;
}

// Final registers and memory of every example; how many of them ended.
uint32_t soft_run(const problem *p, const instr *code, word_t *registers, word_t *memory) {
    uint32_t ended = 0;
    for (uint32_t k = 0; k < p->examples; k++)
        ended += (uint32_t)execute(&p->m, code, registers + k * p->m.registers,
                                   memory + k * p->m.memory);
    return ended;
}

// The first example from k on that a program gets wrong, or the number of examples.
uint32_t soft_first_wrong(const problem *p, const instr *code, uint32_t k) {
    while (k < p->examples && !lost(p, code, k)) k++;
    return k;
}

// Whether a program ends on an example.
int soft_ends(const problem *p, const instr *code, uint32_t k) {
    word_t r[MAX_REGISTERS], mem[MAX_MEMORY];
    for (uint32_t i = 0; i < p->m.registers; i++) r[i] = p->registers[k * p->m.registers + i];
    for (uint32_t i = 0; i < p->m.memory; i++) mem[i] = p->memory[k * p->m.memory + i];
    return execute(&p->m, code, r, mem);
}

static void change_number(const problem *p, instr *i, uint64_t *s) {
    i->n = p->jumps[i->op] ? below(s, p->m.length + 1) : p->numbers[below(s, p->numbers_count)];
}

static void change_all(const problem *p, instr *i, uint64_t *s) {
    i->op = p->ops[below(s, p->ops_count)];
    i->d = below(s, p->m.registers);
    i->a = below(s, p->m.registers);
    i->b = below(s, p->m.registers);
    change_number(p, i, s);
}

// A random instruction in every place that is not given.
void soft_draw(const problem *p, instr *code, uint64_t *s) {
    for (uint32_t i = 0; i < p->m.length; i++)
        if (!p->frozen[i]) change_all(p, code + i, s);
}

// -ln(u) for a random u in (0, 1]: exponent, and a polynomial of the mantissa.
static double minus_log(uint64_t *s) {
    union { double d; uint64_t u; } x;
    x.d = (double)((next(s) >> 11) + 1) * (1.0 / 9007199254740992.0);
    int exponent = (int)(x.u >> 52) - 1023;
    x.u = (x.u & 0xFFFFFFFFFFFFFull) | 0x3FF0000000000000ull;
    double log = -1.7417939 + (2.8212026 + (-1.4699568 + (0.44717955 - 0.056570851 * x.d) * x.d)
                 * x.d) * x.d;  // ln(x) from 1 to 2, to 4 digits
    return -(exponent * 0.6931471805599453 + log);
}

// One annealed chain from the code given: a change is kept if it loses no more than before plus
// an exponential allowance of mean 1/beta. 1 when no example is wrong; `code` is the last one.
int soft_anneal(const problem *p, instr *code, uint64_t *s, uint32_t changes, double first,
                double last, uint64_t *evaluations) {
    uint32_t points = soft_cost(p, code, 0xFFFFFFFFu), free_places[MAX_LENGTH], count = 0;
    for (uint32_t i = 0; i < p->m.length; i++) if (!p->frozen[i]) free_places[count++] = i;
    *evaluations += 1;
    for (uint32_t t = 0; points && count && t < changes; t++) {
        double beta = first + (last - first) * t / changes;
        uint32_t at = free_places[below(s, count)], other = free_places[below(s, count)];
        instr old = code[at], second = code[other], *i = code + at;
        uint32_t move = below(s, 9);
        instr before[MAX_LENGTH];
        if (move == 8) {  // an instruction goes in, those after it move on, one falls out
            for (uint32_t j = 0; j < count; j++) before[j] = code[free_places[j]];
            uint32_t from = below(s, count), to = below(s, count);
            for (uint32_t j = to; j > from; j--) code[free_places[j]] = before[j - 1];
            for (uint32_t j = to; j < from; j++) code[free_places[j]] = before[j + 1];
            change_all(p, code + free_places[from], s);
        } else switch (move) {
        case 0: i->op = p->ops[below(s, p->ops_count)]; change_number(p, i, s); break;
        case 1: i->d = below(s, p->m.registers); break;
        case 2: i->a = below(s, p->m.registers); break;
        case 3: i->b = below(s, p->m.registers); break;
        case 4: change_number(p, i, s); break;
        case 5: case 6: change_all(p, i, s); break;
        default: code[at] = second; code[other] = old;
        }
        double bound = points + minus_log(s) / beta;
        uint32_t now = soft_cost(p, code, (uint32_t)bound);
        *evaluations += 1;
        if (now <= bound) points = now;
        else if (move == 8) for (uint32_t j = 0; j < count; j++) code[free_places[j]] = before[j];
        else { code[other] = second; code[at] = old; }
    }
    return points == 0;
}

// Random programs, one after the other; 1 when one is right on all examples.
int soft_random(const problem *p, instr *code, uint64_t *s, uint64_t tries, uint64_t *evaluations) {
    for (uint64_t t = 0; t < tries; t++) {
        soft_draw(p, code, s);
        *evaluations += 1;
        if (!soft_cost(p, code, 0)) return 1;
    }
    return 0;
}

// Breadth-first search over machine states. A state is what all registers hold on all examples,
// and the flags that some instruction observes: registers * examples words, then examples words.
typedef struct {
    const uint32_t *menu;   // count x 5: the instructions to try
    uint32_t count, stride, observed;
    word_t *states;         // capacity x stride: words, then flags
    uint32_t *parent, *by;  // capacity: the state it came from, and by which instruction
    uint64_t *table;        // slots: number of a state + 1, 0 where empty
    uint64_t capacity, slots;
} frontier;

static uint64_t hash(const word_t *state, uint32_t stride) {
    uint64_t h = 1469598103934665603ull;
    for (uint32_t i = 0; i < stride; i++) {
        h = (h ^ state[i]) * 0x9E3779B97F4A7C15ull;
        h ^= h >> 29;
    }
    return h | 1;
}

static int equal(const word_t *a, const word_t *b, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) if (a[i] != b[i]) return 0;
    return 1;
}

static void apply(const problem *p, const frontier *f, const instr *i, const word_t *from,
                  word_t *to) {
    uint32_t examples = p->examples, registers = p->m.registers;
    word_t none[1] = {0};
    machine one = p->m;
    one.length = 1;
    for (uint32_t k = 0; k < examples; k++) {
        word_t r[MAX_REGISTERS];
        for (uint32_t j = 0; j < registers; j++) r[j] = from[j * examples + k];
        state s = {r, none, (uint32_t)from[registers * examples + k], 0};
        advance(&one, i, &s, 0, 1);
        for (uint32_t j = 0; j < registers; j++) to[j * examples + k] = r[j];
        to[registers * examples + k] = s.flags & f->observed;
    }
}

static int reached(const problem *p, const word_t *state) {
    for (uint32_t i = 0; i < p->results; i++)
        for (uint32_t k = 0; k < p->examples; k++)
            if (state[i * p->examples + k] != p->wanted[k * p->results + i]) return 0;
    return 1;
}

// Tries every instruction on the states from `low` to `high`. New states go to the end and the
// count is returned; with `goals`, none is kept and the pairs (state, instruction) that reach
// the wanted results are listed instead. -1: no more room.
int64_t soft_expand(const problem *p, frontier *f, uint64_t low, uint64_t high, uint64_t count,
                    uint64_t *goals, uint64_t most, uint64_t *evaluations) {
    uint64_t found = 0;
    word_t fresh[(MAX_REGISTERS + 1) * MAX_EXAMPLES];
    for (uint64_t at = low; at < high; at++)
        for (uint32_t i = 0; i < f->count; i++) {
            const uint32_t *row = f->menu + 5 * i;
            instr one = {row[0], row[1], row[2], row[3], row[4]};
            apply(p, f, &one, f->states + at * f->stride, fresh);
            *evaluations += 1;
            if (goals) {
                if (reached(p, fresh) && found < most) {
                    goals[2 * found] = at, goals[2 * found + 1] = i;
                    found++;
                }
                continue;
            }
            uint64_t slot = hash(fresh, f->stride) & (f->slots - 1);
            while (f->table[slot] && !equal(f->states + (f->table[slot] - 1) * f->stride, fresh, f->stride))
                slot = (slot + 1) & (f->slots - 1);
            if (f->table[slot]) continue;
            if (count + found == f->capacity) return -1;
            f->table[slot] = count + found + 1;
            for (uint32_t j = 0; j < f->stride; j++) f->states[(count + found) * f->stride + j] = fresh[j];
            f->parent[count + found] = (uint32_t)at, f->by[count + found] = i;
            found++;
        }
    return (int64_t)found;
}

// Programs from a skeleton: fixed instructions and holes, each with blocks to choose from. In a
// fixed instruction the place of a jump is the number of an item; in a block -2 skips the next
// instruction and ITEM + k goes to item k.
enum { ITEM = 0x40000000 };
typedef struct {
    uint32_t items, holes;
    const instr *fixed;      // items
    const int32_t *hole;     // items: which hole, or -1 for a fixed instruction
    const uint32_t *offset;  // holes + 1: the first block of each hole
    const uint32_t *start, *size;  // blocks: where in the pool
    const instr *pool;
} skeleton;

// The program of one choice, by its number; its length, or 0 if it is too long.
uint32_t soft_assemble(const skeleton *s, const uint8_t *jumps, uint64_t number, instr *code) {
    uint32_t chosen[16], place[65], length = 0;
    for (uint32_t h = s->holes; h-- > 0;) {
        uint64_t many = s->offset[h + 1] - s->offset[h];
        chosen[h] = s->offset[h] + (uint32_t)(number % many), number /= many;
    }
    for (uint32_t i = 0; i < s->items; i++) {
        place[i] = length;
        length += s->hole[i] < 0 ? 1 : s->size[chosen[s->hole[i]]];
        if (length > MAX_LENGTH) return 0;
    }
    place[s->items] = length;
    for (uint32_t i = 0, at = 0; i < s->items; i++) {
        if (s->hole[i] < 0) {
            code[at] = s->fixed[i];
            if (jumps[code[at].op]) code[at].n = place[code[at].n];
            at++;
            continue;
        }
        uint32_t block = chosen[s->hole[i]];
        for (uint32_t k = 0; k < s->size[block]; k++, at++) {
            code[at] = s->pool[s->start[block] + k];
            if (!jumps[code[at].op]) continue;
            code[at].n = code[at].n == 0xFFFFFFFEu ? at + 2 : place[code[at].n & 0xFF];
        }
    }
    return length;
}

enum { WRONG, RIGHT, ENDLESS };
static int judged(const problem *p, const machine *m, const instr *code, uint32_t k) {
    word_t r[MAX_REGISTERS], mem[MAX_MEMORY];
    for (uint32_t i = 0; i < m->registers; i++) r[i] = p->registers[k * m->registers + i];
    for (uint32_t i = 0; i < m->memory; i++) mem[i] = p->memory[k * m->memory + i];
    if (!execute(m, code, r, mem)) return ENDLESS;
    for (uint32_t i = 0; i < p->results; i++)
        if (r[i] != p->wanted[k * p->results + i]) return WRONG;
    for (uint32_t i = 0; i < m->memory; i++)
        if (p->matters[k * m->memory + i] && mem[i] != p->cells[k * m->memory + i]) return WRONG;
    return RIGHT;
}

// Tries the choices numbered from `from` to `to`; lists those that are right on all examples. After
// the first `must` examples, which allow `quick` steps, a run need not end.
uint32_t soft_fill(const problem *p, const skeleton *s, uint64_t from, uint64_t to, uint32_t must,
                   uint32_t quick, uint64_t *hits, uint32_t room, const int32_t *stop, uint64_t *evaluations) {
    instr code[MAX_LENGTH];
    uint32_t count = 0;
    machine m = p->m;
    for (uint64_t number = from; number < to && count < room; number++) {
        if (!(number & 0xFFF) && *stop) break;
        m.length = soft_assemble(s, p->jumps, number, code);
        *evaluations += 1;
        if (!m.length) continue;
        uint32_t k = 0;
        for (int how; k < p->examples; k++) {
            m.limit = k < must ? quick : p->m.limit;
            how = judged(p, &m, code, k);
            if (how == WRONG || (how == ENDLESS && k < must)) break;
        }
        if (k == p->examples) hits[count++] = number;
    }
    return count;
}
