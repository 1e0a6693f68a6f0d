// Count the positions that chess can reach in so many moves: the usual test of move generators.
//
//     transputer run examples/programs/perft.c [DEPTH] [FEN]
//
// All rules that decide which moves are legal: castling, en passant, promotion, check.

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A board of 16 columns, of which 8 are used: a square with a bit of 0x88 is outside.
enum { EMPTY, PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING, TYPE = 7, BLACK = 8 };
enum { NOWHERE = 0x88, MOST_MOVES = 256 };
enum { WHITE_SHORT = 1, WHITE_LONG = 2, BLACK_SHORT = 4, BLACK_LONG = 8 };

typedef struct {
    unsigned char board[128];
    unsigned char side, castling, en_passant, king[2];
} Position;

typedef struct {
    unsigned char from, to, promoted;
} Move;

static const signed char steps[8] = {16, -16, 1, -1, 17, 15, -15, -17};
static const signed char jumps[8] = {33, 31, 18, 14, -14, -18, -31, -33};
static const char letters[] = ".pnbrqk";

static int attacked(const Position *p, int square, int by) {
    int forward = by ? 16 : -16;  // from a square back to the pawns that attack it
    for (int side = -1; side <= 1; side += 2) {
        int from = square + forward + side;
        if (!(from & 0x88) && p->board[from] == (PAWN | by)) return 1;
    }
    for (int i = 0; i < 8; i++) {
        int from = square + jumps[i];
        if (!(from & 0x88) && p->board[from] == (KNIGHT | by)) return 1;
        int line = i < 4 ? ROOK : BISHOP;
        from = square + steps[i];
        if (!(from & 0x88) && p->board[from] == (KING | by)) return 1;
        while (!(from & 0x88) && !p->board[from]) from += steps[i];
        if (from & 0x88) continue;
        int piece = p->board[from];
        if (piece == (line | by) || piece == (QUEEN | by)) return 1;
    }
    return 0;
}

static Move *add(Move *next, int from, int to, int promoted) {
    *next = (Move){(unsigned char)from, (unsigned char)to, (unsigned char)promoted};
    return next + 1;
}

static Move *add_pawn(Move *next, int from, int to) {
    if (to >> 4 != 0 && to >> 4 != 7) return add(next, from, to, 0);
    for (int piece = KNIGHT; piece <= QUEEN; piece++) next = add(next, from, to, piece);
    return next;
}

static Move *pawn_moves(const Position *p, int from, Move *next) {
    int forward = p->side ? -16 : 16, to = from + forward;
    if (!p->board[to]) {
        next = add_pawn(next, from, to);
        if (from >> 4 == (p->side ? 6 : 1) && !p->board[to + forward])
            next = add(next, from, to + forward, 0);
    }
    for (int side = -1; side <= 1; side += 2) {
        to = from + forward + side;
        if (to & 0x88) continue;
        int taken = p->board[to];
        if (taken ? (taken & BLACK) != p->side : to == p->en_passant)
            next = add_pawn(next, from, to);
    }
    return next;
}

static Move *castling_moves(const Position *p, Move *next) {
    int home = p->side ? 0x74 : 0x04, other = p->side ^ BLACK;
    int rights = p->side ? p->castling >> 2 : p->castling;
    const unsigned char *b = p->board + home;
    if (!(rights & 3) || attacked(p, home, other)) return next;
    if (rights & 1 && !b[1] && !b[2] && !attacked(p, home + 1, other))
        next = add(next, home, home + 2, 0);
    if (rights & 2 && !b[-1] && !b[-2] && !b[-3] && !attacked(p, home - 1, other))
        next = add(next, home, home - 2, 0);
    return next;
}

static Move *piece_moves(const Position *p, int from, int type, Move *next) {
    const signed char *ways = type == KNIGHT ? jumps : steps;
    int first = type == BISHOP ? 4 : 0, end = type == ROOK ? 4 : 8;
    for (int i = first; i < end; i++) {
        for (int to = from + ways[i]; !(to & 0x88); to += ways[i]) {
            int taken = p->board[to];
            if (!taken || (taken & BLACK) != p->side) next = add(next, from, to, 0);
            if (taken || type == KNIGHT || type == KING) break;
        }
    }
    return next;
}

static int find_moves(const Position *p, Move *moves) {
    Move *next = moves;
    for (int from = 0; from < 128; from = (from + 9) & ~8) {
        int piece = p->board[from], type = piece & TYPE;
        if (!piece || (piece & BLACK) != p->side) continue;
        next = type == PAWN ? pawn_moves(p, from, next) : piece_moves(p, from, type, next);
    }
    return (int)(castling_moves(p, next) - moves);
}

// The rights that are gone once something moves from or to a square.
static int spoilt(int square) {
    switch (square) {
        case 0x00: return WHITE_LONG;
        case 0x04: return WHITE_LONG | WHITE_SHORT;
        case 0x07: return WHITE_SHORT;
        case 0x70: return BLACK_LONG;
        case 0x74: return BLACK_LONG | BLACK_SHORT;
        case 0x77: return BLACK_SHORT;
        default: return 0;
    }
}

// Make a move; 0 if it leaves the own king in check.
static int make(Position *p, Move m) {
    int piece = p->board[m.from], type = piece & TYPE, side = p->side, en_passant = NOWHERE;
    p->board[m.from] = EMPTY;
    p->board[m.to] = (unsigned char)(m.promoted ? m.promoted | side : piece);
    if (type == PAWN) {
        if (m.to == p->en_passant) p->board[m.to + (side ? 16 : -16)] = EMPTY;
        if (abs(m.to - m.from) == 32) en_passant = (m.from + m.to) / 2;
    } else if (type == KING) {
        p->king[side != 0] = m.to;
        if (abs(m.to - m.from) == 2) {
            int corner = m.to > m.from ? m.to + 1 : m.to - 2;
            p->board[(m.from + m.to) / 2] = p->board[corner];
            p->board[corner] = EMPTY;
        }
    }
    p->castling &= (unsigned char)~(spoilt(m.from) | spoilt(m.to));
    p->en_passant = (unsigned char)en_passant;
    p->side = (unsigned char)(side ^ BLACK);
    return !attacked(p, p->king[side != 0], p->side);
}

static long perft(const Position *p, int depth) {
    Move moves[MOST_MOVES];
    int count = find_moves(p, moves);
    long total = 0;
    for (int i = 0; i < count; i++) {
        Position next = *p;
        if (make(&next, moves[i])) total += depth > 1 ? perft(&next, depth - 1) : 1;
    }
    return total;
}

// The pieces, as a FEN gives them: rows from the eighth on, digits for empty squares.
static int read_board(const char *text, Position *p) {
    int row = 7, column = 0;
    for (; *text; text++) {
        const char *piece = strchr(letters, tolower((unsigned char)*text));
        if (*text == '/') {
            row--, column = 0;
        } else if (isdigit((unsigned char)*text)) {
            column += *text - '0';
        } else if (piece && piece > letters && row >= 0 && column < 8) {
            int type = (int)(piece - letters), side = islower((unsigned char)*text) ? BLACK : 0;
            int square = row * 16 + column++;
            p->board[square] = (unsigned char)(type | side);
            if (type == KING) p->king[side != 0] = (unsigned char)square;
        } else {
            return 0;
        }
    }
    return row == 0 && column == 8;
}

static int read_fen(const char *fen, Position *p) {
    char board[80], side[2], castling[5], en_passant[3];
    *p = (Position){.en_passant = NOWHERE};
    if (sscanf(fen, "%79s %1s %4s %2s", board, side, castling, en_passant) != 4) return 0;
    p->side = side[0] == 'b' ? BLACK : 0;
    for (int i = 0; i < 4; i++)
        if (strchr(castling, "KQkq"[i])) p->castling |= (unsigned char)(1 << i);
    if (en_passant[0] != '-')
        p->en_passant = (unsigned char)((en_passant[1] - '1') * 16 + en_passant[0] - 'a');
    return read_board(board, p);
}

int main(int argc, char **argv) {
    const char *start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    int depth = argc > 1 ? atoi(argv[1]) : 2;
    Position position;
    if (!read_fen(argc > 2 ? argv[2] : start, &position)) {
        fprintf(stderr, "not a position\n");
        return 2;
    }
    for (int d = 1; d <= depth; d++) printf("%d: %ld\n", d, perft(&position, d));
    return 0;
}
