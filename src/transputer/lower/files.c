// WASI's file system, in a memory of its own beside the program's.
//
// The machine executes this code like any other. It is linked into a program that imports a
// function which the three streams in wasi.wat do not have, or that is given files. files.py
// compiles it, turns each call of a PROGRAM function into the instruction of that name, and writes
// the files into this memory; after the run it reads them from there.
//
// Everything that can be opened is a node. A folder's entries are a list in the order in which
// they were added. Memory is never freed: what is removed stays until the run ends.

typedef unsigned char u8;
typedef unsigned u32;
typedef unsigned long long u64;

#define EXPORT(name) __attribute__((export_name(name)))
#define PROGRAM(name) __attribute__((import_module("program"), import_name(name)))
#define DEVICE(name) __attribute__((import_module("transputer"), import_name(name)))

// The program's memory.
PROGRAM("i32.load8_u") u32 load8(u32 at);
PROGRAM("i32.load16_u") u32 load16(u32 at);
PROGRAM("i32.load") u32 load32(u32 at);
PROGRAM("i64.load") u64 load64(u32 at);
PROGRAM("i32.store8") void store8(u32 at, u32 value);
PROGRAM("i32.store16") void store16(u32 at, u32 value);
PROGRAM("i32.store") void store32(u32 at, u32 value);
PROGRAM("i64.store") void store64(u32 at, u64 value);
PROGRAM("memory.copy 1 0") void copy_in(void *to, u32 from, u32 count);
PROGRAM("memory.copy 0 1") void copy_out(u32 to, const void *from, u32 count);
// This memory.
PROGRAM("memory.copy 1 1") void copy(void *to, const void *from, u32 count);
PROGRAM("memory.fill 1") void fill(void *to, u32 byte, u32 count);

DEVICE("read") int device_read(void);
DEVICE("put") void device_put(int value);
DEVICE("steps") u64 steps(void); // 0 if the clock counts readings

enum error {
    SUCCESS = 0, ACCES = 2, BADF = 8, EXIST = 20, FBIG = 22, ILSEQ = 25, INVAL = 28, ISDIR = 31,
    LOOP = 32, MFILE = 33, NAMETOOLONG = 37, NOENT = 44, NOSPC = 51, NOTDIR = 54, NOTEMPTY = 55,
    NOTSOCK = 57, NOTSUP = 58, PERM = 63, SPIPE = 70, XDEV = 75
};

enum type { UNKNOWN = 0, CHARACTER = 2, DIRECTORY = 3, REGULAR = 4, LINK = 7 };
enum flag { WRITABLE = 1, READABLE = 2, CHANGED = 4, DATED = 8 };

struct entry {
    struct entry *next;
    struct node *node;
    u32 serial; // its place among all entries that the folder ever had
    u32 length;
    u8 name[];
};

struct node {
    u32 type, flags, links;
    u32 size;  // bytes of a file or of a link's target; of a folder, the next serial number
    u32 room;  // bytes at `data`
    u32 mount; // number of the folder of the host that it belongs to
    u32 number, unused;
    union {
        u8 *data;
        struct entry *first;
    };
    struct node *parent; // of a folder
    u64 accessed, modified, changed;
};

struct mount {
    struct node *node;
    const u8 *name;
    u32 length;
};

// What files.py fills in: the folders that the program may open, the clock, and where free memory
// begins.
struct disk {
    u64 time, reading, step; // the clock, and what each reading and each step adds to it
    u32 end;
    u32 count;
    struct mount *mounts;
    u32 nodes;
} disk = {0, 1000000, 0, 0, 0, 0, 0};

enum kind { CLOSED, STREAM, NODE };
enum { READS = 1, WRITES = 2 };
enum fdflag { APPEND = 1, DSYNC = 2, NONBLOCK = 4, RSYNC = 8, SYNC = 16 };

struct fd {
    u8 kind, can, flags;
    u32 stream; // of a stream: 0, 1 or 2
    u32 mount;  // one more than the number of the folder that it opens, or 0
    struct node *node;
    u64 position;
};

#define MOST 1024
static struct fd fds[MOST];
static int started;

static void start(void) {
    if (started) return;
    started = 1;
    for (u32 i = 0; i < 3; i++) {
        fds[i].kind = STREAM;
        fds[i].stream = i;
        fds[i].can = i ? WRITES : READS;
    }
    for (u32 i = 0; i < disk.count; i++) {
        struct fd *fd = &fds[3 + i];
        fd->kind = NODE;
        fd->can = READS | WRITES;
        fd->mount = i + 1;
        fd->node = disk.mounts[i].node;
    }
}

static struct fd *open_fd(u32 number) {
    start();
    return number < MOST && fds[number].kind ? &fds[number] : 0;
}

static u64 current(void) { return disk.time + disk.step * steps(); }

static u64 now(void) {
    u64 time = current();
    disk.time += disk.reading;
    return time;
}

// Memory.

static void *allocate(u32 size) {
    u32 at = disk.end, end = at + ((size + 7) & ~7u);
    if (end < at) return 0;
    u32 have = __builtin_wasm_memory_size(0), need = (end + 65535) >> 16;
    if (need > have && __builtin_wasm_memory_grow(0, need - have) == (u32)-1) return 0;
    disk.end = end;
    return (void *)at;
}

static struct node *new_node(enum type type, struct node *folder) {
    struct node *node = allocate(sizeof *node);
    if (!node) return 0;
    node->type = type;
    node->flags = WRITABLE | READABLE;
    node->links = 1;
    node->mount = folder->mount;
    node->number = ++disk.nodes;
    if (type == DIRECTORY) node->parent = folder, node->size = 2;
    node->accessed = node->modified = node->changed = now();
    return node;
}

static void touch(struct node *node) { node->modified = node->changed = now(); }

static enum error resize(struct node *node, u64 size) {
    if (size > 0x7fffffff) return FBIG;
    if (size > node->room) {
        u32 room = node->room * 2 > size ? node->room * 2 : (u32)size;
        u8 *data = allocate(room);
        if (!data) return NOSPC;
        copy(data, node->data, node->size);
        node->data = data;
        node->room = (room + 7) & ~7u;
    } else if (size > node->size) {
        fill(node->data + node->size, 0, (u32)size - node->size);
    }
    node->size = (u32)size;
    node->flags |= CHANGED;
    return SUCCESS;
}

// Folders.

static int same(const u8 *left, const u8 *right, u32 count) {
    for (u32 i = 0; i < count; i++)
        if (left[i] != right[i]) return 0;
    return 1;
}

static struct entry **find(struct node *folder, const u8 *name, u32 length) {
    struct entry **at = &folder->first;
    while (*at && ((*at)->length != length || !same((*at)->name, name, length))) at = &(*at)->next;
    return at;
}

static enum error add(struct node *folder, const u8 *name, u32 length, struct node *node) {
    struct entry *entry = allocate(sizeof *entry + length);
    if (!entry) return NOSPC;
    entry->node = node;
    entry->serial = folder->size++;
    entry->length = length;
    copy(entry->name, name, length);
    struct entry **at = &folder->first;
    while (*at) at = &(*at)->next;
    *at = entry;
    touch(folder);
    return SUCCESS;
}

static void drop(struct node *folder, struct entry **at) {
    *at = (*at)->next;
    touch(folder);
}

// Paths. A path is relative to an open folder and never leaves it.

#define LONGEST 4096

struct place {
    struct node *folder; // that holds, or can hold, the last name
    struct node *node;   // what the path names, or null
    struct entry **at;   // its entry; null if the path ends in a folder by "." or ".."
    const u8 *name;
    u32 length;
    int slash; // the path ends in a slash
};

static u8 text[2][LONGEST + 1]; // the path being walked; rename and link have two
static u8 spliced[LONGEST + 1];

static int is_text(const u8 *text, u32 length) { // UTF-8, without zeros
    for (u32 i = 0; i < length;) {
        u32 first = text[i++], more, least;
        if (!first) return 0;
        if (first < 0x80) continue;
        if (first >= 0xc2 && first < 0xe0) more = 1, first &= 31, least = 0x80;
        else if (first >= 0xe0 && first < 0xf0) more = 2, first &= 15, least = 0x800;
        else if (first >= 0xf0 && first < 0xf5) more = 3, first &= 7, least = 0x10000;
        else return 0;
        for (; more; more--) {
            if (i == length || (text[i] & 0xc0) != 0x80) return 0;
            first = first << 6 | (text[i++] & 63);
        }
        if (first < least || first > 0x10ffff || (first >> 11) == 0x1b) return 0;
    }
    return 1;
}

static enum error read_path(u32 which, u32 at, u32 length) {
    if (length >= LONGEST) {
        load8(at + length - 1);
        return NAMETOOLONG;
    }
    copy_in(text[which], at, length);
    text[which][length] = 0;
    for (u32 i = 0; i < length; i++)
        if (!text[which][i]) return INVAL;
    return is_text(text[which], length) ? SUCCESS : ILSEQ;
}

// Whether a link at the end of a path is followed, whether the call changes something, and whether
// a slash after a link follows it not.
enum way { STAY = 0, FOLLOW = 1, CHANGE = 2, EXACT = 4 };

// Follow a path from `root`.
static enum error walk(struct node *root, u32 which, u32 way, struct place *place) {
    u8 *path = text[which];
    struct node *folder = root;
    int links = 0;
    if (!*path) return NOENT;
    for (;;) {
        if (*path == '/') return PERM;
        for (;;) { // one name after the other
            u32 length = 0;
            while (path[length] && path[length] != '/') length++;
            const u8 *name = path;
            path += length;
            place->slash = *path == '/';
            while (*path == '/') path++;
            int last = !*path;
            if (length > 255) return NAMETOOLONG;
            if (length == 1 && name[0] == '.') {
                if (!last) continue;
                *place = (struct place){folder, folder, 0, name, 1, place->slash};
                return SUCCESS;
            }
            if (length == 2 && name[0] == '.' && name[1] == '.') {
                if (folder == root) return PERM;
                folder = folder->parent;
                if (!last) continue;
                *place = (struct place){folder, folder, 0, name, 2, place->slash};
                return SUCCESS;
            }
            struct entry **at = find(folder, name, length);
            struct node *node = *at ? (*at)->node : 0;
            if (node && node->type == LINK && (!last || way & FOLLOW || (place->slash && !(way & EXACT)))) {
                if (++links > 40) return LOOP;
                u32 rest = 0;
                while (path[rest]) rest++;
                u32 total = node->size + place->slash + rest;
                if (total >= LONGEST) return NAMETOOLONG;
                if (!node->size) return NOENT;
                copy(spliced, path, rest);
                path = text[which];
                copy(path, node->data, node->size);
                if (place->slash) path[node->size] = '/';
                copy(path + node->size + place->slash, spliced, rest);
                path[total] = 0;
                break;
            }
            if (last) {
                *place = (struct place){folder, node, at, name, length, place->slash};
                return node && place->slash && node->type != DIRECTORY ? NOTDIR : SUCCESS;
            }
            place->slash = 0;
            if (!node) return NOENT;
            if (node->type != DIRECTORY) return NOTDIR;
            folder = node;
        }
    }
}

// Find what a path of the program names, from a folder that the program has open.
static enum error look(u32 number, u32 which, u32 at, u32 size, u32 way, struct place *place) {
    struct fd *fd = open_fd(number);
    if (!fd || fd->kind != NODE) return BADF;
    if (fd->node->type != DIRECTORY) return NOTDIR;
    enum error error = read_path(which, at, size);
    if (error) return error;
    if (way & CHANGE && !(fd->node->flags & WRITABLE)) return PERM;
    return walk(fd->node, which, way, place);
}

// Descriptors.

EXPORT("fd_close") u32 fd_close(u32 number) {
    struct fd *fd = open_fd(number);
    if (!fd) return BADF;
    fd->kind = CLOSED;
    return SUCCESS;
}

EXPORT("fd_renumber") u32 fd_renumber(u32 from, u32 to) {
    struct fd *source = open_fd(from), *target = open_fd(to);
    if (!source || !target) return BADF;
    if (source != target) {
        *target = *source;
        source->kind = CLOSED;
    }
    return SUCCESS;
}

static enum error file_fd(u32 number, struct fd **out) {
    struct fd *fd = *out = open_fd(number);
    if (!fd || fd->kind != NODE) return BADF;
    return fd->node->type == DIRECTORY ? BADF : SUCCESS;
}

static u32 seek(struct fd *fd, u64 offset, u32 whence, u32 out) {
    if (fd->kind == STREAM) return SPIPE;
    if (fd->node->type == DIRECTORY) return BADF;
    u64 base = whence == 0 ? 0 : whence == 1 ? fd->position : fd->node->size;
    if (whence > 2 || (long long)(base + offset) < 0) return INVAL;
    fd->position = base + offset;
    store64(out, fd->position);
    return SUCCESS;
}

EXPORT("fd_seek") u32 fd_seek(u32 number, u64 offset, u32 whence, u32 out) {
    struct fd *fd = open_fd(number);
    return fd ? seek(fd, offset, whence, out) : BADF;
}

EXPORT("fd_tell") u32 fd_tell(u32 number, u32 out) {
    struct fd *fd = open_fd(number);
    return fd ? seek(fd, 0, 1, out) : BADF;
}

// Read a line from standard input, so that no more is asked for than is there when it is typed.
static u32 read_stream(u32 vectors, u32 count, u32 out) {
    u32 total = 0;
    for (; count; count--, vectors += 8) {
        u32 at = load32(vectors), end = at + load32(vectors + 4);
        for (; at != end; at++, total++) {
            int byte = device_read();
            if (byte < 0) goto done;
            store8(at, (u32)byte);
            if (byte == '\n') {
                total++;
                goto done;
            }
        }
    }
done:
    store32(out, total);
    return SUCCESS;
}

static u32 read_at(struct fd *fd, u32 vectors, u32 count, u64 *position, u32 out) {
    if (!(fd->can & READS)) return BADF;
    u32 total = 0;
    for (; count; count--, vectors += 8) {
        u32 at = load32(vectors), length = load32(vectors + 4);
        u64 left = *position < fd->node->size ? fd->node->size - *position : 0;
        if (length > left) length = (u32)left;
        copy_out(at, fd->node->data + *position, length);
        *position += length;
        total += length;
    }
    store32(out, total);
    return SUCCESS;
}

EXPORT("fd_read") u32 fd_read(u32 number, u32 vectors, u32 count, u32 out) {
    struct fd *fd = open_fd(number);
    if (!fd) return BADF;
    if (fd->kind == STREAM)
        return fd->stream ? BADF : read_stream(vectors, count, out);
    if (fd->node->type == DIRECTORY) return BADF;
    return read_at(fd, vectors, count, &fd->position, out);
}

EXPORT("fd_pread") u32 fd_pread(u32 number, u32 vectors, u32 count, u64 offset, u32 out) {
    struct fd *fd;
    enum error error = file_fd(number, &fd);
    if (error) return fd && fd->kind == STREAM ? SPIPE : error;
    if ((long long)offset < 0) return INVAL;
    return read_at(fd, vectors, count, &offset, out);
}

static u32 write_stream(u32 stream, u32 vectors, u32 count, u32 out) {
    u32 total = 0;
    int channel = (int)(stream - 1) << 8; // bit 8 of what is put out says that it is an error
    for (; count; count--, vectors += 8) {
        u32 at = load32(vectors), length = load32(vectors + 4);
        if (length) load8(at + length - 1); // all of it is there, or nothing is written
        total += length;
        for (; length >= 4; length -= 4, at += 4) {
            device_put((int)load8(at) | channel);
            device_put((int)load8(at + 1) | channel);
            device_put((int)load8(at + 2) | channel);
            device_put((int)load8(at + 3) | channel);
        }
        for (; length; length--, at++) device_put((int)load8(at) | channel);
    }
    store32(out, total);
    return SUCCESS;
}

static u32 write_at(struct fd *fd, u32 vectors, u32 count, u64 *position, u32 out) {
    if (!(fd->can & WRITES)) return BADF;
    u32 total = 0;
    for (; count; count--, vectors += 8) {
        u32 at = load32(vectors), length = load32(vectors + 4);
        if (!length) continue;
        load8(at + length - 1);
        u64 end = *position + length;
        if (end > fd->node->size) {
            enum error error = resize(fd->node, end);
            if (error) return error;
        }
        copy_in(fd->node->data + *position, at, length);
        *position = end;
        total += length;
    }
    if (total) {
        fd->node->flags |= CHANGED;
        touch(fd->node);
    }
    store32(out, total);
    return SUCCESS;
}

EXPORT("fd_write") u32 fd_write(u32 number, u32 vectors, u32 count, u32 out) {
    struct fd *fd = open_fd(number);
    if (!fd) return BADF;
    if (fd->kind == STREAM)
        return fd->stream ? write_stream(fd->stream, vectors, count, out) : BADF;
    if (fd->node->type == DIRECTORY) return BADF;
    if (fd->flags & APPEND) fd->position = fd->node->size;
    return write_at(fd, vectors, count, &fd->position, out);
}

EXPORT("fd_pwrite") u32 fd_pwrite(u32 number, u32 vectors, u32 count, u64 offset, u32 out) {
    struct fd *fd;
    enum error error = file_fd(number, &fd);
    if (error) return fd && fd->kind == STREAM ? SPIPE : error;
    if ((long long)offset < 0) return INVAL;
    if (fd->flags & APPEND) offset = fd->node->size;
    return write_at(fd, vectors, count, &offset, out);
}

EXPORT("fd_advise") u32 fd_advise(u32 number, u64 offset, u64 length, u32 advice) {
    struct fd *fd;
    if (advice > 5) return INVAL;
    return file_fd(number, &fd);
}

EXPORT("fd_allocate") u32 fd_allocate(u32 number, u64 offset, u64 length) {
    struct fd *fd;
    enum error error = file_fd(number, &fd);
    return error ? error : NOTSUP;
}

EXPORT("fd_sync") u32 fd_sync(u32 number) {
    struct fd *fd;
    return file_fd(number, &fd);
}

EXPORT("fd_datasync") u32 fd_datasync(u32 number) { return fd_sync(number); }

#define RIGHT_READ (1u << 1)
#define RIGHT_WRITE (1u << 6)
#define ALL_RIGHTS 0x3fffffffu
// Those of a folder that is open at the start, and those of what is opened in it.
#define FOLDER_RIGHTS 0x07b7fe00u
#define INNER_RIGHTS 0x0ff7ffffu

EXPORT("fd_fdstat_get") u32 fd_fdstat_get(u32 number, u32 out) {
    struct fd *fd = open_fd(number);
    if (!fd) return BADF;
    u32 base = fd->stream ? RIGHT_WRITE : RIGHT_READ, further = 0, type = CHARACTER;
    if (fd->kind == NODE) {
        type = fd->node->type;
        base = ALL_RIGHTS;
        if (!(fd->can & READS)) base &= ~(RIGHT_READ | 1u << 14);
        if (!(fd->can & WRITES)) base &= ~RIGHT_WRITE;
        if (type == DIRECTORY) base = 0x3fb7ffbb;
        further = base;
        if (fd->mount) base = FOLDER_RIGHTS, further = INNER_RIGHTS;
    }
    store32(out, type | (u32)fd->flags << 16);
    store32(out + 4, 0);
    store64(out + 8, base);
    store64(out + 16, further);
    return SUCCESS;
}

EXPORT("fd_fdstat_set_flags") u32 fd_fdstat_set_flags(u32 number, u32 flags) {
    struct fd *fd;
    if (flags > 31) return INVAL;
    enum error error = file_fd(number, &fd);
    if (error) return error;
    if (flags & (DSYNC | RSYNC | SYNC)) return INVAL;
    fd->flags = (u8)flags;
    return SUCCESS;
}

EXPORT("fd_fdstat_set_rights") u32 fd_fdstat_set_rights(u32 number, u64 base, u64 further) {
    return open_fd(number) ? NOTSUP : BADF;
}

static void describe(struct node *node, u32 out) {
    u32 size = node->type == DIRECTORY ? 4096 : node->size;
    store64(out, 1);
    store64(out + 8, node->number);
    store64(out + 16, node->type);
    store64(out + 24, node->links);
    store64(out + 32, size);
    store64(out + 40, node->accessed);
    store64(out + 48, node->modified);
    store64(out + 56, node->changed);
}

EXPORT("fd_filestat_get") u32 fd_filestat_get(u32 number, u32 out) {
    struct fd *fd = open_fd(number);
    if (!fd) return BADF;
    if (fd->kind == NODE) {
        describe(fd->node, out);
    } else {
        for (u32 i = 0; i < 64; i += 8) store64(out + i, 0);
        store8(out + 16, CHARACTER);
    }
    return SUCCESS;
}

EXPORT("fd_filestat_set_size") u32 fd_filestat_set_size(u32 number, u64 size) {
    struct fd *fd;
    enum error error = file_fd(number, &fd);
    if (error) return error;
    if (!(fd->can & WRITES) || (long long)size < 0) return INVAL;
    error = resize(fd->node, size);
    if (!error) touch(fd->node);
    return error;
}

static enum error set_times(struct node *node, u64 accessed, u64 modified, u32 which) {
    if (which > 15 || (which & 3) == 3 || (which & 12) == 12) return INVAL;
    if (!(node->flags & WRITABLE)) return PERM;
    u64 time = now();
    if (which & 3) node->accessed = which & 1 ? accessed : time;
    if (which & 12) node->modified = which & 4 ? modified : time;
    node->changed = time;
    node->flags |= DATED;
    return SUCCESS;
}

EXPORT("fd_filestat_set_times")
u32 fd_filestat_set_times(u32 number, u64 accessed, u64 modified, u32 which) {
    struct fd *fd = open_fd(number);
    if (!fd || fd->kind != NODE) return BADF;
    return set_times(fd->node, accessed, modified, which);
}

EXPORT("fd_prestat_get") u32 fd_prestat_get(u32 number, u32 out) {
    struct fd *fd = open_fd(number);
    if (!fd || !fd->mount) return BADF;
    store32(out, 0);
    store32(out + 4, disk.mounts[fd->mount - 1].length);
    return SUCCESS;
}

EXPORT("fd_prestat_dir_name") u32 fd_prestat_dir_name(u32 number, u32 at, u32 length) {
    struct fd *fd = open_fd(number);
    if (!fd) return BADF;
    if (!fd->mount) return NOTDIR;
    struct mount *mount = &disk.mounts[fd->mount - 1];
    if (length < mount->length) return NAMETOOLONG;
    copy_out(at, mount->name, mount->length);
    return SUCCESS;
}

struct listed {
    u64 next, number;
    u32 length, type;
};

// Store what fits of one entry; return how many bytes that is.
static u32 list(u32 at, u32 left, u64 next, struct node *node, const u8 *name, u32 length) {
    struct listed head = {next, node->number, length, node->type};
    u32 first = left < sizeof head ? left : sizeof head;
    copy_out(at, &head, first);
    left -= first;
    if (length > left) length = left;
    copy_out(at + first, name, length);
    return first + length;
}

EXPORT("fd_readdir") u32 fd_readdir(u32 number, u32 at, u32 size, u64 cookie, u32 out) {
    struct fd *fd = open_fd(number);
    if (!fd) return BADF;
    if (fd->kind != NODE || fd->node->type != DIRECTORY) return BADF;
    struct node *folder = fd->node;
    u32 used = 0;
    if (cookie == 0) used += list(at, size, 1, folder, (const u8 *)".", 1);
    if (cookie <= 1 && used < size) {
        struct node *parent = fd->mount ? folder : folder->parent;
        used += list(at + used, size - used, 2, parent, (const u8 *)"..", 2);
    }
    for (struct entry *entry = folder->first; entry && used < size; entry = entry->next)
        if (entry->serial >= cookie)
            used += list(at + used, size - used, entry->serial + 1ull, entry->node, entry->name,
                         entry->length);
    store32(out, used);
    return SUCCESS;
}

// Functions that take a path.

enum oflag { CREATE = 1, FOLDER = 2, EXCLUSIVE = 4, TRUNCATE = 8 };

static enum error create(struct place *place, enum type type, struct node **out) {
    struct node *node = *out = new_node(type, place->folder);
    if (!node) return NOSPC;
    enum error error = add(place->folder, place->name, place->length, node);
    if (!error && type == DIRECTORY) place->folder->links++, node->links = 2;
    return error;
}

EXPORT("path_open")
u32 path_open(u32 number, u32 lookup, u32 path, u32 length, u32 oflags, u64 base, u64 further,
              u32 flags, u32 out) {
    struct place place = {0};
    if (lookup > 1 || oflags > 15 || flags > 31) return INVAL;
    u32 can = base & RIGHT_READ || !(base & RIGHT_WRITE) ? READS : 0;
    int changes = base & RIGHT_WRITE || oflags & (CREATE | TRUNCATE);
    if (changes) can |= WRITES;
    if (oflags & CREATE && oflags & EXCLUSIVE) lookup = STAY;
    enum error error = look(number, 0, path, length, lookup | (changes ? CHANGE : 0), &place);
    if (error == NOTDIR && place.slash && oflags & CREATE) return ISDIR;
    if (error) return error;
    if ((oflags & FOLDER) && oflags & (CREATE | EXCLUSIVE | TRUNCATE)) return INVAL;
    if (flags & (DSYNC | RSYNC | SYNC)) return NOTSUP;
    struct node *node = place.node;
    if ((oflags & CREATE) && place.slash) return ISDIR;
    if (node && (oflags & CREATE) && oflags & EXCLUSIVE) return EXIST;
    if (!node && !(oflags & CREATE)) return NOENT;
    if (node && node->type == LINK) return LOOP;
    if (node && node->type == DIRECTORY && changes) return ISDIR;
    if (node && node->type != DIRECTORY && oflags & FOLDER) return NOTDIR;
    if (node && (!(node->flags & READABLE) || node->type == UNKNOWN)) return ACCES;
    u32 next = 0;
    while (next < MOST && fds[next].kind) next++;
    if (next == MOST) return MFILE;
    if (!node && (error = create(&place, REGULAR, &node))) return error;
    if (oflags & TRUNCATE) {
        if (node->size) {
            resize(node, 0);
        }
        touch(node);
    }
    fds[next] = (struct fd){NODE, (u8)can, (u8)flags, 0, 0, node, 0};
    store32(out, next);
    return SUCCESS;
}

EXPORT("path_create_directory") u32 path_create_directory(u32 number, u32 path, u32 length) {
    struct place place = {0};
    struct node *node;
    enum error error = look(number, 0, path, length, CHANGE | EXACT, &place);
    if (error == NOTDIR && place.slash) return EXIST;
    if (error) return error;
    return place.node ? EXIST : create(&place, DIRECTORY, &node);
}

EXPORT("path_filestat_get")
u32 path_filestat_get(u32 number, u32 lookup, u32 path, u32 length, u32 out) {
    struct place place;
    if (lookup > 1) return INVAL;
    enum error error = look(number, 0, path, length, lookup, &place);
    if (error) return error;
    if (!place.node) return NOENT;
    describe(place.node, out);
    return SUCCESS;
}

EXPORT("path_filestat_set_times")
u32 path_filestat_set_times(u32 number, u32 lookup, u32 path, u32 length, u64 accessed,
                            u64 modified, u32 which) {
    struct place place;
    if (lookup > 1) return INVAL;
    enum error error = look(number, 0, path, length, lookup | CHANGE, &place);
    if (error) return error;
    if (!place.node) return NOENT;
    return set_times(place.node, accessed, modified, which);
}

EXPORT("path_readlink")
u32 path_readlink(u32 number, u32 path, u32 length, u32 at, u32 size, u32 out) {
    struct place place;
    enum error error = look(number, 0, path, length, 0, &place);
    if (error) return error;
    if (!place.node) return NOENT;
    if (place.node->type != LINK) return INVAL;
    if (place.node->data[0] == '/') return PERM;
    if (size > place.node->size) size = place.node->size;
    copy_out(at, place.node->data, size);
    store32(out, size);
    return SUCCESS;
}

EXPORT("path_symlink")
u32 path_symlink(u32 target, u32 size, u32 number, u32 path, u32 length) {
    struct place place = {0};
    struct node *node;
    enum error error = read_path(1, target, size);
    if (error) return error;
    if (text[1][0] == '/') return PERM;
    if ((error = look(number, 0, path, length, CHANGE, &place))) return error;
    if (!size) return NOENT;
    if (place.node) return EXIST;
    if (place.slash) return NOENT;
    u8 *data = allocate(size);
    if (!data) return NOSPC;
    copy(data, text[1], size);
    if ((error = create(&place, LINK, &node))) return error;
    node->data = data;
    node->size = node->room = size;
    return SUCCESS;
}

static enum error remove(struct place *place) {
    drop(place->folder, place->at);
    place->node->links--;
    place->node->changed = now();
    return SUCCESS;
}

EXPORT("path_unlink_file") u32 path_unlink_file(u32 number, u32 path, u32 length) {
    struct place place;
    enum error error = look(number, 0, path, length, CHANGE, &place);
    if (error) return error;
    if (!place.node) return NOENT;
    if (place.node->type == DIRECTORY) return ISDIR;
    return remove(&place);
}

EXPORT("path_remove_directory") u32 path_remove_directory(u32 number, u32 path, u32 length) {
    struct place place;
    enum error error = look(number, 0, path, length, CHANGE, &place);
    if (error) return error;
    if (!place.node) return NOENT;
    if (!place.at) return INVAL;
    if (place.node->type != DIRECTORY) return NOTDIR;
    if (place.node->first) return NOTEMPTY;
    place.folder->links--;
    place.node->links--;
    return remove(&place);
}

EXPORT("path_link")
u32 path_link(u32 from, u32 lookup, u32 path, u32 length, u32 to, u32 link, u32 size) {
    struct place old, new = {0};
    if (lookup > 1) return INVAL;
    enum error error = look(from, 0, path, length, CHANGE, &old);
    if (error) return error;
    error = look(to, 1, link, size, CHANGE, &new);
    if (error) return error == NOTDIR && new.slash ? EXIST : error;
    if (lookup & 1) return INVAL;
    if (!old.node) return NOENT;
    if (new.node) return EXIST;
    if (new.slash) return NOENT;
    if (old.node->type == DIRECTORY) return PERM;
    if (old.node->mount != new.folder->mount) return XDEV;
    if ((error = add(new.folder, new.name, new.length, old.node))) return error;
    old.node->links++;
    old.node->changed = now();
    return SUCCESS;
}

static int within(struct node *node, struct node *folder) {
    for (;; node = node->parent) {
        if (node == folder) return 1;
        if (node->parent == node) return 0;
    }
}

EXPORT("path_rename")
u32 path_rename(u32 from, u32 path, u32 length, u32 to, u32 link, u32 size) {
    struct place old = {0}, new;
    enum error first = look(from, 0, path, length, CHANGE | EXACT, &old);
    if (first && !(first == NOTDIR && old.slash)) return first;
    enum error error = look(to, 1, link, size, CHANGE | EXACT, &new);
    if (first || error) return error ? error : first;
    if (old.folder->mount != new.folder->mount) return XDEV;
    if (!old.at || !new.at) return 10; // busy
    if (!old.node) return NOENT;
    int folder = old.node->type == DIRECTORY;
    if (!folder && (old.slash || new.slash)) return NOTDIR;
    if (folder && within(new.folder, old.node)) return INVAL;
    if (new.node && within(old.folder, new.node) && new.node->type == DIRECTORY)
        return NOTEMPTY;
    if (new.node == old.node) return SUCCESS;
    if (new.node) {
        if (folder && new.node->type != DIRECTORY) return NOTDIR;
        if (!folder && new.node->type == DIRECTORY) return ISDIR;
        if (folder && new.node->first) return NOTEMPTY;
        (*new.at)->node = old.node;
        new.node->links -= folder ? 2 : 1;
        if (folder) new.folder->links--;
        touch(new.folder);
    } else if ((error = add(new.folder, new.name, new.length, old.node))) {
        return error;
    }
    drop(old.folder, find(old.folder, old.name, old.length));
    if (folder) {
        old.node->parent = new.folder;
        old.folder->links--;
        new.folder->links++;
    }
    old.node->changed = now();
    return SUCCESS;
}

// Time.

EXPORT("clock_res_get") u32 clock_res_get(u32 clock, u32 out) {
    if (clock > 3) return INVAL;
    store64(out, disk.reading | disk.step);
    return SUCCESS;
}

EXPORT("clock_time_get") u32 clock_time_get(u32 clock, u64 precision, u32 out) {
    if (clock > 3) return INVAL;
    store64(out, now());
    return SUCCESS;
}

// Store an event.
static void happen(u32 in, u32 out, u32 type, u32 bytes) {
    store64(out, load64(in));
    store64(out + 8, type << 16);
    store64(out + 16, bytes);
    store64(out + 24, 0);
}

// Whether a subscription is to a descriptor that can be read or written; it is then ready.
static int ready(u32 in, u32 type) {
    struct fd *fd = open_fd(load32(in + 16));
    if (!fd || (fd->kind == NODE && fd->node->type == DIRECTORY)) return 0;
    return fd->kind == NODE || fd->can == type;
}

// When a subscription to a clock ends.
static u64 deadline(u32 in, u64 time) {
    u64 timeout = load64(in + 24);
    if (load16(in + 40) & 1) return timeout;
    return time + timeout < time ? ~0ull : time + timeout;
}

// Waiting is free: the clock is set to the first deadline.
EXPORT("poll_oneoff") u32 poll_oneoff(u32 in, u32 out, u32 count, u32 stored) {
    u32 events = 0;
    u64 time = current(), then = time, first = ~0ull;
    if (!count) return INVAL;
    for (u32 i = 0; i < count; i++) {
        u32 at = in + 48 * i, type = load8(at + 8);
        if (type > 2 || (!type && load32(at + 16) > 1)) return INVAL;
        if (type && !ready(at, type)) return BADF;
        if (type) happen(at, out + 32 * events++, type, 1);
        else if (deadline(at, time) < first) first = deadline(at, time);
    }
    if (!events && first > time) disk.time += first - time, then = first;
    for (u32 i = 0; i < count; i++) {
        u32 at = in + 48 * i;
        if (load8(at + 8) || deadline(at, time) > then) continue;
        happen(at, out + 32 * events++, 0, 0);
    }
    store32(stored, events);
    return SUCCESS;
}

// What has no meaning here.

EXPORT("proc_raise") u32 proc_raise(u32 signal) { return NOTSUP; }

EXPORT("sock_accept") u32 sock_accept(u32 number, u32 flags, u32 out) {
    return open_fd(number) ? NOTSOCK : BADF;
}

EXPORT("sock_recv")
u32 sock_recv(u32 number, u32 vectors, u32 count, u32 flags, u32 out, u32 more) {
    return open_fd(number) ? NOTSOCK : BADF;
}

EXPORT("sock_send") u32 sock_send(u32 number, u32 vectors, u32 count, u32 flags, u32 out) {
    return open_fd(number) ? NOTSOCK : BADF;
}

EXPORT("sock_shutdown") u32 sock_shutdown(u32 number, u32 how) {
    return open_fd(number) ? NOTSOCK : BADF;
}
