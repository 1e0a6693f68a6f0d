// Calls WASI functions as lines of standard input say, and prints what each returns.
//
// A line is the number of the function and its arguments; a path is a word, in which every byte
// may be written as %XX, and "%" alone is the empty path.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wasi/api.h>

static char words[12][8200];
static int count;

static void split(char *line) {
    count = 0;
    for (char *word = strtok(line, " \n"); word && count < 12; word = strtok(0, " \n")) {
        char *out = words[count++];
        for (; *word; word++) {
            if (*word != '%') {
                *out++ = *word;
            } else if (word[1] && word[2]) {
                char hex[3] = {word[1], word[2], 0};
                *out++ = (char)strtol(hex, 0, 16);
                word += 2;
            }
        }
        *out = 0;
    }
}

static long long number(int i) { return i < count ? strtoll(words[i], 0, 0) : 0; }

static void described(__wasi_filestat_t *s) {
    printf(" type %d size %lld links %lld", s->filetype,
           s->filetype == 3 ? 0LL : (long long)s->size, s->filetype == 3 ? 0LL : (long long)s->nlink);
}

static char line[20000], data[100000];

int main(void) {
    while (fgets(line, sizeof line, stdin)) {
        split(line);
        const char *name = words[0];
        int fd = (int)number(1), error = -1;
        data[0] = 0;
        if (!strcmp(name, "open")) { // fd lookup path oflags rights fdflags
            __wasi_fd_t out = 0;
            error = __wasi_path_open(fd, number(2), words[3], number(4), number(5), 0x3fffffff,
                                     number(6), &out);
            printf("open %d", error);
            if (!error) printf(" fd %d", out);
        } else if (!strcmp(name, "close")) {
            printf("close %d", __wasi_fd_close(fd));
        } else if (!strcmp(name, "read") || !strcmp(name, "pread")) { // fd size offset
            __wasi_size_t got = 0;
            __wasi_iovec_t v = {(unsigned char *)data, (size_t)number(2)};
            error = *name == 'r' ? __wasi_fd_read(fd, &v, 1, &got)
                                 : __wasi_fd_pread(fd, &v, 1, number(3), &got);
            printf("%s %d", name, error);
            if (!error) printf(" <%.*s>", (int)got, data);
        } else if (!strcmp(name, "write") || !strcmp(name, "pwrite")) { // fd text offset
            __wasi_size_t got = 0;
            __wasi_ciovec_t v = {(unsigned char *)words[2], strlen(words[2])};
            error = *name == 'w' ? __wasi_fd_write(fd, &v, 1, &got)
                                 : __wasi_fd_pwrite(fd, &v, 1, number(3), &got);
            printf("%s %d", name, error);
            if (!error) printf(" %d", (int)got);
        } else if (!strcmp(name, "seek")) { // fd offset whence
            __wasi_filesize_t at = 0;
            error = __wasi_fd_seek(fd, number(2), number(3), &at);
            printf("seek %d", error);
            if (!error) printf(" %lld", at);
        } else if (!strcmp(name, "tell")) {
            __wasi_filesize_t at = 0;
            error = __wasi_fd_tell(fd, &at);
            printf("tell %d", error);
            if (!error) printf(" %lld", at);
        } else if (!strcmp(name, "mkdir")) {
            printf("mkdir %d", __wasi_path_create_directory(fd, words[2]));
        } else if (!strcmp(name, "rmdir")) {
            printf("rmdir %d", __wasi_path_remove_directory(fd, words[2]));
        } else if (!strcmp(name, "unlink")) {
            printf("unlink %d", __wasi_path_unlink_file(fd, words[2]));
        } else if (!strcmp(name, "rename")) { // fd old fd new
            printf("rename %d", __wasi_path_rename(fd, words[2], number(3), words[4]));
        } else if (!strcmp(name, "link")) { // fd flags old fd new
            printf("link %d", __wasi_path_link(fd, number(2), words[3], number(4), words[5]));
        } else if (!strcmp(name, "symlink")) { // target fd path
            printf("symlink %d", __wasi_path_symlink(words[1], number(2), words[3]));
        } else if (!strcmp(name, "readlink")) { // fd path size
            __wasi_size_t got = 0;
            error = __wasi_path_readlink(fd, words[2], (unsigned char *)data, number(3), &got);
            printf("readlink %d", error);
            if (!error) printf(" <%.*s>", (int)got, data);
        } else if (!strcmp(name, "stat")) { // fd flags path
            __wasi_filestat_t s;
            error = __wasi_path_filestat_get(fd, number(2), words[3], &s);
            printf("stat %d", error);
            if (!error) described(&s);
        } else if (!strcmp(name, "fstat")) {
            __wasi_filestat_t s;
            error = __wasi_fd_filestat_get(fd, &s);
            printf("fstat %d", error);
            if (!error) described(&s);
        } else if (!strcmp(name, "times")) { // fd accessed modified flags
            __wasi_filestat_t s;
            error = __wasi_fd_filestat_set_times(fd, number(2), number(3), number(4));
            printf("times %d", error);
            if (!error && !__wasi_fd_filestat_get(fd, &s) && (number(4) & 5) == 5)
                printf(" %lld %lld", s.atim, s.mtim);
        } else if (!strcmp(name, "ptimes")) { // fd lookup path accessed modified flags
            __wasi_filestat_t s;
            error = __wasi_path_filestat_set_times(fd, number(2), words[3], number(4), number(5), number(6));
            printf("ptimes %d", error);
            if (!error && !__wasi_path_filestat_get(fd, number(2), words[3], &s) && (number(6) & 5) == 5)
                printf(" %lld %lld", s.atim, s.mtim);
        } else if (!strcmp(name, "truncate")) {
            printf("truncate %d", __wasi_fd_filestat_set_size(fd, number(2)));
        } else if (!strcmp(name, "allocate")) {
            printf("allocate %d", __wasi_fd_allocate(fd, number(2), number(3)));
        } else if (!strcmp(name, "advise")) {
            printf("advise %d", __wasi_fd_advise(fd, number(2), number(3), number(4)));
        } else if (!strcmp(name, "sync")) {
            printf("sync %d %d", __wasi_fd_sync(fd), __wasi_fd_datasync(fd));
        } else if (!strcmp(name, "renumber")) {
            printf("renumber %d", __wasi_fd_renumber(fd, number(2)));
        } else if (!strcmp(name, "flags")) {
            printf("flags %d", __wasi_fd_fdstat_set_flags(fd, number(2)));
        } else if (!strcmp(name, "rights")) {
            printf("rights %d", __wasi_fd_fdstat_set_rights(fd, number(2), number(3)));
        } else if (!strcmp(name, "fdstat")) {
            __wasi_fdstat_t s;
            error = __wasi_fd_fdstat_get(fd, &s);
            printf("fdstat %d", error);
            if (!error) printf(" type %d flags %d %llx %llx", s.fs_filetype, s.fs_flags, s.fs_rights_base, s.fs_rights_inheriting);
        } else if (!strcmp(name, "prestat")) {
            __wasi_prestat_t s;
            error = __wasi_fd_prestat_get(fd, &s);
            printf("prestat %d", error);
            if (!error) printf(" %d", (int)s.u.dir.pr_name_len);
            error = __wasi_fd_prestat_dir_name(fd, (unsigned char *)data, number(2));
            printf(" %d", error);
            if (!error) printf(" <%s>", data);
        } else if (!strcmp(name, "readdir")) { // fd size cookie: the names, in one call
            __wasi_size_t used = 0;
            error = __wasi_fd_readdir(fd, (unsigned char *)data, number(2), number(3), &used);
            printf("readdir %d", error);
            if (!error) {
                printf(" used %d:", (int)used == number(2) ? -1 : (int)used);
                char names[200][260];
                int n = 0;
                for (unsigned at = 0; at + 24 <= used;) {
                    __wasi_dirent_t *e = (void *)(data + at);
                    if (at + 24 + e->d_namlen > used) break;
                    sprintf(names[n++], "%.*s/%d", (int)e->d_namlen, data + at + 24, e->d_type);
                    at += 24 + e->d_namlen;
                }
                qsort(names, n, 260, (int (*)(const void *, const void *))strcmp);
                for (int i = 0; i < n; i++) printf(" %s", names[i]);
            }
        } else if (!strcmp(name, "poll")) { // type fd-or-clock timeout flags, repeated
            __wasi_subscription_t in[4];
            __wasi_event_t out[4];
            __wasi_size_t got = 0;
            int n = 0;
            memset(in, 0, sizeof in);
            for (int i = 1; i < count; i += 4, n++) {
                in[n].userdata = 100 + n;
                in[n].u.tag = number(i);
                if (number(i)) {
                    in[n].u.u.fd_read.file_descriptor = number(i + 1);
                } else {
                    in[n].u.u.clock.id = number(i + 1);
                    in[n].u.u.clock.timeout = number(i + 2);
                    in[n].u.u.clock.flags = number(i + 3);
                }
            }
            error = __wasi_poll_oneoff(in, out, n, &got);
            printf("poll %d", error);
            for (int i = 0; !error && i < (int)got; i++)
                printf(" [%lld type %d error %d bytes %lld flags %d]", out[i].userdata, out[i].type,
                       out[i].error, out[i].fd_readwrite.nbytes, out[i].fd_readwrite.flags);
        } else if (!strcmp(name, "sock")) {
            __wasi_size_t got;
            __wasi_roflags_t more;
            __wasi_fd_t new;
            __wasi_iovec_t v = {(unsigned char *)data, 1};
            printf("sock %d %d %d", __wasi_sock_accept(fd, 0, &new),
                   __wasi_sock_recv(fd, &v, 1, 0, &got, &more),
                   __wasi_sock_shutdown(fd, 1));
        } else if (!strcmp(name, "yield")) {
            printf("yield %d", __wasi_sched_yield());
        } else {
            printf("? %s", name);
        }
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
