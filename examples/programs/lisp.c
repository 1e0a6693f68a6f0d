// A small Lisp: expressions on standard input, the value of each on standard output.
//
//     echo '(define (f n) (if (< n 2) 1 (* n (f (- n 1))))) (f 20)' |
//         transputer run examples/programs/lisp.c
//
// Numbers have 64 bits. There is define, lambda, if, quote, let, begin; closures see their
// surroundings, and calls in tail position take no stack. Memory is never given back.

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { NUMBER, SYMBOL, PAIR, BUILTIN, CLOSURE } Kind;
typedef struct Value Value;
struct Value {
    Kind kind;
    union {
        long long number;
        const char *name;
        struct { Value *head, *tail; };                    // a pair
        struct { Value *(*call)(Value *); };               // a builtin
        struct { Value *params, *body, *env; };            // a closure
    };
};

static Value *symbols, *globals, *truth;
static Value *sym_define, *sym_lambda, *sym_if, *sym_quote, *sym_let, *sym_begin;

static void fail(const char *why, const char *what) {
    fflush(stdout);
    fprintf(stderr, "lisp: %s%s\n", why, what);
    exit(1);
}

static Value *make(Kind kind) {
    Value *value = malloc(sizeof *value);
    if (value == NULL) fail("out of memory", "");
    value->kind = kind;
    return value;
}

static Value *number(long long n) {
    Value *value = make(NUMBER);
    value->number = n;
    return value;
}

static Value *cons(Value *head, Value *tail) {
    Value *value = make(PAIR);
    value->head = head;
    value->tail = tail;
    return value;
}

static Value *symbol(const char *name) {
    for (Value *s = symbols; s; s = s->tail)
        if (strcmp(s->head->name, name) == 0) return s->head;
    Value *value = make(SYMBOL);
    char *copy = malloc(strlen(name) + 1);
    if (copy == NULL) fail("out of memory", "");
    value->name = strcpy(copy, name);
    symbols = cons(value, symbols);
    return value;
}

// The empty list is a null pointer, and false; everything else is true.

static Value *head(Value *v) {
    if (v == NULL || v->kind != PAIR) fail("not a pair", "");
    return v->head;
}

static Value *tail(Value *v) {
    if (v == NULL || v->kind != PAIR) fail("not a pair", "");
    return v->tail;
}

static long long integer(Value *v) {
    if (v == NULL || v->kind != NUMBER) fail("not a number", "");
    return v->number;
}

// Reading

static int peek_char(void) {
    int c = getchar();
    while (c != EOF && (isspace(c) || c == ';')) {
        if (c == ';') while (c != EOF && c != '\n') c = getchar();
        if (c != EOF) c = getchar();
    }
    ungetc(c, stdin);
    return c;
}

static Value *read_value(void);

static Value *read_list(void) {
    Value *first = NULL, **end = &first;
    for (;;) {
        int c = peek_char();
        if (c == EOF) fail("a list without an end", "");
        if (c == ')') {
            getchar();
            return first;
        }
        *end = cons(read_value(), NULL);
        end = &(*end)->tail;
    }
}

static Value *read_value(void) {
    char text[64];
    int length = 0, c = peek_char();
    if (c == ')') fail("a ) too many", "");
    if (c == '(') return getchar(), read_list();
    if (c == '\'') {
        getchar();
        return cons(sym_quote, cons(read_value(), NULL));
    }
    while ((c = getchar()) != EOF && !isspace(c) && !strchr("();'", c))
        if (length < (int)sizeof text - 1) text[length++] = (char)c;
    ungetc(c, stdin);
    text[length] = 0;
    int sign = text[0] == '-';
    if (isdigit((unsigned char)text[sign])) return number(strtoll(text, NULL, 10));
    return symbol(text);
}

// Printing

static void print(Value *v) {
    if (v == NULL) {
        printf("()");
    } else if (v->kind == NUMBER) {
        printf("%lld", v->number);
    } else if (v->kind == SYMBOL) {
        printf("%s", v->name);
    } else if (v->kind == PAIR) {
        for (const char *before = "("; v && v->kind == PAIR; v = v->tail, before = " ") {
            printf("%s", before);
            print(v->head);
        }
        if (v) printf(" . "), print(v);
        printf(")");
    } else {
        printf(v->kind == BUILTIN ? "<builtin>" : "<function>");
    }
}

// Evaluating. An environment is a list of (symbol . value), the innermost first.

static Value *binding(Value *name, Value *env) {
    for (; env; env = env->tail)
        if (env->head->head == name) return env->head;
    for (env = globals; env; env = env->tail)
        if (env->head->head == name) return env->head;
    return NULL;
}

static Value *eval(Value *v, Value *env);

static Value *eval_list(Value *list, Value *env) {
    Value *first = NULL, **end = &first;
    for (; list; list = tail(list)) {
        *end = cons(eval(head(list), env), NULL);
        end = &(*end)->tail;
    }
    return first;
}

static Value *closure(Value *params, Value *body, Value *env) {
    Value *value = make(CLOSURE);
    value->params = params;
    value->body = body;
    value->env = env;
    return value;
}

static Value *define(Value *rest, Value *env) {
    Value *target = head(rest), *value;
    if (target && target->kind == PAIR) {  // (define (name params...) body...)
        value = closure(tail(target), tail(rest), env);
        target = head(target);
    } else {
        value = eval(head(tail(rest)), env);
    }
    Value *held = binding(target, NULL);
    if (held) held->tail = value;
    else globals = cons(cons(target, value), globals);
    return target;
}

static Value *bind(Value *params, Value *args, Value *env) {
    for (; params; params = tail(params), args = tail(args)) {
        if (args == NULL) fail("too few arguments", "");
        env = cons(cons(head(params), head(args)), env);
    }
    if (args) fail("too many arguments", "");
    return env;
}

// All but the last value of a body; the last is for the caller to go on with.
static Value *last_of(Value *body, Value *env) {
    if (body == NULL) fail("nothing to do", "");
    for (; tail(body); body = tail(body)) eval(head(body), env);
    return head(body);
}

static Value *eval(Value *v, Value *env) {
    for (;;) {
        if (v == NULL || v->kind == NUMBER) return v;
        if (v->kind == SYMBOL) {
            Value *held = binding(v, env);
            if (held == NULL) fail("unknown: ", v->name);
            return held->tail;
        }
        if (v->kind != PAIR) return v;
        Value *first = v->head, *rest = v->tail;
        if (first == sym_quote) return head(rest);
        if (first == sym_define) return define(rest, env);
        if (first == sym_lambda) return closure(head(rest), tail(rest), env);
        if (first == sym_if) {
            Value *arms = tail(rest);
            if (eval(head(rest), env)) v = head(arms);
            else if (tail(arms)) v = head(tail(arms));
            else return NULL;
        } else if (first == sym_begin) {
            v = last_of(rest, env);
        } else if (first == sym_let) {
            Value *inner = env;
            for (Value *b = head(rest); b; b = tail(b))
                inner = cons(cons(head(head(b)), eval(head(tail(head(b))), env)), inner);
            env = inner;
            v = last_of(tail(rest), env);
        } else {
            Value *function = eval(first, env), *args = eval_list(rest, env);
            if (function && function->kind == BUILTIN) return function->call(args);
            if (!function || function->kind != CLOSURE) fail("not a function", "");
            env = bind(function->params, args, function->env);
            v = last_of(function->body, env);
        }
    }
}

// Builtins

static Value *boolean(int yes) { return yes ? truth : NULL; }

static Value *add(Value *a) {
    long long sum = 0;
    for (; a; a = tail(a)) sum += integer(head(a));
    return number(sum);
}

static Value *multiply(Value *a) {
    long long product = 1;
    for (; a; a = tail(a)) product *= integer(head(a));
    return number(product);
}

static Value *subtract(Value *a) {
    long long first = integer(head(a));
    if (tail(a) == NULL) return number(-first);
    return number(first - integer(head(tail(a))));
}

static Value *divide(Value *a) {
    long long by = integer(head(tail(a)));
    if (by == 0) fail("division by zero", "");
    return number(integer(head(a)) / by);
}

static Value *remainder_of(Value *a) {
    long long by = integer(head(tail(a)));
    if (by == 0) fail("division by zero", "");
    return number(integer(head(a)) % by);
}

static Value *less(Value *a) { return boolean(integer(head(a)) < integer(head(tail(a)))); }
static Value *equal(Value *a) { return boolean(integer(head(a)) == integer(head(tail(a)))); }
static Value *same(Value *a) { return boolean(head(a) == head(tail(a))); }
static Value *first_of(Value *a) { return head(head(a)); }
static Value *rest_of(Value *a) { return tail(head(a)); }
static Value *make_pair(Value *a) { return cons(head(a), head(tail(a))); }
static Value *list(Value *a) { return a; }
static Value *is_null(Value *a) { return boolean(head(a) == NULL); }
static Value *is_pair(Value *a) { return boolean(head(a) && head(a)->kind == PAIR); }
static Value *display(Value *a) { return print(head(a)), printf("\n"), NULL; }

static void offer(const char *name, Value *(*call)(Value *)) {
    Value *value = make(BUILTIN);
    value->call = call;
    globals = cons(cons(symbol(name), value), globals);
}

int main(void) {
    sym_define = symbol("define"), sym_lambda = symbol("lambda"), sym_if = symbol("if");
    sym_quote = symbol("quote"), sym_let = symbol("let"), sym_begin = symbol("begin");
    truth = symbol("t");
    globals = cons(cons(truth, truth), NULL);
    offer("display", display), offer("eq?", same), offer("pair?", is_pair);
    offer("null?", is_null), offer("list", list), offer("cons", make_pair);
    offer("cdr", rest_of), offer("car", first_of), offer("mod", remainder_of);
    offer("/", divide), offer("=", equal), offer("<", less);
    offer("*", multiply), offer("-", subtract), offer("+", add);
    while (peek_char() != EOF) {
        print(eval(read_value(), NULL));
        printf("\n");
    }
    return 0;
}
