// A compiler of a small C, written in that C, for the soft machine. It reads C and writes an image,
// or prints the first error as `line:column: message` and returns 1. docs/selfhost.md has the language.
//
// One pass: what is parsed is emitted at once. An expression is computed in registers, the value of
// depth k in register k; what a call needs later it keeps in its frame. Every scalar is one word.

int getchar(void);
int putchar(int c);

// The operations of the machine that are used, and a mark for numbers that count from the end of
// the words that memory begins with.
enum {
    HALT = 0, MOV = 1, SET = 2, ADD = 3, ADDI = 4, SUB = 5, AND = 6, OR = 7, XOR = 8, SHL = 9,
    SRA = 11, CMP = 15, JMP = 17, JEQ = 18, JNE = 19, JLT = 20, JGE = 21, CALL = 22, RET = 23,
    LD = 24, ST = 25, IN = 30, OUT = 31, MUL = 32, SHLV = 33, SRAV = 35, BEHIND = 64
};
// Registers: those below WORK are for expressions.
enum { WORK = 10, ZERO = 13, LINK = 14, STACK = 15 };
// Places in the code: where a division by zero goes, and a call that is too deep.
enum { DIVIDED = 3, TOO_DEEP = 5 };
// How much of everything there is.
enum { CODE = 16384, DATA = 8192, NAMES = 16384, SYMBOLS = 1024, WORD = 64, FRAMES = 4096 };
enum { SHOWN = 24 };
enum { MEMORY = 1 << 23 };

// Tokens: characters stand for themselves, COMPOUND plus an operator for its assignment.
enum {
    END = 256, NAME, NUMBER, STRING, EQ, NE, LE, GE, LEFT, RIGHT, BOTH, EITHER, MORE, LESS,
    INT, CHAR, VOID, STATIC, CONST, ENUM, IF, ELSE, WHILE, FOR, DO, RETURN, BREAK, CONTINUE,
    COMPOUND = 512
};
char *keywords[] = {
    "int", "char", "void", "static", "const", "enum", "if", "else", "while", "for", "do",
    "return", "break", "continue"
};
// Words of C that this compiler refuses.
enum { REFUSED = 19 };
char *refused[] = {
    "switch", "case", "default", "goto", "sizeof", "typedef", "struct", "union", "unsigned",
    "signed", "long", "short", "float", "double", "extern", "register", "auto", "volatile", "inline"
};

// Types: a pointer is POINTER more than what it points to.
enum { NOTHING = 0, BYTE = 1, WHOLE = 2, POINTER = 4 };
// What a name is: a number, a variable in the frame, among the first words or behind them, a
// function, or an operation of the machine.
enum { CONSTANT, LOCAL, INITIAL, ZEROED, FUNCTION, PORT };

// What the machine lacks, in C; compiled after the program where it is used.
enum { DIV, REM, ROUTINES };
char *routine_names[] = {"__div", "__rem"};
char *routines[] = {
    "int __div(int n, int d) {"
    "    int q = 0, k = 1, a = -d, m = -n, s = n ^ d;"
    "    if (d == 0) __trap();"
    "    if (a > 0) a = d;"
    "    if (m > 0) m = n;"
    "    while (m - a < a) { a = a + a; k = k + k; }"
    "    do { while (m <= a) { m = m - a; q = q + k; } a = a >> 1; k = k >> 1; } while (k);"
    "    if (s < 0) return -q;"
    "    return q;"
    "}",
    "int __rem(int n, int d) {"
    "    int k = 1, a = -d, m = -n;"
    "    if (d == 0) __trap();"
    "    if (a > 0) a = d;"
    "    if (m > 0) m = n;"
    "    while (m - a < a) { a = a + a; k = k + k; }"
    "    do { while (m <= a) m = m - a; a = a >> 1; k = k >> 1; } while (k);"
    "    if (n > 0) return -m;"
    "    return m;"
    "}"
};

// The source: what is left of a routine's text, the character that comes next, the token.
char *feed = "";
int feeding, line = 1, column, next_char = ' ', token, value, hash, failed;
char word[WORD];
// Where the token begins, and how it is spelled, as far as a message shows it.
int token_line, token_column, spelled;
char spelling[SHOWN];

// The code: operation, d, a and b in the bytes of a word, and the number. `test` is the place behind
// a comparison that made 0 or 1, and nothing since; 0 where there is none.
int code[CODE], number[CODE], length, test;
// The words that memory begins with, how many words follow them, and the values of an initialiser.
int data[DATA], words = 1, behind, list[DATA];

char names[NAMES];
int named;
int symbol_name[SYMBOLS], symbol_hash[SYMBOLS], symbol_kind[SYMBOLS], symbol_type[SYMBOLS];
int symbol_value[SYMBOLS], symbol_count[SYMBOLS], symbol_used[SYMBOLS], symbols;
// What of a name is const, as in `readonly`; the first name of the innermost block.
int symbol_readonly[SYMBOLS], scope;

// The function being compiled: words of its frame now and at most, what it gives, and chains of
// jumps to be set, each with the place of the one before, 0 at the end.
int local, frame, result, returns, breaks, continues, looping;

// The expression just compiled for register k: a number, a value in register k, or a place in
// memory: `offset` words from what register `base` holds, marked where it is BEHIND.
enum { FIXED, VALUE, PLACE };
int form, type, base, offset, mark;
// What of the expression is const: bit 0 is the expression itself, bit 1 what it points to, and so
// on. `base_readonly` and `declared` are the same of a declaration, before and behind its stars.
int readonly, base_readonly, declared;
// Where the expression begins.
int operand_line, operand_column;

// ---- what is wrong

void print(char *text) {
    while (*text) putchar(*text++);
}

void print_number(int n) {
    if (n > 9) print_number(n / 10);
    putchar('0' + n % 10);
}

// Report the first error only; from then on the source is at its end. A name is quoted.
void fail_at(int at_line, int at_column, char *what, char *name) {
    if (!failed) {
        print_number(at_line);
        putchar(':');
        print_number(at_column);
        print(": ");
        if (*name) {
            putchar('\'');
            print(name);
            print("' ");
        }
        print(what);
        putchar('\n');
    }
    failed = 1;
    token = END;
}

void fail(char *what, char *name) {
    fail_at(token_line, token_column, what, name);
}

// The same about the expression just compiled.
void fail_operand(char *what) {
    fail_at(operand_line, operand_column, what, "");
}

int same(char *a, char *b) {
    while (*a && *a == *b) {
        a++;
        b++;
    }
    return *a == *b;
}

// A word of C that this compiler lacks is no name.
void check_word(void) {
    int i;
    for (i = 0; i < REFUSED; i++)
        if (same(word, refused[i])) fail("is not supported", word);
}

// The same about a token that should be another one.
void fail_expected(char *what) {
    if (token == NAME) check_word();
    if (!failed) {
        print_number(token_line);
        putchar(':');
        print_number(token_column);
        print(": expected ");
        print(what);
        if (token == END) {
            print(" before the end of the file");
        } else {
            print(" before '");
            print(spelling);
            putchar('\'');
        }
        putchar('\n');
    }
    failed = 1;
    token = END;
}

// ---- tokens

void take(void) {
    if (spelled < SHOWN - 1 && next_char > ' ' && next_char < 127) spelling[spelled++] = next_char;
    column++;
    if (next_char == '\n') {
        line++;
        column = 1;
    }
    if (feeding) next_char = *feed ? *feed++ : -1;
    else next_char = getchar();
}

int is_letter(int c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_';
}

int is_digit(int c) {
    return c >= '0' && c <= '9';
}

int digit(int c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return 99;
}

void skip_line(void) {
    while (next_char != '\n' && next_char >= 0) take();
}

void skip_comment(void) {
    int before = 0;
    take();
    while (next_char >= 0 && !(before == '*' && next_char == '/')) {
        before = next_char;
        take();
    }
    if (next_char < 0) fail("the comment does not end", "");
    take();
}

// A character of a string or character constant, backslashes understood.
int character(void) {
    int c = next_char, n = 0, i;
    take();
    if (c != '\\') return c;
    for (i = 0; i < 3 && digit(next_char) < 8; i++) {
        n = (n << 3) + digit(next_char);
        take();
    }
    if (i) return n << 24 >> 24;
    c = next_char;
    take();
    if (c == 'n') return '\n';
    if (c == 't') return '\t';
    if (c == 'r') return '\r';
    if (c == '\\' || c == '\'' || c == '"') return c;
    fail("unknown escape sequence", "");
    return 0;
}

void scan_name(void) {
    int n = 0, i;
    hash = 0;
    while (is_letter(next_char) || is_digit(next_char)) {
        if (n == WORD - 1) fail("the name is too long", "");
        else word[n++] = next_char;
        hash = ((hash << 5) + next_char ^ hash >> 19) & 0xFFFFFF;
        take();
    }
    word[n] = 0;
    token = NAME;
    for (i = 0; i <= CONTINUE - INT; i++)
        if (same(word, keywords[i])) token = INT + i;
}

// A number that an int holds, in base 10, 8 or 16; `most` is the largest that takes another digit.
void scan_number(void) {
    int radix = 10, most = 214748364, n;
    value = 0;
    token = NUMBER;
    if (next_char == '0') {
        radix = 8;
        most = 0xFFFFFFF;
        take();
        if (next_char == 'x' || next_char == 'X') {
            radix = 16;
            most = 0x7FFFFFF;
            take();
        }
    }
    while (is_letter(next_char) || is_digit(next_char)) {
        n = digit(next_char);
        if (n >= radix) fail("not a number", "");
        if (value > most || radix == 10 && value == most && n > 7) fail("the number is too large", "");
        value = value * radix + n;
        take();
    }
}

void add_word(int n) {
    if (words == DATA) fail("too many strings and initial values", "");
    else data[words++] = n;
}

void skip_space(void) {
    while (next_char == ' ' || next_char == '\n' || next_char == '\t' || next_char == '\r') take();
}

// A string goes to the words that memory begins with; strings side by side are one.
void scan_string(void) {
    token = STRING;
    value = words;
    while (next_char == '"') {
        take();
        while (next_char != '"' && next_char != '\n' && next_char >= 0)
            add_word(character() << 24 >> 24);
        if (next_char != '"') fail("the string does not end", "");
        take();
        skip_space();
    }
    add_word(0);
}

int follows(int c) {
    if (next_char != c) return 0;
    take();
    return 1;
}

// The operator that begins with a character.
int operator(int c) {
    if (c == '=' && follows('=')) return EQ;
    if (c == '!' && follows('=')) return NE;
    if (c == '+' && follows('+')) return MORE;
    if (c == '-' && follows('-')) return LESS;
    if (c == '&' && follows('&')) return BOTH;
    if (c == '|' && follows('|')) return EITHER;
    if (c == '<') {
        if (follows('=')) return LE;
        if (follows('<')) c = LEFT;
        else return c;
    } else if (c == '>') {
        if (follows('=')) return GE;
        if (follows('>')) c = RIGHT;
        else return c;
    } else if (c != '+' && c != '-' && c != '*' && c != '/' && c != '%' && c != '&' && c != '|'
               && c != '^') {
        return c;
    }
    return follows('=') ? COMPOUND + c : c;
}

void scan_character(void) {
    value = character();
    token = NUMBER;
    if (!follows('\'')) fail("the character does not end", "");
}

// The next token; what is between tokens is passed over, and lines that begin with #.
void next(void) {
    int c, complete = 0;
    while (!complete) {
        complete = 1;
        skip_space();
        token_line = line;
        token_column = column;
        spelled = 0;
        c = next_char;
        if (failed || c < 0) {
            token = END;
        } else if (is_letter(c)) {
            scan_name();
        } else if (is_digit(c)) {
            scan_number();
        } else if (c == '"') {
            scan_string();
        } else {
            take();
            if (c == '\'') {
                scan_character();
            } else if (c == '#' || c == '/' && next_char == '/') {
                skip_line();
                complete = 0;
            } else if (c == '/' && next_char == '*') {
                skip_comment();
                complete = 0;
            } else if (c < ' ' || c > 126) {
                fail("this character is not part of C", "");
            } else {
                token = operator(c);
            }
        }
    }
    spelling[spelled] = 0;
    if (failed) token = END;
}

void expect(int wanted) {
    char text[4];
    text[0] = text[2] = '\'';
    text[1] = wanted;
    text[3] = 0;
    if (token == wanted) next();
    else fail_expected(text);
}

int accept(int wanted) {
    if (token != wanted) return 0;
    next();
    return 1;
}

// ---- names

int lookup(void) {
    int i;
    for (i = symbols - 1; i >= 0; i--)
        if (symbol_hash[i] == hash && same(names + symbol_name[i], word)) return i;
    return -1;
}

// A new meaning of the word just read; an error if it has one in this block.
int declare(int kind, int of, int where) {
    int i = 0;
    check_word();
    if (lookup() >= scope) fail("is declared already", word);
    if (symbols == SYMBOLS || named + WORD > NAMES) {
        fail("too many names", "");
        return 0;
    }
    symbol_name[symbols] = named;
    while (word[i]) names[named++] = word[i++];
    names[named++] = 0;
    symbol_hash[symbols] = hash;
    symbol_kind[symbols] = kind;
    symbol_type[symbols] = of;
    symbol_value[symbols] = where;
    symbol_count[symbols] = 0;
    symbol_used[symbols] = 0;
    symbol_readonly[symbols] = declared;
    return symbols++;
}

// The same for a name that the compiler knows by itself.
void declare_known(char *name, int kind, int where, int count) {
    feed = name;
    feeding = 1;
    next_char = ' ';
    next();
    symbol_count[declare(kind, WHOLE, where)] = count;
}

// ---- code

void emit(int op, int d, int a, int b, int n) {
    if (length == CODE) {
        fail("too much code", "");
        return;
    }
    code[length] = op | d << 8 | a << 16 | b << 24;
    number[length++] = n;
}

// A jump that goes where `patch` says.
int jump(int op) {
    emit(op, 0, 0, 0, 0);
    return length - 1;
}

void patch(int at) {
    number[at] = length;
    test = 0;
}

void patch_all(int chain) {
    int before;
    while (chain) {
        before = number[chain];
        patch(chain);
        chain = before;
    }
}

// Bring the expression into register k.
void load(int k) {
    if (type == NOTHING) fail_operand("this is void: it has no value");
    if (form == FIXED) emit(SET, k, 0, 0, offset);
    if (form == PLACE) emit(LD | mark, k, base, 0, offset);
    form = VALUE;
    mark = 0;
}

// A value as a char holds it.
void narrow(int k) {
    emit(SHL, k, k, 0, 24);
    emit(SRA, k, k, 0, 24);
}

// 1 in register k where the jump would be taken, else 0.
void truth(int k, int op) {
    int at;
    emit(SET, k, 0, 0, 1);
    at = jump(op);
    emit(SET, k, 0, 0, 0);
    patch(at);
    test = length;
    form = VALUE;
    type = WHOLE;
}

// A jump that is taken where the value of an expression in register 0 is 0.
int jump_if_not(void) {
    int op;
    load(0);
    if (test && test == length) {
        op = code[length - 2] & 63 ^ 1;
        length -= 3;
        test = 0;
        return jump(op);
    }
    emit(CMP, 0, 0, ZERO, 0);
    return jump(JEQ);
}

void keep_words(int n) {
    if (n > FRAMES - local) fail("too much for a frame", "");
    else local += n;
    if (local > frame) frame = local;
}

// Call a function with arguments from register k on; what it gives is then in register k.
void call(int k, int count, int symbol) {
    int i, kept = local;
    keep_words(k);
    for (i = 0; i < k; i++) emit(ST, 0, STACK, i, kept + i);
    for (i = 0; k && i < count; i++) emit(MOV, i, k + i, 0, 0);
    emit(CALL, LINK, 0, 0, symbol);
    symbol_used[symbol] = 1;
    if (k) emit(MOV, k, 0, 0, 0);
    for (i = 0; i < k; i++) emit(LD, i, STACK, 0, kept + i);
    local = kept;
    form = VALUE;
    type = symbol_type[symbol];
    readonly = symbol_readonly[symbol];
}

// ---- expressions

void assignment(int k);

void expression(int k) {
    assignment(k);
    while (accept(',')) assignment(k);
}

int constant(void) {
    assignment(0);
    if (form != FIXED) fail_operand("this is not a constant");
    return offset;
}

int starts_type(void) {
    return token >= INT && token <= CONST;
}

// The type before the names that a declaration declares.
int base_type(void) {
    int kind = WHOLE;
    base_readonly = 0;
    while (token == STATIC || token == CONST) {
        if (token == CONST) base_readonly = 1;
        next();
    }
    if (token == CHAR) kind = BYTE;
    else if (token == VOID) kind = NOTHING;
    else if (token != INT) fail_expected("a type");
    next();
    while (accept(CONST)) base_readonly = 1;
    return kind;
}

int pointers(int to) {
    declared = base_readonly;
    while (token == '*' || token == CONST) {
        if (token == '*') {
            to += POINTER;
            declared = declared << 1;
        } else {
            declared = declared | 1;
        }
        next();
    }
    return to;
}

void arguments(int k, int symbol, int at_line, int at_column) {
    int count = 0;
    next();
    while (token != ')' && token != END) {
        assignment(k + count);
        load(k + count);
        count++;
        if (token != ')') expect(',');
    }
    if (token == ')' && count != symbol_count[symbol])
        fail_at(at_line, at_column, "has another number of arguments", names + symbol_name[symbol]);
    expect(')');
    if (symbol_kind[symbol] == FUNCTION) {
        call(k, count, symbol);
        return;
    }
    if (symbol_value[symbol] == JMP) emit(JMP, 0, 0, 0, DIVIDED);
    else emit(symbol_value[symbol], k, k, 0, 0);
    if (symbol_value[symbol] == OUT) {
        emit(SET, WORK, 0, 0, 255);
        emit(AND, k, k, WORK, 0);
    }
    form = VALUE;
    type = WHOLE;
}

// The address of the place that an expression is, in register k.
void address(int k) {
    if (base == ZERO) emit(SET | mark, k, 0, 0, offset);
    else if (base != k || offset) emit(ADDI, k, base, 0, offset);
    form = VALUE;
    mark = 0;
}

void name(int k) {
    int symbol = lookup(), kind, at_line = token_line, at_column = token_column;
    if (symbol < 0) {
        check_word();
        fail("is not declared", word);
        return;
    }
    kind = symbol_kind[symbol];
    next();
    if (kind >= FUNCTION) {
        if (token != '(') fail_at(at_line, at_column, "is a function", names + symbol_name[symbol]);
        else arguments(k, symbol, at_line, at_column);
        return;
    }
    type = symbol_type[symbol];
    readonly = symbol_readonly[symbol];
    offset = symbol_value[symbol];
    form = kind == CONSTANT ? FIXED : PLACE;
    base = kind == LOCAL ? STACK : ZERO;
    mark = kind == ZEROED ? BEHIND : 0;
    if (symbol_count[symbol]) {
        address(k);
        type += POINTER;
        readonly = readonly << 1;
    }
}

// The expression must be a place that can be written.
void check_assigned(void) {
    if (form != PLACE) fail_operand("this cannot be assigned");
    if (readonly & 1) fail_operand("this is const: it cannot be assigned");
}

// Add to the place that an expression is; the old or the new value is in register k.
void step(int k, int amount, int old) {
    int to = base == k ? k + 1 : k;
    check_assigned();
    emit(LD | mark, to, base, 0, offset);
    emit(ADDI, WORK, to, 0, amount);
    if (type == BYTE) narrow(WORK);
    emit(ST | mark, 0, base, WORK, offset);
    if (!old) emit(MOV, k, WORK, 0, 0);
    else if (to != k) emit(MOV, k, to, 0, 0);
    form = VALUE;
    mark = 0;
}

void pointed(void) {
    if (type < POINTER) fail_operand("this is not a pointer");
    type -= POINTER;
    readonly = readonly >> 1;
    form = PLACE;
}

void postfix(int k) {
    int array, fixed, at_line = operand_line, at_column = operand_column;
    while (token == '[' || token == MORE || token == LESS) {
        if (token != '[') {
            step(k, token == MORE ? 1 : -1, 1);
            next();
            continue;
        }
        load(k);
        array = type;
        fixed = readonly;
        next();
        expression(k + 1);
        if (form != FIXED) {
            load(k + 1);
            emit(ADD, k, k, k + 1, 0);
            offset = 0;
        }
        type = array;
        readonly = fixed;
        operand_line = at_line;
        operand_column = at_column;
        pointed();
        base = k;
        expect(']');
    }
}

void unary(int k);

void parenthesis(int k) {
    int to, fixed;
    next();
    if (!starts_type()) {
        expression(k);
        expect(')');
        postfix(k);
        return;
    }
    to = pointers(base_type());
    fixed = declared;
    expect(')');
    unary(k);
    if (to != NOTHING && (form != FIXED || to == BYTE)) load(k);
    if (to == BYTE) narrow(k);
    if (to == NOTHING) form = VALUE;
    type = to;
    readonly = fixed;
}

// - ~ and ! of the expression that follows.
void inverse(int k, int op) {
    next();
    unary(k);
    if (form == FIXED && op != '!') {
        offset = op == '-' ? -offset : ~offset;
        return;
    }
    load(k);
    if (op == '-') {
        emit(SUB, k, ZERO, k, 0);
    } else if (op == '~') {
        emit(SET, WORK, 0, 0, -1);
        emit(XOR, k, k, WORK, 0);
    } else {
        emit(CMP, 0, k, ZERO, 0);
        truth(k, JEQ);
    }
    type = WHOLE;
}

void unary(int k) {
    int first = token, at_line = token_line, at_column = token_column;
    operand_line = at_line;
    operand_column = at_column;
    if (k >= WORK - 1) {
        fail("the expression is too deep", "");
    } else if (first == NUMBER || first == STRING) {
        form = FIXED;
        readonly = 0;
        offset = value;
        type = first == STRING ? BYTE + POINTER : WHOLE;
        next();
        postfix(k);
    } else if (first == NAME) {
        name(k);
        operand_line = at_line;
        operand_column = at_column;
        postfix(k);
    } else if (first == '(') {
        parenthesis(k);
    } else if (first == '-' || first == '~' || first == '!') {
        inverse(k, first);
    } else if (first == '*') {
        next();
        unary(k);
        load(k);
        pointed();
        base = k;
        offset = 0;
    } else if (first == '&') {
        next();
        unary(k);
        if (form != PLACE) fail_operand("this has no address");
        address(k);
        type += POINTER;
        readonly = readonly << 1;
    } else if (first == MORE || first == LESS) {
        next();
        unary(k);
        step(k, first == MORE ? 1 : -1, 0);
    } else {
        fail_expected("an expression");
    }
    operand_line = at_line;
    operand_column = at_column;
}

int precedence(int op) {
    if (op == '*' || op == '/' || op == '%') return 10;
    if (op == '+' || op == '-') return 9;
    if (op == LEFT || op == RIGHT) return 8;
    if (op == '<' || op == '>' || op == LE || op == GE) return 7;
    if (op == EQ || op == NE) return 6;
    if (op == '&') return 5;
    if (op == '^') return 4;
    if (op == '|') return 3;
    if (op == BOTH) return 2;
    if (op == EITHER) return 1;
    return 0;
}

void check_shift(int by) {
    if (by < 0 || by > 31) fail_operand("the shift is not from 0 to 31");
}

int folded(int op, int a, int b) {
    if (op == LEFT || op == RIGHT) check_shift(b);
    if ((op == '/' || op == '%') && b == 0) fail_operand("division by zero");
    if (failed) return 0;
    if (b == -1 && op == '/') return -a;
    if (b == -1 && op == '%') return 0;
    if (op == '*') return a * b;
    if (op == '/') return a / b;
    if (op == '%') return a % b;
    if (op == '+') return a + b;
    if (op == '-') return a - b;
    if (op == LEFT) return a << b;
    if (op == RIGHT) return a >> b;
    if (op == '<') return a < b;
    if (op == '>') return a > b;
    if (op == LE) return a <= b;
    if (op == GE) return a >= b;
    if (op == EQ) return a == b;
    if (op == NE) return a != b;
    if (op == '&') return a & b;
    if (op == '^') return a ^ b;
    return a | b;
}

void compare(int k, int op) {
    if (op == '>' || op == LE) emit(CMP, 0, k + 1, k, 0);
    else emit(CMP, 0, k, k + 1, 0);
    if (op == EQ) truth(k, JEQ);
    else if (op == NE) truth(k, JNE);
    else if (op == '<' || op == '>') truth(k, JLT);
    else truth(k, JGE);
}

// Register k, which holds a value of type `left`, and the expression of register k + 1; `fixed` is
// what of the left one is const.
void operate(int k, int op, int left, int fixed) {
    int right = type, three = 0;
    if (form == FIXED && (op == '+' || op == '-')) {
        emit(ADDI, k, k, 0, op == '+' ? offset : -offset);
    } else if (form == FIXED && (op == LEFT || op == RIGHT)) {
        check_shift(offset);
        emit(op == LEFT ? SHL : SRA, k, k, 0, offset);
    } else {
        load(k + 1);
        if (op == '+') three = ADD;
        else if (op == '-') three = SUB;
        else if (op == '&') three = AND;
        else if (op == '|') three = OR;
        else if (op == '^') three = XOR;
        else if (op == '*') three = MUL;
        else if (op == LEFT) three = SHLV;
        else if (op == RIGHT) three = SRAV;
        if (three) emit(three, k, k, k + 1, 0);
        else if (precedence(op) == 7 || precedence(op) == 6) compare(k, op);
        else call(k, 2, op == '/' ? DIV : REM);
    }
    type = WHOLE;
    if (op == '+' || op == '-') {
        if (left >= POINTER && right < POINTER) type = left;
        if (right >= POINTER && left < POINTER) type = right;
        else readonly = fixed;
    }
    form = VALUE;
}

void binary(int k, int level) {
    int op, left, fixed, first, at, kept, at_line = token_line, at_column = token_column;
    unary(k);
    while (precedence(token) >= level && precedence(token)) {
        op = token;
        next();
        if (op == BOTH || op == EITHER) {
            load(k);
            emit(CMP, 0, k, ZERO, 0);
            at = jump(op == BOTH ? JEQ : JNE);
            binary(k, precedence(op) + 1);
            load(k);
            patch(at);
            emit(CMP, 0, k, ZERO, 0);
            truth(k, JNE);
            continue;
        }
        fixed = form == FIXED;
        first = offset;
        left = type;
        kept = readonly;
        if (!fixed) load(k);
        binary(k + 1, precedence(op) + 1);
        if (fixed && form == FIXED) {
            offset = folded(op, first, offset);
            type = WHOLE;
        } else {
            if (fixed) emit(SET, k, 0, 0, first);
            operate(k, op, left, kept);
        }
        operand_line = at_line;
        operand_column = at_column;
    }
}

void choice(int k) {
    int otherwise, end, kind, fixed;
    binary(k, 1);
    if (token != '?') return;
    next();
    load(k);
    emit(CMP, 0, k, ZERO, 0);
    otherwise = jump(JEQ);
    expression(k);
    if (type != NOTHING) load(k);
    kind = type;
    fixed = readonly;
    end = jump(JMP);
    patch(otherwise);
    expect(':');
    choice(k);
    if (type != NOTHING) load(k);
    patch(end);
    if (kind >= POINTER || kind == NOTHING) {
        type = kind;
        readonly = fixed;
    }
}

void assignment(int k) {
    int op, to, at, by, how, kind, fixed;
    choice(k);
    if (token != '=' && token < COMPOUND) return;
    check_assigned();
    op = token;
    at = base;
    by = offset;
    how = mark;
    kind = type;
    fixed = readonly;
    to = at == k ? k + 1 : k;
    if (op >= COMPOUND) {
        load(to);
        next();
        assignment(to + 1);
        operate(to, op - COMPOUND, kind, fixed);
    } else {
        next();
        assignment(to);
        load(to);
    }
    if (kind == BYTE && type != BYTE) narrow(to);
    emit(ST | how, 0, at, to, by);
    if (to != k) emit(MOV, k, to, 0, 0);
    type = kind;
    readonly = fixed;
    form = VALUE;
}

// ---- declarations and statements

// The length in brackets after a name; -1 where it is left out, 0 where there is none.
int brackets(void) {
    int count = -1;
    if (!accept('[')) return 0;
    if (token != ']') {
        count = constant();
        if (count < 1) fail_operand("the length of an array is at least 1");
    }
    expect(']');
    return count;
}

void declare_local(int kind) {
    int at = local, count, i, symbol;
    if (token != NAME) fail_expected("a name");
    if (kind == NOTHING) fail("cannot be void", word);
    symbol = declare(LOCAL, kind, at);
    next();
    count = brackets();
    symbol_count[symbol] = count;
    if (count < 0) fail_expected("the length of the array");
    keep_words(count ? count : 1);
    if (!accept('=')) return;
    if (!count) {
        assignment(0);
        load(0);
        if (kind == BYTE && type != BYTE) narrow(0);
        emit(ST, 0, STACK, 0, at);
        return;
    }
    expect('{');
    for (i = 0; i < count && !failed; i++) {
        offset = 0;
        form = FIXED;
        type = WHOLE;
        if (token != '}') assignment(0);
        load(0);
        if (kind == BYTE) narrow(0);
        emit(ST, 0, STACK, 0, at + i);
        if (token != '}') expect(',');
    }
    expect('}');
}

// The names that one declaration declares.
void declare_locals(void) {
    int kind, fixed;
    if (token == STATIC) fail("is supported outside functions only", word);
    kind = base_type();
    fixed = base_readonly;
    declare_local(pointers(kind));
    while (accept(',')) {
        base_readonly = fixed;
        declare_local(pointers(kind));
    }
    expect(';');
}

void statement(void);

// The statements of a block, in the scope of the caller.
void statements(void) {
    int kept = local, before = symbols;
    expect('{');
    while (token != '}' && token != END) {
        if (starts_type()) declare_locals();
        else statement();
    }
    symbols = before;
    local = kept;
    expect('}');
}

void block(void) {
    int outer = scope;
    scope = symbols;
    statements();
    scope = outer;
}

void do_if(void) {
    int otherwise, end;
    next();
    expect('(');
    expression(0);
    expect(')');
    otherwise = jump_if_not();
    statement();
    if (accept(ELSE)) {
        end = jump(JMP);
        patch(otherwise);
        statement();
        patch(end);
    } else {
        patch(otherwise);
    }
}

// The body of a loop; afterwards `continues` and `breaks` are those of the body.
void body(void) {
    continues = breaks = 0;
    looping++;
    statement();
    looping--;
}

// Close a loop: what comes around goes to `start`.
void close_loop(int start, int end, int outer_continues, int outer_breaks) {
    emit(JMP, 0, 0, 0, start);
    if (end) patch(end);
    patch_all(breaks);
    continues = outer_continues;
    breaks = outer_breaks;
}

void do_while(void) {
    int start = length, end, c = continues, b = breaks;
    test = 0;
    next();
    expect('(');
    expression(0);
    expect(')');
    end = jump_if_not();
    body();
    patch_all(continues);
    close_loop(start, end, c, b);
}

void do_do(void) {
    int start = length, end, c = continues, b = breaks;
    test = 0;
    next();
    body();
    patch_all(continues);
    if (token != WHILE) fail_expected("'while'");
    next();
    expect('(');
    expression(0);
    expect(')');
    expect(';');
    end = jump_if_not();
    close_loop(start, end, c, b);
}

void do_for(void) {
    int start, end = 0, after, inside, kept = local, before = symbols;
    int c = continues, b = breaks, outer = scope;
    scope = symbols;
    next();
    expect('(');
    if (starts_type()) {
        declare_locals();
    } else {
        if (token != ';') expression(0);
        expect(';');
    }
    start = length;
    test = 0;
    if (token != ';') {
        expression(0);
        end = jump_if_not();
    }
    expect(';');
    inside = jump(JMP);
    after = length;
    if (token != ')') expression(0);
    expect(')');
    emit(JMP, 0, 0, 0, start);
    patch(inside);
    body();
    patch_all(continues);
    close_loop(after, end, c, b);
    symbols = before;
    local = kept;
    scope = outer;
}

int chained(int chain) {
    emit(JMP, 0, 0, 0, chain);
    return length - 1;
}

void statement(void) {
    int first = token;
    if (first == '{') {
        block();
    } else if (first == IF) {
        do_if();
    } else if (first == WHILE) {
        do_while();
    } else if (first == FOR) {
        do_for();
    } else if (first == DO) {
        do_do();
    } else {
        if (first == BREAK || first == CONTINUE) {
            if (!looping) fail("is not in a loop", word);
            if (first == BREAK) breaks = chained(breaks);
            else continues = chained(continues);
            next();
        } else if (first == RETURN) {
            next();
            if (token != ';') {
                if (result == NOTHING) fail("a void function returns no value", "");
                expression(0);
                load(0);
                if (result == BYTE && type != BYTE) narrow(0);
            }
            returns = chained(returns);
        } else if (token != ';') {
            expression(0);
        }
        expect(';');
    }
}

// The parameters of a function as names in its frame; how many there are.
int parameters(void) {
    int count = 0, kind, symbol;
    local = 1;
    expect('(');
    while (token != ')' && token != END) {
        kind = pointers(base_type());
        if (kind != NOTHING) {
            count++;
            if (count == WORK) fail("too many parameters", "");
            if (token == NAME) {
                symbol = declare(LOCAL, kind, local++);
                next();
                if (brackets()) {
                    symbol_type[symbol] += POINTER;
                    symbol_readonly[symbol] = symbol_readonly[symbol] << 1;
                }
            }
        }
        if (token != ')') expect(',');
    }
    expect(')');
    frame = local;
    return count;
}

void function(int symbol, int kind, int at_line, int at_column) {
    int start = length, i, before = symbols, outer = named, count;
    scope = before;
    count = parameters();
    if (symbol_kind[symbol] == FUNCTION && symbol_value[symbol] >= 0 && token == '{')
        fail_at(at_line, at_column, "is defined already", names + symbol_name[symbol]);
    if (symbol_kind[symbol] == FUNCTION && symbol_count[symbol] >= 0
        && (symbol_count[symbol] != count || symbol_type[symbol] != kind))
        fail_at(at_line, at_column, "was declared otherwise", names + symbol_name[symbol]);
    if (token == '{') {
        if (symbols - before != count)
            fail_at(at_line, at_column, "has a parameter without a name", names + symbol_name[symbol]);
        symbol_kind[symbol] = FUNCTION;
        symbol_value[symbol] = start;
        symbol_count[symbol] = count;
        result = kind;
        returns = breaks = continues = looping = test = 0;
        emit(ADDI, STACK, STACK, 0, 0);
        emit(SET, WORK, 0, 0, -FRAMES);
        emit(CMP, 0, STACK, WORK, 0);
        emit(JLT, 0, 0, 0, TOO_DEEP);
        emit(ST, 0, STACK, LINK, 0);
        for (i = 0; i < count; i++) {
            if (symbol_type[before + i] == BYTE) narrow(i);
            emit(ST, 0, STACK, i, 1 + i);
        }
        statements();
        if (same(names + symbol_name[symbol], "main")) emit(SET, 0, 0, 0, 0);
        patch_all(returns);
        number[start] = -frame;
        emit(LD, LINK, STACK, 0, 0);
        emit(ADDI, STACK, STACK, 0, frame);
        emit(RET, 0, LINK, 0, 0);
    } else {
        if (symbol_kind[symbol] == FUNCTION) symbol_count[symbol] = count;
        expect(';');
    }
    symbols = before;
    named = outer;
    scope = 0;
}

// The words of an initialiser; where they begin. Strings among the values of a list have put their
// characters there first: the values wait until all are known.
int initial(int array) {
    int at = value, listed = 0, i;
    if (array && accept(STRING)) return at;
    if (array) {
        expect('{');
        while (token != '}' && token != END) {
            if (listed == DATA) fail("too many values", "");
            else list[listed++] = constant();
            if (token != '}') expect(',');
        }
        expect('}');
    } else {
        list[listed++] = constant();
    }
    at = words;
    for (i = 0; i < listed; i++) add_word(list[i]);
    return at;
}

// A variable of the file.
void global(int symbol, int kind) {
    int count = brackets(), at, i;
    if (kind == NOTHING) fail("a variable cannot be void", "");
    symbol_count[symbol] = count;
    if (!accept('=')) {
        if (count < 0) fail_expected("the length of the array");
        if (count > MEMORY - behind) fail("too much memory", "");
        symbol_kind[symbol] = ZEROED;
        symbol_value[symbol] = behind;
        if (!failed) behind += count ? count : 1;
        return;
    }
    at = initial(count);
    if (kind == BYTE)
        for (i = at; i < words; i++) data[i] = data[i] << 24 >> 24;
    if (count < 0) symbol_count[symbol] = words - at;
    if (count > 0 && words - at > count) fail("more values than the array has room for", "");
    while (count > words - at && !failed) add_word(0);
    symbol_kind[symbol] = INITIAL;
    symbol_value[symbol] = at;
}

void enumeration(void) {
    int following = 0, symbol;
    next();
    if (token == NAME) next();
    expect('{');
    while (token != '}' && token != END) {
        if (token != NAME) fail_expected("a name");
        symbol = declare(CONSTANT, WHOLE, 0);
        next();
        if (accept('=')) following = constant();
        symbol_value[symbol] = following++;
        if (token != '}') expect(',');
    }
    expect('}');
    expect(';');
}

// Everything up to the end of the source.
void program(void) {
    int first, kind, symbol, known, fixed, at_line, at_column;
    while (token != END) {
        if (token == ENUM) {
            enumeration();
            continue;
        }
        first = base_type();
        fixed = base_readonly;
        kind = pointers(first);
        if (token != NAME) fail_expected("a name");
        symbol = lookup();
        at_line = token_line;
        at_column = token_column;
        known = symbol >= 0 && symbol_kind[symbol] >= FUNCTION;
        if (!known) {
            symbol = declare(FUNCTION, kind, -1);
            symbol_count[symbol] = -1;
        }
        next();
        if (token == '(') {
            function(symbol, kind, at_line, at_column);
            continue;
        }
        if (known)
            fail_at(at_line, at_column, "is declared already", names + symbol_name[symbol]);
        global(symbol, kind);
        while (accept(',')) {
            base_readonly = fixed;
            kind = pointers(first);
            if (token != NAME) fail_expected("a name");
            symbol = declare(FUNCTION, kind, -1);
            next();
            global(symbol, kind);
        }
        expect(';');
    }
}

// ---- the image

void put_number(int n) {
    putchar(n & 255);
    putchar(n >> 8 & 255);
    putchar(n >> 16 & 255);
    putchar(n >> 24 & 255);
}

// Calls have the number of their symbol until all functions are known.
void resolve(void) {
    int i;
    for (i = 0; i < length; i++) {
        if ((code[i] & 255) == CALL) number[i] = symbol_value[number[i]];
        if (code[i] & BEHIND) number[i] += words;
    }
}

void put_image(void) {
    int i, memory = 2;
    while (memory < words + behind + FRAMES) memory += memory;
    print("SOFT");
    put_number(length);
    put_number(words);
    put_number(memory);
    for (i = 0; i < length; i++) {
        put_number(code[i] & ~BEHIND);
        put_number(number[i]);
    }
    for (i = 0; i < words; i++) put_number(data[i]);
}

int main(void) {
    int i, entry;
    for (i = 0; i < ROUTINES; i++) declare_known(routine_names[i], FUNCTION, -1, 2);
    declare_known("getchar", PORT, IN, 0);
    declare_known("putchar", PORT, OUT, 1);
    declare_known("__trap", PORT, JMP, 0);
    declare_known("main", FUNCTION, -1, 0);
    entry = symbols - 1;
    emit(SET, STACK, 0, 0, -1);
    call(0, 0, entry);
    emit(HALT, 0, 0, 0, 0);
    for (i = 1; i < 3; i++) {
        emit(SET, ZERO, 0, 0, i);
        emit(HALT, 0, 0, 0, 0);
    }
    feeding = 0;
    line = 1;
    column = 0;
    next_char = ' ';
    next();
    program();
    for (i = ROUTINES - 1; i >= 0; i--) {
        if (symbol_used[i] && !failed) {
            feed = routines[i];
            feeding = 1;
            next_char = ' ';
            next();
            program();
        }
    }
    for (i = 0; i < symbols; i++)
        if (symbol_used[i] && symbol_value[i] < 0)
            fail("is not defined", names + symbol_name[i]);
    if (failed) return 1;
    resolve();
    put_image();
    return 0;
}
