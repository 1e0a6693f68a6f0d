// A Metamath verifier: checks every proof of a database, from standard input or a file.
//
//     transputer run examples/programs/metamath.c < examples/programs/metamath.mm
//
// A database declares symbols ($c, $v), hypotheses ($f, $e, $d), axioms ($a) and theorems with proofs
// ($p). A proof is a list of labels in postfix order, plain or compressed. Each label pushes a
// hypothesis, or replaces the hypotheses of an assertion by the assertion, with expressions put in
// for its variables. A proof is correct if its theorem alone is left. Prints the numbers of axioms,
// theorems and proof steps; the first error goes to standard error, with exit code 1. Include
// commands ($[) are refused.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VARIABLES = 4096, MAX_SCOPES = 256 };

typedef struct { const char *at; int length; } Token;
typedef struct { int *at, count, room; } Ints;
typedef struct { int start, length; } Slice;

typedef enum { NOTHING, CONSTANT, VARIABLE, LABEL } Kind;
typedef struct {
    Token name;
    Kind kind;
    int index;  // of the variable or the statement
} Name;

// In an expression, a constant is the index of its name and a variable is ~index.
typedef struct {
    int name, active, floating;  // floating: its active $f statement, or -1
    int mark;                    // the last assertion that it is mandatory for
    Slice value;                 // what is put in for it
} Variable;

typedef struct {
    int label;
    char kind;        // f, e, a or p
    char active;      // of hypotheses: whether the scope is still open
    Slice expression; // in `symbols`
    Slice hypotheses; // in `frames`: statements
    Slice distinct;   // in `frames`: pairs of variables
} Statement;

typedef struct { int variables, hypotheses, pairs; } Scope;

static char *text, *here, *end;
static Name *names;
static int name_count, name_room, *buckets, bucket_count;
static Variable variables[MAX_VARIABLES];
static int variable_count;
static Statement *statements;
static int statement_count, statement_room;
static Scope scopes[MAX_SCOPES];
static int depth, axioms, theorems;
static long long steps;
static Ints symbols, frames;
static Ints active_variables, active_hypotheses, active_pairs;
static Ints stack, work, saved, given;  // of the proof at hand; `stack` and `saved` hold slices of `work`
static unsigned char apart[MAX_VARIABLES][MAX_VARIABLES / 8];  // which variables must be distinct
static Token current;  // the label of the statement at hand

static void fail(const char *format, ...) {
    int line = 1;
    for (char *c = text; c < here; c++) line += *c == '\n';
    printf("%d axioms, %d theorems, %lld proof steps before the first error\n", axioms, theorems, steps);
    fflush(stdout);
    fprintf(stderr, "metamath: line %d: ", line);
    if (current.length) fprintf(stderr, "%.*s: ", current.length, current.at);
    va_list values;
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    exit(1);
}

static void *resize(void *block, size_t size) {
    block = realloc(block, size);
    if (block == NULL) fail("out of memory");
    return block;
}

static void push(Ints *list, int value) {
    if (list->count == list->room) {
        list->room = list->room ? 2 * list->room : 1024;
        list->at = resize(list->at, list->room * sizeof *list->at);
    }
    list->at[list->count++] = value;
}

static void reserve(Ints *list, int more) {
    if (list->count + more <= list->room) return;
    while (list->room < list->count + more) list->room = list->room ? 2 * list->room : 1024;
    list->at = resize(list->at, list->room * sizeof *list->at);
}

// ---- Tokens -------------------------------------------------------------------------------------

static int is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'; }

static Token raw(void) {
    while (here < end && is_space(*here)) here++;
    Token token = {here, 0};
    while (here < end && !is_space(*here)) {
        if (*here < '!' || *here > '~') fail("character %d is not allowed", (unsigned char)*here);
        here++;
    }
    token.length = here - token.at;
    return token;
}

static int is_keyword(Token token, char c) {
    return token.length == 2 && token.at[0] == '$' && token.at[1] == c;
}

// The next token that is not in a comment; its length is 0 at the end.
static Token next(void) {
    Token token = raw();
    while (is_keyword(token, '(')) {
        do {
            token = raw();
            if (token.length == 0) fail("a comment does not end");
            if (is_keyword(token, '(')) fail("a comment within a comment");
        } while (!is_keyword(token, ')'));
        token = raw();
    }
    return token;
}

// The next token, which must not be a keyword other than `$` `last`; 0 for that one.
static int next_before(char last, Token *token) {
    *token = next();
    if (token->length == 0) fail("the database ends within a statement");
    if (is_keyword(*token, last)) return 0;
    if (token->at[0] == '$') fail("%.*s is not expected here", token->length, token->at);
    return 1;
}

static int bucket_of(Token token) {
    unsigned hash = 2166136261u;
    for (int i = 0; i < token.length; i++) hash = (hash ^ (unsigned char)token.at[i]) * 16777619u;
    int i = (hash ^ hash >> 15) & (bucket_count - 1);
    for (; buckets[i] >= 0; i = (i + 1) & (bucket_count - 1)) {
        Token *name = &names[buckets[i]].name;
        if (name->length == token.length && memcmp(name->at, token.at, token.length) == 0) break;
    }
    return i;
}

// The index of the name; a new name is NOTHING yet.
static int find(Token token) {
    if (2 * (name_count + 1) > bucket_count) {
        bucket_count = bucket_count ? 2 * bucket_count : 1024;
        buckets = resize(buckets, bucket_count * sizeof *buckets);
        for (int i = 0; i < bucket_count; i++) buckets[i] = -1;
        for (int i = 0; i < name_count; i++) buckets[bucket_of(names[i].name)] = i;
    }
    int bucket = bucket_of(token);
    if (buckets[bucket] < 0) {
        if (name_count == name_room) {
            name_room = name_room ? 2 * name_room : 512;
            names = resize(names, name_room * sizeof *names);
        }
        names[name_count] = (Name){token, NOTHING, 0};
        buckets[bucket] = name_count++;
    }
    return buckets[bucket];
}

// ---- Declarations -------------------------------------------------------------------------------

static void declare_constants(void) {
    if (depth) fail("$c within a scope");
    for (Token token; next_before('.', &token);) {
        int name = find(token);
        if (names[name].kind != NOTHING) fail("%.*s is declared already", token.length, token.at);
        names[name].kind = CONSTANT;
    }
}

static void declare_variables(void) {
    for (Token token; next_before('.', &token);) {
        int name = find(token);
        if (names[name].kind == NOTHING) {
            if (variable_count == MAX_VARIABLES) fail("more than %d variables", MAX_VARIABLES);
            variables[variable_count] = (Variable){name, 0, -1, -1, {0, 0}};
            names[name].kind = VARIABLE;
            names[name].index = variable_count++;
        }
        if (names[name].kind != VARIABLE || variables[names[name].index].active)
            fail("%.*s is declared already", token.length, token.at);
        variables[names[name].index].active = 1;
        push(&active_variables, names[name].index);
    }
}

static int active_variable(Token token) {
    int name = find(token);
    if (names[name].kind != VARIABLE || !variables[names[name].index].active)
        fail("%.*s is not an active variable", token.length, token.at);
    return names[name].index;
}

static int are_apart(int a, int b) { return apart[a][b >> 3] >> (b & 7) & 1; }

static void set_apart(int a, int b) {
    if (a == b) fail("%.*s is listed twice in $d", names[variables[a].name].name.length,
                     names[variables[a].name].name.at);
    if (are_apart(a, b)) return;
    apart[a][b >> 3] |= 1 << (b & 7);
    apart[b][a >> 3] |= 1 << (a & 7);
    push(&active_pairs, a);
    push(&active_pairs, b);
}

static void declare_distinct(void) {
    work.count = 0;
    for (Token token; next_before('.', &token);) {
        int variable = active_variable(token);
        for (int i = 0; i < work.count; i++) set_apart(work.at[i], variable);
        push(&work, variable);
    }
    if (work.count < 2) fail("$d needs two variables");
}

static void open_scope(void) {
    if (depth == MAX_SCOPES) fail("more than %d scopes in each other", MAX_SCOPES);
    scopes[depth++] = (Scope){active_variables.count, active_hypotheses.count, active_pairs.count};
}

static void close_scope(void) {
    if (depth == 0) fail("$} without ${");
    Scope scope = scopes[--depth];
    while (active_variables.count > scope.variables)
        variables[active_variables.at[--active_variables.count]].active = 0;
    while (active_hypotheses.count > scope.hypotheses) {
        Statement *hypothesis = &statements[active_hypotheses.at[--active_hypotheses.count]];
        hypothesis->active = 0;
        if (hypothesis->kind == 'f')
            variables[~symbols.at[hypothesis->expression.start + 1]].floating = -1;
    }
    while (active_pairs.count > scope.pairs) {
        int b = active_pairs.at[--active_pairs.count], a = active_pairs.at[--active_pairs.count];
        apart[a][b >> 3] &= ~(1 << (b & 7));
        apart[b][a >> 3] &= ~(1 << (a & 7));
    }
}

// ---- Statements with labels ---------------------------------------------------------------------

static Slice read_expression(char last, int floating) {
    Slice expression = {symbols.count, 0};
    for (Token token; next_before(last, &token); expression.length++) {
        int name = find(token);
        if (names[name].kind == CONSTANT) {
            push(&symbols, name);
        } else {
            int variable = active_variable(token);
            if (expression.length == 0) fail("the first symbol must be a constant");
            if (!floating && variables[variable].floating < 0)
                fail("%.*s has no active $f", token.length, token.at);
            push(&symbols, ~variable);
        }
    }
    if (expression.length == 0) fail("an empty expression");
    return expression;
}

static void mark_variables(Slice expression, int mark) {
    for (int i = 0; i < expression.length; i++) {
        int symbol = symbols.at[expression.start + i];
        if (symbol < 0) variables[~symbol].mark = mark;
    }
}

// Collect the mandatory hypotheses of an assertion and the pairs that it keeps distinct.
static void frame(int index) {
    Statement *assertion = &statements[index];
    mark_variables(assertion->expression, index);
    for (int i = 0; i < active_hypotheses.count; i++) {
        Statement *hypothesis = &statements[active_hypotheses.at[i]];
        if (hypothesis->kind == 'e') mark_variables(hypothesis->expression, index);
    }
    assertion->hypotheses.start = frames.count;
    for (int i = 0; i < active_hypotheses.count; i++) {
        Statement *hypothesis = &statements[active_hypotheses.at[i]];
        if (hypothesis->kind == 'e' ||
            variables[~symbols.at[hypothesis->expression.start + 1]].mark == index)
            push(&frames, active_hypotheses.at[i]);
    }
    assertion->hypotheses.length = frames.count - assertion->hypotheses.start;
    assertion->distinct.start = frames.count;
    for (int i = 0; i < active_pairs.count; i += 2) {
        int a = active_pairs.at[i], b = active_pairs.at[i + 1];
        if (variables[a].mark != index || variables[b].mark != index) continue;
        push(&frames, a);
        push(&frames, b);
    }
    assertion->distinct.length = (frames.count - assertion->distinct.start) / 2;
}

// ---- Proofs -------------------------------------------------------------------------------------

static void push_slice(Ints *list, Slice slice) {
    push(list, slice.start);
    push(list, slice.length);
}

static Slice slice_at(const Ints *list, int i) {
    return (Slice){list->at[2 * i], list->at[2 * i + 1]};
}

// Whether `found` (in `work`) is `expression` (in `symbols`) with the variables' values put in.
static int matches(Slice found, Slice expression) {
    const int *a = work.at + found.start, *stop = a + found.length, *b = symbols.at + expression.start;
    for (int i = 0; i < expression.length; i++) {
        if (b[i] >= 0) {
            if (a == stop || *a++ != b[i]) return 0;
            continue;
        }
        Slice value = variables[~b[i]].value;
        if (stop - a < value.length) return 0;
        for (const int *v = work.at + value.start, *last = v + value.length; v < last;)
            if (*a++ != *v++) return 0;
    }
    return a == stop;
}

static Slice substitute(Slice expression) {
    Slice result = {work.count, 0};
    for (int i = 0; i < expression.length; i++) {
        int symbol = symbols.at[expression.start + i];
        if (symbol >= 0) {
            push(&work, symbol);
            continue;
        }
        Slice value = variables[~symbol].value;
        reserve(&work, value.length);
        const int *from = work.at + value.start;
        int *to = work.at + work.count;
        for (int j = 0; j < value.length; j++) to[j] = from[j];
        work.count += value.length;
    }
    result.length = work.count - result.start;
    return result;
}

static void check_distinct(int a, int b, Token label) {
    Slice x = variables[a].value, y = variables[b].value;
    for (int i = 0; i < x.length; i++) {
        int first = work.at[x.start + i];
        if (first >= 0) continue;
        for (int j = 0; j < y.length; j++) {
            int second = work.at[y.start + j];
            if (second < 0 && !are_apart(~first, ~second))
                fail("step %.*s needs distinct variables, but %.*s and %.*s may be equal",
                     label.length, label.at, names[variables[~first].name].name.length,
                     names[variables[~first].name].name.at, names[variables[~second].name].name.length,
                     names[variables[~second].name].name.at);
        }
    }
}

static void apply(int index) {
    Statement *statement = &statements[index];
    Token label = names[statement->label].name;
    steps++;
    if (statement->kind == 'f' || statement->kind == 'e') {
        Slice whole = {work.count, statement->expression.length};
        reserve(&work, whole.length);
        for (int i = 0; i < whole.length; i++)
            work.at[work.count++] = symbols.at[statement->expression.start + i];
        push_slice(&stack, whole);
        return;
    }
    int count = statement->hypotheses.length, base = stack.count / 2 - count;
    if (base < 0) fail("step %.*s needs %d hypotheses, the stack has %d", label.length, label.at, count,
                       stack.count / 2);
    for (int i = 0; i < count; i++) {
        Statement *hypothesis = &statements[frames.at[statement->hypotheses.start + i]];
        Slice entry = slice_at(&stack, base + i);
        Token name = names[hypothesis->label].name;
        if (hypothesis->kind == 'f') {
            const int *wanted = symbols.at + hypothesis->expression.start;
            if (work.at[entry.start] != wanted[0])
                fail("step %.*s: hypothesis %.*s has the wrong type", label.length, label.at,
                     name.length, name.at);
            variables[~wanted[1]].value = (Slice){entry.start + 1, entry.length - 1};
        } else if (!matches(entry, hypothesis->expression)) {
            fail("step %.*s: hypothesis %.*s does not match", label.length, label.at, name.length,
                 name.at);
        }
    }
    for (int i = 0; i < statement->distinct.length; i++) {
        const int *pair = frames.at + statement->distinct.start + 2 * i;
        check_distinct(pair[0], pair[1], label);
    }
    stack.count = 2 * base;
    push_slice(&stack, substitute(statement->expression));
}

// The statement that a label in a proof names.
static int cited(Token token) {
    if (token.at[0] == '?' && token.length == 1) fail("the proof is incomplete");
    Name *name = &names[find(token)];
    if (name->kind != LABEL) fail("%.*s is not a statement before this one", token.length, token.at);
    Statement *statement = &statements[name->index];
    if ((statement->kind == 'f' || statement->kind == 'e') && !statement->active)
        fail("the hypothesis %.*s is not active", token.length, token.at);
    return name->index;
}

// A compressed step: a number for a mandatory hypothesis, a label of the list, or a saved result.
static void apply_number(int number) {
    if (number < given.count) {
        apply(given.at[number]);
    } else if (number - given.count < saved.count / 2) {
        steps++;
        push_slice(&stack, slice_at(&saved, number - given.count));
    } else {
        fail("step number %d has no meaning", number + 1);
    }
}

static void check_compressed(Statement *theorem) {
    Token token;
    given.count = saved.count = 0;
    for (int i = 0; i < theorem->hypotheses.length; i++)
        push(&given, frames.at[theorem->hypotheses.start + i]);
    while (next_before('.', &token) && !(token.length == 1 && token.at[0] == ')')) {
        int index = cited(token);
        for (int i = 0; i < theorem->hypotheses.length; i++)
            if (given.at[i] == index) fail("%.*s is listed, but mandatory", token.length, token.at);
        push(&given, index);
    }
    if (is_keyword(token, '.')) fail("the list of labels does not end");
    int number = 0, may_save = 0;
    while (next_before('.', &token)) {
        for (int i = 0; i < token.length; i++) {
            int c = token.at[i];
            if (number > 10000000) fail("a step number is too large");
            if (c >= 'A' && c <= 'T') {
                apply_number(20 * number + c - 'A');
                number = 0;
                may_save = 1;
                continue;
            }
            if (c >= 'U' && c <= 'Y') {
                number = 5 * number + c - 'U' + 1;
            } else if (c == 'Z') {
                if (!may_save || number) fail("Z does not follow a step");
                push_slice(&saved, slice_at(&stack, stack.count / 2 - 1));
            } else if (c == '?') {
                fail("the proof is incomplete");
            } else {
                fail("%c in a compressed proof", c);
            }
            may_save = 0;
        }
    }
    if (number) fail("the proof ends within a number");
}

static void check_proof(Statement *theorem) {
    Token token;
    stack.count = work.count = 0;
    if (!next_before('.', &token)) fail("an empty proof");
    if (token.length == 1 && token.at[0] == '(') {
        check_compressed(theorem);
    } else {
        do apply(cited(token));
        while (next_before('.', &token));
    }
    if (stack.count != 2) fail("%d expressions are left instead of one", stack.count / 2);
    Slice left = slice_at(&stack, 0);
    int same = left.length == theorem->expression.length;
    for (int i = 0; same && i < left.length; i++)
        same = work.at[left.start + i] == symbols.at[theorem->expression.start + i];
    if (!same) fail("the proof is of something else");
}

// ---- The database -------------------------------------------------------------------------------

static void read_statement(Token label) {
    current = label;
    for (int i = 0; i < label.length; i++) {
        char c = label.at[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
              c == '_' || c == '.'))
            fail("%c is not allowed in a label", c);
    }
    int name = find(label);
    if (names[name].kind != NOTHING) fail("the label is in use already");
    Token keyword = next();
    if (keyword.length != 2 || keyword.at[0] != '$' || !strchr("feap", keyword.at[1]))
        fail("a label needs $f, $e, $a or $p");
    if (statement_count == statement_room) {
        statement_room = statement_room ? 2 * statement_room : 256;
        statements = resize(statements, statement_room * sizeof *statements);
    }
    int index = statement_count++;
    Statement *statement = &statements[index];
    memset(statement, 0, sizeof *statement);
    statement->label = name;
    statement->kind = keyword.at[1];
    statement->expression = read_expression(keyword.at[1] == 'p' ? '=' : '.', keyword.at[1] == 'f');
    if (statement->kind == 'f') {
        const int *pair = symbols.at + statement->expression.start;
        if (statement->expression.length != 2 || pair[1] >= 0) fail("$f needs a constant and a variable");
        if (variables[~pair[1]].floating >= 0) fail("the variable has an active $f already");
        variables[~pair[1]].floating = index;
    }
    if (statement->kind == 'f' || statement->kind == 'e') {
        statement->active = 1;
        push(&active_hypotheses, index);
    } else {
        frame(index);
        if (statement->kind == 'p') check_proof(statement);
        *(statement->kind == 'p' ? &theorems : &axioms) += 1;
    }
    names[name].kind = LABEL;  // only now: a proof must not cite its own theorem
    names[name].index = index;
}

static void read_database(void) {
    for (Token token; (token = next()).length;) {
        current.length = 0;
        if (token.at[0] != '$') read_statement(token);
        else if (is_keyword(token, 'c')) declare_constants();
        else if (is_keyword(token, 'v')) declare_variables();
        else if (is_keyword(token, 'd')) declare_distinct();
        else if (is_keyword(token, '{')) open_scope();
        else if (is_keyword(token, '}')) close_scope();
        else if (is_keyword(token, '[')) fail("include commands are not supported");
        else fail("%.*s is not expected here", token.length, token.at);
    }
    current.length = 0;
    if (depth) fail("%d scopes are not closed", depth);
}

int main(int count, char **arguments) {
    FILE *file = count > 1 ? fopen(arguments[1], "rb") : stdin;
    if (file == NULL) {
        fprintf(stderr, "metamath: cannot read %s\n", arguments[1]);
        return 2;
    }
    size_t length = 0, room = 0;
    for (size_t more = 1; more; length += more) {
        if (room - length < 1 << 16) text = resize(text, room = 2 * room + (1 << 17));
        more = fread(text + length, 1, 1 << 16, file);
    }
    here = text;
    end = text + length;
    read_database();
    printf("%d axioms, %d theorems, %lld proof steps: every proof is correct\n", axioms, theorems, steps);
    return 0;
}
