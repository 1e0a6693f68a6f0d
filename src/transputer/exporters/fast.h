/* Arrays of lifted code in a browser's memory: pages that exist once a token was written to them.
 * A page of WebAssembly memory has 4096 entries. */
#include <stdint.h>
typedef struct { uint64_t word, held; } Cell;
extern Cell **directories[];
extern const Cell nothing;
Cell *new_cell(uint64_t array, uint64_t at);
static inline Cell *page_of(uint64_t array, uint64_t at) {
    Cell *const *const pages = directories[array];
    return pages ? pages[at >> 12] : 0;
}
static inline const Cell *cell(uint64_t array, uint64_t at) {
    const Cell *const page = page_of(array, at);
    return page ? page + (at & 4095) : &nothing;
}
static inline Cell *kept_cell(uint64_t array, uint64_t at) {
    Cell *const page = page_of(array, at);
    return page ? page + (at & 4095) : new_cell(array, at);
}
#define entry(word, held) (Entry){word, held}
#define load_any(s, array, at) (*(const Entry *)cell(array, at))
#define store_any(s, array, at, word) (*(Entry *)kept_cell(array, at) = (Entry){word, 1})
