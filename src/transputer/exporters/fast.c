/* What a page calls: tokens in, tokens out, a byte per part. The generated part above defines
 * sizes, tables and the functions `words_of`, `bytes_of`, `may_lead` and `fill`. */
Cell **directories[ARRAYS];
const Cell nothing;
static Cell scratch;
static uint64_t seen[ROOM * GROUPS], tape[BATCH * GROUPS];
static uint8_t buffer[(BATCH + 1) * PARTS];
static uint32_t visits[MARKED], used[ROWS];
static Row table[ROWS];
static State state;
/* Why the last call of fast_run returned, its steps, those that count, the tokens in the buffer. */
static int64_t outcome[4];

static void *grown(uint32_t pages) {
    const uint32_t old = __builtin_wasm_memory_grow(0, pages);
    if (old == UINT32_MAX) __builtin_trap();
    return (void *)(uintptr_t)(old << 16);
}

Cell *new_cell(uint64_t array, uint64_t at) {
    if (!kept[array]) return &scratch;
    if (!directories[array]) directories[array] = grown(kept[array]);
    Cell **const page = &directories[array][at >> 12];
    if (!*page) *page = grown(1);
    return *page + (at & 4095);
}

uint8_t *fast_buffer(void) { return buffer; }
int64_t *fast_outcome(void) { return outcome; }

void fast_open(void) {
    state.room = ROOM;
    state.marked = MARKED;
    state.seen = seen;
    state.marks = marks;
    state.flags = flags;
    state.fixed = fixed;
    state.special = special;
    state.visits = visits;
    state.used = used;
    state.enter = enter;
    state.enterable = ENTERABLE;
    state.blocks = BLOCKS;
    fill(table);
}

/* Note tokens of the buffer. With `late`, they come after the prompt, on which `fixed`, `special`
 * and `flags` rest: then none may lead a head with a constant query. */
int64_t fast_append(int64_t count, int32_t late) {
    for (int64_t i = 0; i < count; i++) {
        uint64_t words[GROUPS];
        words_of(buffer + i * PARTS, words);
        rows_note(&state, words, 1);
        if (late && may_lead(&state)) return 0;
    }
    return 1;
}

/* Take up to `limit` steps. With `recorded` the buffer gets all tokens; else those to be seen, and
 * the last one. */
void fast_run(int64_t limit, int32_t recorded) {
    const int64_t before = state.tally;
    int64_t reason;
    if (recorded && limit > BATCH) limit = BATCH;
    state.left = limit;
    state.rows = 0;
    state.tape = recorded ? tape : 0;
    do reason = rows_run(&state, table);
    while (reason == UNPROVED && !may_lead(&state) && !STATUS);
    if (reason == UNPROVED && !may_lead(&state)) reason = STOPPED;
    outcome[0] = reason;
    outcome[1] = limit - state.left;
    outcome[2] = state.tally - before;
    outcome[3] = recorded ? outcome[1] : state.rows;
    for (int64_t i = 0; i < outcome[3]; i++)
        bytes_of((recorded ? tape : seen) + i * GROUPS, buffer + i * PARTS);
    if (!recorded) bytes_of(state.word, buffer + outcome[3] * PARTS);
}

/* The word at an address of the array that has results. */
uint64_t fast_word(int64_t at) { return cell(RESULTS, at)->word; }
