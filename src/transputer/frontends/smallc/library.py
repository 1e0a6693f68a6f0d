"""The C library, in small C: what a program calls is translated with it, and nothing else.

Names begin with `__`, so that a program may define functions of the same names. `__put` writes a
character, `__read` reads one, and `__trap`, `__abort` and `__exhausted` end the run; the translator
knows them. Sizes count words.
"""

from functools import lru_cache
from string import Template

from pycparser import c_parser

from transputer.frontends.smallc.scope import Node

_STRINGS = """
unsigned __strlen(char *s) { char *p = s; while (*p) p++; return p - s; }
char *__strcpy(char *to, char *s) { char *p = to; while ((*p++ = *s++)) ; return to; }
char *__strncpy(char *to, char *s, unsigned n) {
    for (unsigned i = 0; i < n; i++) { to[i] = *s; if (*s) s++; }
    return to;
}
char *__strcat(char *to, char *s) { __strcpy(to + __strlen(to), s); return to; }
char *__strncat(char *to, char *s, unsigned n) {
    char *p = to + __strlen(to);
    while (n-- && *s) *p++ = *s++;
    *p = 0;
    return to;
}
int __strcmp(char *a, char *b) {
    while (*a && *a == *b) { a++; b++; }
    return (unsigned char)*a - (unsigned char)*b;
}
int __strncmp(char *a, char *b, unsigned n) {
    while (n && *a && *a == *b) { a++; b++; n--; }
    return n ? (unsigned char)*a - (unsigned char)*b : 0;
}
char *__strchr(char *s, int c) {
    for (;; s++) {
        if (*s == (char)c) return s;
        if (!*s) return 0;
    }
}
char *__strrchr(char *s, int c) {
    char *last = 0;
    for (;; s++) {
        if (*s == (char)c) last = s;
        if (!*s) return last;
    }
}
char *__strstr(char *s, char *t) {
    for (;; s++) {
        int i = 0;
        while (t[i] && s[i] == t[i]) i++;
        if (!t[i]) return s;
        if (!*s) return 0;
    }
}
unsigned __strspn(char *s, char *set) {
    unsigned n = 0;
    while (s[n] && __strchr(set, s[n])) n++;
    return n;
}
unsigned __strcspn(char *s, char *set) {
    unsigned n = 0;
    while (s[n] && !__strchr(set, s[n])) n++;
    return n;
}
char *__strpbrk(char *s, char *set) { s += __strcspn(s, set); return *s ? s : 0; }
char *__token;
char *__strtok(char *s, char *set) {
    if (!s) s = __token;
    if (!s) return 0;
    s += __strspn(s, set);
    if (!*s) { __token = 0; return 0; }
    char *end = s + __strcspn(s, set);
    __token = *end ? end + 1 : 0;
    *end = 0;
    return s;
}
char *__strdup(char *s) { return __strcpy((char *)__malloc(__strlen(s) + 1), s); }
"""
_MEMORY = """
void __copy(int *to, int *s, unsigned n) { while (n--) *to++ = *s++; }
void __move(int *to, int *s, unsigned n) {
    if (to <= s) { __copy(to, s, n); return; }
    while (n--) to[n] = s[n];
}
void __fill(int *to, int word, unsigned n) { while (n--) *to++ = word; }
int __memcmp(int *a, int *b, unsigned n) {
    for (; n; n--, a++, b++) {
        unsigned x = *a, y = *b;
        if (x == y) continue;
        while (!((x ^ y) & 255)) { x >>= 8; y >>= 8; }
        return (int)(x & 255) - (int)(y & 255);
    }
    return 0;
}
int *__memchr(int *s, int word, unsigned n) {
    for (; n; n--, s++) if (*s == word) return s;
    return 0;
}
"""
# A block begins with the number of its words, itself included: negative if it is free.
_HEAP = """
int __heap[$heap];
int __top, __first;
int *__malloc(unsigned n) {
    int i = __first, words = n + 1;
    if (n >= ${heap}u) __exhausted();
    while (i < __top) {
        int room = __heap[i];
        if (room > 0) { i += room; continue; }
        while (i - room < __top && __heap[i - room] < 0) room += __heap[i - room];
        if (words + room <= 0) {
            if (words + room < 0) __heap[i + words] = words + room;
            __heap[i] = words;
            return __heap + i + 1;
        }
        __heap[i] = room;
        i -= room;
    }
    if (words > $heap - __top) __exhausted();
    if (__first == __top) __first += words;
    __heap[__top] = words;
    __top += words;
    return __heap + __top - words + 1;
}
void __free(int *p) {
    if (!p) return;
    int i = p - __heap - 1;
    __heap[i] = -__heap[i];
    if (i < __first) __first = i;
}
int *__calloc(unsigned n) { int *p = __malloc(n); __fill(p, 0, n); return p; }
int *__realloc(int *p, unsigned n) {
    int *to = __malloc(n);
    if (p) {
        int old = p[-1] - 1;
        __copy(to, p, old < n ? old : n);
        __free(p);
    }
    return to;
}
"""
_CHARACTERS = """
int __isdigit(int c) { return c >= '0' && c <= '9'; }
int __isupper(int c) { return c >= 'A' && c <= 'Z'; }
int __islower(int c) { return c >= 'a' && c <= 'z'; }
int __isalpha(int c) { c |= 32; return c >= 'a' && c <= 'z'; }
int __isalnum(int c) { return __isalpha(c) || __isdigit(c); }
int __isspace(int c) { return c == ' ' || c >= 9 && c <= 13; }
int __isblank(int c) { return c == ' ' || c == 9; }
int __isprint(int c) { return c >= 32 && c < 127; }
int __isgraph(int c) { return c > 32 && c < 127; }
int __iscntrl(int c) { return c >= 0 && c < 32 || c == 127; }
int __ispunct(int c) { return __isgraph(c) && !__isalnum(c); }
int __isxdigit(int c) { return __isdigit(c) || (c | 32) >= 'a' && (c | 32) <= 'f'; }
int __toupper(int c) { return __islower(c) ? c - 32 : c; }
int __tolower(int c) { return __isupper(c) ? c + 32 : c; }
"""
_NUMBERS = """
int __labs(int x) { return x < 0 ? -x : x; }
int __atoi(char *s) {
    int n = 0, minus;
    while (__isspace(*s)) s++;
    minus = *s == '-';
    if (minus || *s == '+') s++;
    while (__isdigit(*s)) n = 10 * n + (*s++ - '0');
    return minus ? -n : n;
}
"""
# Insertion keeps the order of equal elements, as the merge sort of the C library does.
_SORTING = """
void __qsort(int *base, unsigned n, unsigned words, int (*compare)(void *, void *)) {
    int *end = base + n * words;
    for (int *p = base + words; p < end; p += words)
        for (int *q = p; q > base && compare(q - words, q) > 0; q -= words)
            for (int i = 0; i < words; i++) swap(q[i], q[i - words]);
}
int *__bsearch(int *key, int *base, unsigned n, unsigned words, int (*compare)(void *, void *)) {
    while (n) {
        unsigned half = n >> 1;
        int *middle = base + half * words, order = compare(key, middle);
        if (order == 0) return middle;
        if (order > 0) { base = middle + words; half = n - half - 1; }
        n = half;
    }
    return 0;
}
"""
_PRINTING = """
void __print(char *s) { while (*s) __put(*s++); }
void __print_plain(char *s) { for (; *s; s++) { if (*s == '%') __abort(); __put(*s); } }
int __puts(char *s) { __print(s); __put(10); return 1; }
const unsigned __powers[] = {$powers};
void __print_unsigned(unsigned n) {
    int i = $last;
    while (i && n < __powers[i]) i--;
    for (; i >= 0; i--) {
        int digit = '0';
        while (n >= __powers[i]) { n -= __powers[i]; digit++; }
        __put(digit);
    }
}
void __print_int(int n) {
    if (n < 0) { __put('-'); n = -n; }
    __print_unsigned(n);
}
void __print_hex(unsigned n, int letters) {
    int started = 0;
    for (int i = 0; i < $nibbles; i++) {
        int digit = 0;
        for (int k = 0; k < 4; k++) { digit += digit; if ((int)n < 0) digit++; n += n; }
        started |= digit;
        if (started || i == $nibbles - 1) __put(digit < 10 ? digit + '0' : digit + letters);
    }
}
void __pad(int count, int c) { while (count-- > 0) __put(c); }
void __print_number(unsigned n, int base, int letters, int sign, int flags, int width, int least) {
    char digits[$most];
    int count = 0, zeros, length, prefix = flags & 4 && n;
    for (unsigned rest = n; rest || !count && least; rest /= base) {
        int digit = rest % base;
        digits[count++] = digit < 10 ? digit + '0' : digit + letters;
    }
    if (width < 0) { width = -width; flags |= 1; }
    zeros = least > count ? least - count : 0;
    length = count + zeros + (sign != 0) + 2 * prefix;
    if (flags & 2 && !(flags & 1) && least < 0 && width > length) {
        zeros += width - length;
        length = width;
    }
    if (!(flags & 1)) __pad(width - length, ' ');
    if (sign) __put(sign);
    if (prefix) { __put('0'); __put(letters + 33); }
    __pad(zeros, '0');
    while (count) __put(digits[--count]);
    if (flags & 1) __pad(width - length, ' ');
}
void __print_signed(int n, int plus, int flags, int width, int least) {
    __print_number(n < 0 ? -n : n, 10, 0, n < 0 ? '-' : plus, flags, width, least);
}
void __print_text(char *s, int flags, int width, int most) {
    int length = 0;
    if (width < 0) { width = -width; flags |= 1; }
    while (length != most && s[length]) length++;
    if (!(flags & 1)) __pad(width - length, ' ');
    for (int i = 0; i < length; i++) __put(s[i]);
    if (flags & 1) __pad(width - length, ' ');
}
void __print_character(int c, int flags, int width) {
    if (width < 0) { width = -width; flags |= 1; }
    if (!(flags & 1)) __pad(width - 1, ' ');
    __put(c);
    if (flags & 1) __pad(width - 1, ' ');
}
"""
# What printf writes goes to a string while `__sink` is set, at most `__room` characters of it.
_SINK = """
char *__sink;
int __room, __count;
void __sunk(int c) {
    if (!__sink) { __putchar(c); return; }
    __count++;
    if (__room == 0) return;
    __room--;
    *__sink++ = c;
}
"""
_INPUT = """
int __input[$input] = {-1};
int __at;
int __mapped(void) { int c = __input[__at]; if (c >= 0) __at++; return c; }
"""
_SCANNING = """
int __pushed = -2;
int __scanned;
int __next(void) {
    int c = __pushed;
    if (c == -2) return __read();
    __pushed = -2;
    return c;
}
int __skip(void) {
    int c = __next();
    while (__isspace(c)) c = __next();
    __pushed = c;
    return c;
}
int __match(int wanted) {
    int c = __next();
    if (c == wanted) return 1;
    __pushed = c;
    return c < 0 ? -1 : 0;
}
int __scan_character(void) { __scanned = __next(); return __scanned < 0 ? -1 : 1; }
int __scan_number(int base) {
    int n = 0, count = 0, minus = 0;
    if (__skip() < 0) return -1;
    int c = __next();
    if (c == '-' || c == '+') { minus = c == '-'; c = __next(); }
    for (;;) {
        int digit = __isdigit(c) ? c - '0' : __isalpha(c) ? (c | 32) - 'a' + 10 : base;
        if (digit >= base) {
            if (base == 16 && count == 1 && n == 0 && (c | 32) == 'x') { c = __next(); continue; }
            break;
        }
        n = n * base + digit;
        count++;
        c = __next();
    }
    __pushed = c;
    __scanned = minus ? -n : n;
    return count > 0;
}
int __scan_word(char *to, int most) {
    if (__skip() < 0) return -1;
    for (;;) {
        int c = __next();
        if (c < 0 || __isspace(c) || most == 0) { __pushed = c; break; }
        if (to) *to++ = c;
        most--;
    }
    if (to) *to = 0;
    return 1;
}
char *__fgets(char *to, int n) {
    char *p = to;
    while (--n > 0) {
        int c = __next();
        if (c < 0) break;
        *p++ = c;
        if (c == 10) break;
    }
    if (p == to) return 0;
    *p = 0;
    return to;
}
"""


_TEXT = Template(
    _STRINGS + _MEMORY + _HEAP + _CHARACTERS + _NUMBERS + _SORTING + _PRINTING + _SINK + _INPUT
    + _SCANNING
)  # fmt: skip


@lru_cache(maxsize=16)
def library(bits: int, heap: int, input_words: int) -> dict[str, Node]:
    """The functions and variables of the library by name, as trees of the parser."""
    digits = len(str((1 << bits) - 1))
    powers = ", ".join(f"{10**i}u" for i in range(digits))
    text = _TEXT.substitute(
        heap=heap,
        input=input_words + 1,
        powers=powers,
        last=digits - 1,
        nibbles=bits // 4,
        most=-(-bits // 3),
    )
    tree = c_parser.CParser().parse(text)
    return {getattr(node, "decl", node).name: node for node in tree.ext}


#: Functions of C that are those of the library as they are.
PLAIN = frozenset(
    "strlen strcpy strncpy strcat strncat strcmp strncmp strchr strrchr strstr strspn strcspn "
    "strpbrk strtok strdup isdigit isupper islower isalpha isalnum isspace isblank isprint isgraph "
    "iscntrl ispunct isxdigit toupper tolower labs atoi puts".split()
)
