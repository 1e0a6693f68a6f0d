// Small programs over wasi-libc; each runs in the folder "t" and prints what it sees. Arguments
// choose some of them by number.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static void said(const char *what, long value) {
    if (value < 0) printf("%s: %s\n", what, strerror(errno));
    else printf("%s: %ld\n", what, value);
}

static void put(const char *path, const char *text) {
    FILE *f = fopen(path, "w");
    if (!f) { printf("cannot write %s: %s\n", path, strerror(errno)); return; }
    fputs(text, f);
    fclose(f);
}

static void show(const char *path) {
    char buffer[256];
    FILE *f = fopen(path, "r");
    if (!f) { printf("%s: %s\n", path, strerror(errno)); return; }
    size_t n = fread(buffer, 1, sizeof buffer, f);
    printf("%s: <%.*s>\n", path, (int)n, buffer);
    fclose(f);
}

static void kind(const char *path, int follow) {
    struct stat s;
    if (follow ? stat(path, &s) : lstat(path, &s)) printf("%s: %s\n", path, strerror(errno));
    else
        printf("%s: %s size %lld links %d\n", path,
               S_ISDIR(s.st_mode) ? "folder" : S_ISREG(s.st_mode) ? "file" : S_ISLNK(s.st_mode) ? "link" : "other",
               S_ISDIR(s.st_mode) ? 0LL : (long long)s.st_size, S_ISDIR(s.st_mode) ? 0 : (int)s.st_nlink);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void list(const char *path) {
    struct dirent **names;
    int n = scandir(path, &names, 0, by_name);
    if (n < 0) { printf("%s: %s\n", path, strerror(errno)); return; }
    printf("%s:", path);
    for (int i = 0; i < n; i++) printf(" %s/%d", names[i]->d_name, names[i]->d_type);
    printf("\n");
}

#define PROGRAM(n) static void program##n(void)

PROGRAM(1) { show("t/hello.txt"); show("t/none"); show("t"); show("other/x"); }
PROGRAM(2) { put("t/p2", "written"); show("t/p2"); kind("t/p2", 1); }
PROGRAM(3) { FILE *f = fopen("t/p3", "a"); fputs("one ", f); fclose(f); f = fopen("t/p3", "a"); fputs("two", f); said("tell", ftell(f)); fclose(f); show("t/p3"); }
PROGRAM(4) { put("t/p4", "0123456789"); FILE *f = fopen("t/p4", "r+"); fseek(f, 4, SEEK_SET); fputs("xy", f); fseek(f, -1, SEEK_END); said("c", fgetc(f)); said("c", fgetc(f)); said("eof", feof(f) != 0); fclose(f); show("t/p4"); }
PROGRAM(5) { FILE *f = fopen("t/p5", "w+"); fprintf(f, "%d %s %.2f\n", 12, "word", 2.5); rewind(f); int n; char w[10]; double d; said("scanned", fscanf(f, "%d %9s %lf", &n, w, &d)); printf("%d %s %.3f\n", n, w, d); fclose(f); }
PROGRAM(6) { said("x", fopen("t/p6", "wx") != 0); said("x", fopen("t/p6", "wx") ? 1 : -1); }
PROGRAM(7) { FILE *f = fopen("t/lines.txt", "r"); char line[64]; int n = 0; while (fgets(line, sizeof line, f)) printf("%d %s", ++n, line); said("eof", feof(f) != 0); said("error", ferror(f)); fclose(f); }
PROGRAM(8) { FILE *f = fopen("t/lines.txt", "r"); char *line = 0; size_t room = 0; long total = 0; ssize_t n; while ((n = getline(&line, &room, f)) > 0) total += n; said("total", total); free(line); fclose(f); }
PROGRAM(9) { FILE *f = fopen("t/lines.txt", "r"); int c = fgetc(f); ungetc(c, f); ungetc('!', f); printf("%c%c%c\n", fgetc(f), fgetc(f), fgetc(f)); said("tell", ftell(f)); fclose(f); }
PROGRAM(10) { FILE *f = fopen("t/hello.txt", "r"); said("write", fputc('x', f) == EOF ? -1 : 1); said("error", ferror(f) != 0); clearerr(f); said("error", ferror(f) != 0); fclose(f); }
PROGRAM(11) { int fd = open("t/p11", O_RDWR | O_CREAT | O_TRUNC, 0666); said("write", write(fd, "abcdef", 6)); said("seek", lseek(fd, 1, SEEK_SET)); char b[4] = {0}; said("read", read(fd, b, 3)); printf("%s\n", b); said("seek", lseek(fd, -100, SEEK_CUR)); said("seek", lseek(fd, 0, SEEK_END)); said("close", close(fd)); said("close", close(fd)); }
PROGRAM(12) { said("none", open("t/nope", O_RDONLY)); said("folder", open("t/sub", O_WRONLY)); said("file as folder", open("t/hello.txt/x", O_RDONLY)); said("no folder", open("t/hello.txt", O_RDONLY | O_DIRECTORY)); said("outside", open("/etc/passwd", O_RDONLY)); said("up", open("t/../../x", O_RDONLY)); said("up", open("../x", O_RDONLY)); }
PROGRAM(13) { int fd = open("t/p13", O_WRONLY | O_CREAT | O_EXCL, 0666); said("new", fd >= 0); said("again", open("t/p13", O_WRONLY | O_CREAT | O_EXCL, 0666)); char c; said("read", read(fd, &c, 1)); close(fd); fd = open("t/p13", O_RDONLY); said("write", write(fd, "x", 1)); close(fd); }
PROGRAM(14) { put("t/p14", "base"); int fd = open("t/p14", O_WRONLY | O_APPEND); write(fd, "+1", 2); lseek(fd, 0, SEEK_SET); write(fd, "+2", 2); close(fd); show("t/p14"); }
PROGRAM(15) { int fd = open("t/p15", O_RDWR | O_CREAT, 0666); said("pwrite", pwrite(fd, "zz", 2, 5)); char b[8]; memset(b, '.', 8); said("pread", pread(fd, b, 8, 0)); for (int i = 0; i < 8; i++) printf("%d ", b[i]); printf("\n"); said("at", lseek(fd, 0, SEEK_CUR)); said("beyond", pread(fd, b, 8, 100)); close(fd); }
PROGRAM(16) { int fd = open("t/p16", O_RDWR | O_CREAT, 0666); struct iovec v[2] = {{"one", 3}, {"two", 3}}; said("writev", writev(fd, v, 1)); said("writev", writev(fd, v + 1, 1)); char a[4]; struct iovec r[1] = {{a, 4}}; lseek(fd, 1, SEEK_SET); said("readv", readv(fd, r, 1)); printf("%.4s\n", a); close(fd); }
PROGRAM(17) { put("t/p17", "0123456789"); int fd = open("t/p17", O_RDWR); said("cut", ftruncate(fd, 4)); struct stat s; fstat(fd, &s); said("size", s.st_size); said("grow", ftruncate(fd, 6)); char b[6]; said("read", read(fd, b, 6)); printf("%c %d\n", b[3], b[5]); said("negative", ftruncate(fd, -1)); close(fd); said("truncate", truncate("t/p17", 2)); show("t/p17"); fd = open("t/p17", O_RDONLY); said("readonly", ftruncate(fd, 1)); close(fd); }
PROGRAM(18) { kind("t", 1); kind("t/hello.txt", 1); kind("t/link", 1); kind("t/link", 0); kind("t/dead", 1); kind("t/dead", 0); kind("t/sub/up", 1); kind("t/nope", 1); kind("t/hello.txt/", 1); kind("t/sub/", 1); kind("", 1); kind(".", 1); }
PROGRAM(19) { said("mkdir", mkdir("t/p19", 0777)); said("again", mkdir("t/p19", 0777)); said("deep", mkdir("t/p19/a/b", 0777)); said("deep", mkdir("t/p19/a", 0777)); said("deep", mkdir("t/p19/a/b", 0777)); said("file", mkdir("t/hello.txt", 0777)); said("under", mkdir("t/hello.txt/x", 0777)); list("t/p19"); list("t/p19/a"); }
PROGRAM(20) { mkdir("t/p20", 0777); mkdir("t/p20/in", 0777); said("full", rmdir("t/p20")); said("in", rmdir("t/p20/in")); said("empty", rmdir("t/p20")); said("gone", rmdir("t/p20")); said("file", rmdir("t/hello.txt")); said("link", rmdir("t/folderlink")); }
PROGRAM(21) { put("t/p21", "x"); said("unlink", unlink("t/p21")); said("gone", unlink("t/p21")); said("folder", unlink("t/sub")); said("under", unlink("t/hello.txt/x")); said("up", unlink("../x")); kind("t/p21", 1); }
PROGRAM(22) { put("t/p22", "x"); said("remove", remove("t/p22")); mkdir("t/p22", 0777); said("remove", remove("t/p22")); said("gone", remove("t/p22")); }
PROGRAM(23) { put("t/p23", "moved"); said("rename", rename("t/p23", "t/p23b")); kind("t/p23", 1); show("t/p23b"); put("t/p23", "over"); said("over", rename("t/p23", "t/p23b")); show("t/p23b"); said("none", rename("t/p23", "t/x")); said("same", rename("t/p23b", "t/p23b")); }
PROGRAM(24) { mkdir("t/p24", 0777); mkdir("t/p24/a", 0777); put("t/p24/a/f", "f"); said("into itself", rename("t/p24", "t/p24/a/b")); said("onto file", rename("t/p24/a", "t/hello.txt")); said("file onto folder", rename("t/hello.txt", "t/p24")); mkdir("t/p24/e", 0777); said("onto empty", rename("t/p24/a", "t/p24/e")); show("t/p24/e/f"); mkdir("t/p24/g", 0777); said("onto full", rename("t/p24/g", "t/p24/e")); list("t/p24"); }
PROGRAM(25) { put("t/p25", "shared"); said("link", link("t/p25", "t/p25b")); kind("t/p25", 1); int fd = open("t/p25b", O_WRONLY); write(fd, "SH", 2); close(fd); show("t/p25"); unlink("t/p25"); kind("t/p25b", 1); said("folder", link("t/sub", "t/p25c")); said("exists", link("t/p25b", "t/hello.txt")); said("none", link("t/p25", "t/p25d")); }
PROGRAM(26) { said("symlink", symlink("hello.txt", "t/p26")); char b[64]; said("readlink", readlink("t/p26", b, 64)); printf("%.9s\n", b); said("short", readlink("t/p26", b, 3)); show("t/p26"); said("exists", symlink("x", "t/p26")); said("no link", readlink("t/hello.txt", b, 64)); said("none", readlink("t/nope", b, 64)); }
PROGRAM(27) { symlink("../secret", "t/p27"); show("t/p27"); said("absolute", symlink("/etc/passwd", "t/p27b")); symlink("p27d", "t/p27c"); symlink("p27c", "t/p27d"); show("t/p27c"); kind("t/p27c", 0); said("nofollow", open("t/p27c", O_RDONLY | O_NOFOLLOW)); }
PROGRAM(28) { symlink("p28t", "t/p28"); put("t/p28", "through"); show("t/p28t"); kind("t/p28", 0); said("excl", open("t/p28", O_CREAT | O_EXCL | O_WRONLY, 0666)); }
PROGRAM(29) { mkdir("t/p29", 0777); put("t/p29/c", ""); put("t/p29/a", ""); put("t/p29/b", ""); mkdir("t/p29/d", 0777); symlink("a", "t/p29/e"); list("t/p29"); unlink("t/p29/a"); list("t/p29"); list("t/nope"); list("t/hello.txt"); }
PROGRAM(30) { mkdir("t/p30", 0777); char name[40]; for (int i = 0; i < 40; i++) { sprintf(name, "t/p30/file-with-a-long-name-%02d", i); put(name, ""); } DIR *d = opendir("t/p30"); int n = 0; long len = 0; struct dirent *e; while ((e = readdir(d))) n++, len += strlen(e->d_name); printf("%d %ld\n", n, len); rewinddir(d); n = 0; while (readdir(d)) n++; printf("%d\n", n); closedir(d); for (int i = 0; i < 40; i++) { sprintf(name, "t/p30/file-with-a-long-name-%02d", i); unlink(name); } said("rmdir", rmdir("t/p30")); }
PROGRAM(31) { DIR *d = opendir("t/sub"); said("fd", dirfd(d) > 2); struct stat s; said("stat", fstatat(dirfd(d), "b", &s, 0)); said("size", s.st_size); said("open", openat(dirfd(d), "b", O_RDONLY) > 2); said("up", openat(dirfd(d), "../hello.txt", O_RDONLY)); said("mkdir", mkdirat(dirfd(d), "p31", 0777)); said("unlink", unlinkat(dirfd(d), "p31", 0)); said("rmdir", unlinkat(dirfd(d), "p31", AT_REMOVEDIR)); closedir(d); }
PROGRAM(32) { said("read", access("t/hello.txt", R_OK)); said("write", access("t/hello.txt", W_OK)); said("none", access("t/nope", F_OK)); said("folder", access("t/sub", X_OK)); said("at", faccessat(AT_FDCWD, "t/link", F_OK, 0)); }
PROGRAM(33) { put("t/p33", "x"); struct timespec t[2] = {{1000, 5}, {2000, 6}}; said("utimensat", utimensat(AT_FDCWD, "t/p33", t, 0)); struct stat s; stat("t/p33", &s); printf("%lld.%ld %lld.%ld\n", s.st_atim.tv_sec, s.st_atim.tv_nsec, s.st_mtim.tv_sec, s.st_mtim.tv_nsec); t[0].tv_nsec = UTIME_OMIT; t[1].tv_sec = 3000; said("omit", utimensat(AT_FDCWD, "t/p33", t, 0)); stat("t/p33", &s); printf("%lld %lld\n", s.st_atim.tv_sec, s.st_mtim.tv_sec); }
PROGRAM(34) { put("t/p34", "x"); int fd = open("t/p34", O_RDWR); struct timespec t[2] = {{7, 0}, {8, 0}}; said("futimens", futimens(fd, t)); struct stat s; fstat(fd, &s); printf("%lld %lld\n", s.st_atim.tv_sec, s.st_mtim.tv_sec); t[0].tv_nsec = t[1].tv_nsec = UTIME_NOW; said("now", futimens(fd, t)); fstat(fd, &s); printf("%d\n", s.st_mtim.tv_sec != 8); said("none", utimensat(AT_FDCWD, "t/nope", t, 0)); close(fd); }
PROGRAM(35) { put("t/p35", "x"); struct stat a, b; stat("t/p35", &a); struct timespec wait = {0, 20000000}; nanosleep(&wait, 0); put("t/p35", "y"); stat("t/p35", &b); printf("later %d\n", b.st_mtim.tv_sec > a.st_mtim.tv_sec || b.st_mtim.tv_nsec > a.st_mtim.tv_nsec); struct stat h; stat("t/hello.txt", &h); printf("%lld\n", h.st_mtim.tv_sec); }
PROGRAM(36) { struct timespec a, b; said("time", clock_gettime(CLOCK_MONOTONIC, &a)); struct timespec wait = {0, 5000000}; said("sleep", nanosleep(&wait, 0)); clock_gettime(CLOCK_MONOTONIC, &b); long long ns = (b.tv_sec - a.tv_sec) * 1000000000LL + b.tv_nsec - a.tv_nsec; printf("slept %d\n", ns >= 5000000); said("resolution", clock_getres(CLOCK_REALTIME, &a)); said("usleep", usleep(1000)); said("sleep", sleep(0)); }
PROGRAM(37) { struct timeval t; said("gettimeofday", gettimeofday(&t, 0)); time_t a = time(0), b = time(0); printf("%d\n", b >= a); said("yield", sched_yield()); }
PROGRAM(38) { struct pollfd p[2] = {{1, POLLOUT, 0}, {2, POLLOUT, 0}}; said("poll", poll(p, 2, 0)); printf("%d %d\n", p[0].revents, p[1].revents); said("none", poll(p, 0, 1)); }
PROGRAM(39) { int fd = open("t/hello.txt", O_RDONLY); struct pollfd p = {fd, POLLIN, 0}; said("poll", poll(&p, 1, 100)); printf("%d\n", p.revents); fd_set set; FD_ZERO(&set); FD_SET(fd, &set); struct timeval t = {0, 1000}; said("select", select(fd + 1, &set, 0, 0, &t)); printf("%d\n", FD_ISSET(fd, &set) != 0); close(fd); }
PROGRAM(40) { int fd = open("t/hello.txt", O_RDONLY); said("flags", fcntl(fd, F_GETFL) == O_RDONLY); said("set", fcntl(fd, F_SETFL, O_NONBLOCK)); said("flags", (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0); close(fd); fd = open("t/p40", O_WRONLY | O_CREAT | O_APPEND, 0666); said("append", (fcntl(fd, F_GETFL) & O_APPEND) != 0); said("mode", (fcntl(fd, F_GETFL) & O_ACCMODE) == O_WRONLY); said("closed", fcntl(99, F_GETFL)); close(fd); }
PROGRAM(41) { int fd = open("t/hello.txt", O_RDONLY); said("tty", isatty(fd)); printf("%d\n", errno == ENOTTY); said("closed", isatty(99) ? 0 : -1); close(fd); }
PROGRAM(42) { int fd = open("t/p42", O_RDWR | O_CREAT, 0666); said("sync", fsync(fd)); said("datasync", fdatasync(fd)); said("advise", posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL)); said("seek past", lseek(fd, 70000, SEEK_SET)); said("write", write(fd, "end", 3)); struct stat s; fstat(fd, &s); said("size", s.st_size); char b[3] = "xxx"; said("read", pread(fd, b, 3, 35000)); printf("%d\n", b[0] | b[1] | b[2]); close(fd); }
PROGRAM(43) { int fd = open("t/p43", O_RDWR | O_CREAT, 0666); write(fd, "alive", 5); said("unlink", unlink("t/p43")); kind("t/p43", 1); char b[5]; said("read", pread(fd, b, 5, 0)); printf("%.5s\n", b); struct stat s; fstat(fd, &s); said("links", s.st_nlink); close(fd); }
PROGRAM(44) { put("t/p44", "old"); int fd = open("t/p44", O_RDONLY); put("t/p44b", "new"); rename("t/p44b", "t/p44"); char b[3]; read(fd, b, 3); printf("%.3s\n", b); show("t/p44"); close(fd); }
PROGRAM(45) { char path[64] = "t"; for (int i = 0; i < 12; i++) { strcat(path, "/d"); said("mkdir", mkdir(path, 0777)); } put("t/d/d/d/d/d/d/d/d/d/d/d/d/f", "deep"); show("t/d/d/d/../d/d/./d/d/d//d/d/d/d/d/f"); }
PROGRAM(46) { put("t/gr\xc3\xbc\xc3\x9f.txt", "utf"); show("t/gr\xc3\xbc\xc3\x9f.txt"); said("bad", open("t/\xff", O_RDONLY | O_CREAT, 0666)); }
PROGRAM(47) { char name[400] = "t/"; memset(name + 2, 'n', 255); put(name, "long"); kind(name, 1); memset(name + 2, 'n', 300); said("long", open(name, O_RDONLY)); static char huge[6000]; memset(huge, 'a', 5000); huge[0] = 't'; huge[1] = '/'; said("huge", open(huge, O_RDONLY)); }
PROGRAM(48) { FILE *f = fopen("t/p48", "w"); setvbuf(f, 0, _IONBF, 0); fputs("now", f); show("t/p48"); fclose(f); f = fopen("t/p48", "w"); fputs("later", f); show("t/p48"); fflush(f); show("t/p48"); fclose(f); }
PROGRAM(49) { FILE *f = fopen("t/p49", "wb"); for (int i = 0; i < 3000; i++) fputc(i & 255, f); said("close", fclose(f)); f = fopen("t/p49", "rb"); int sum = 0, c; while ((c = fgetc(f)) != EOF) sum = (sum * 31 + c) & 0xffffff; printf("%d\n", sum); fclose(f); }
PROGRAM(50) { FILE *f = fopen("t/p50", "w+b"); int numbers[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}; said("wrote", fwrite(numbers, sizeof(int), 10, f)); fseek(f, 3 * sizeof(int), SEEK_SET); int n; fread(&n, sizeof n, 1, f); said("fourth", n); n = 40; fseek(f, -(long)sizeof n, SEEK_CUR); fwrite(&n, sizeof n, 1, f); rewind(f); said("read", fread(numbers, sizeof(int), 20, f)); said("fourth", numbers[3]); fclose(f); }
PROGRAM(51) { int fd = open("t/lines.txt", O_RDONLY); FILE *f = fdopen(fd, "r"); said("same", fileno(f) == fd); char line[50]; fgets(line, 50, f); printf("%s", line); fclose(f); said("closed", read(fd, line, 1)); }
PROGRAM(52) { FILE *f = freopen("t/hello.txt", "r", stdin); said("ok", f != 0); char b[6] = {0}; said("read", fread(b, 1, 5, stdin)); printf("%s\n", b); }
PROGRAM(53) { char b[100]; said("chdir", chdir("t/sub")); printf("%s\n", getcwd(b, 100)); show("b"); show("../hello.txt"); kind("deep", 1); said("up", chdir("..")); printf("%s\n", getcwd(b, 100)); show("hello.txt"); said("none", chdir("nope")); said("file", chdir("hello.txt")); }
PROGRAM(54) { struct stat s; said("stdin", fstat(0, &s)); said("stdout", fstat(1, &s)); said("seek", lseek(1, 0, SEEK_CUR)); said("read", read(1, &s, 1)); said("write", write(0, "x", 1)); said("99", fstat(99, &s)); said("pread", pread(0, &s, 1, 0)); }
PROGRAM(55) { struct stat s, l; stat("t/hello.txt", &s); stat("t/link", &l); printf("%d\n", s.st_ino == l.st_ino && s.st_dev == l.st_dev); lstat("t/link", &l); printf("%d\n", s.st_ino == l.st_ino); stat("t/sub/../hello.txt", &l); printf("%d\n", s.st_ino == l.st_ino); put("t/p55", ""); stat("t/p55", &l); printf("%d\n", s.st_ino == l.st_ino); }
PROGRAM(56) { list("t/folderlink"); show("t/folderlink/b"); put("t/folderlink/p56", "x"); show("t/sub/p56"); said("unlink", unlink("t/folderlink/p56")); kind("t/folderlink", 0); kind("t/folderlink/", 0); kind("t/folderlink/.", 0); said("nofollow", open("t/folderlink", O_DIRECTORY | O_NOFOLLOW | O_RDONLY)); }
PROGRAM(57) { DIR *d = opendir("t/sub"); long places[20]; char names[20][32]; int n = 0; struct dirent *e; places[0] = telldir(d); while ((e = readdir(d))) { strcpy(names[n], e->d_name); places[++n] = telldir(d); } int good = 0; for (int i = n - 1; i >= 0; i--) { seekdir(d, places[i]); good += !strcmp(readdir(d)->d_name, names[i]); } printf("%d\n", good == n); closedir(d); }
PROGRAM(58) { put("t/p58", "12345"); FILE *f = fopen("t/p58", "r"); said("seek", fseek(f, -1, SEEK_SET)); said("far", fseek(f, 100, SEEK_SET)); said("c", fgetc(f)); said("tell", ftell(f)); said("seeko", fseeko(f, -2, SEEK_END)); said("c", fgetc(f)); fpos_t at; fgetpos(f, &at); fgetc(f); fsetpos(f, &at); said("c", fgetc(f)); fclose(f); }
PROGRAM(59) { mkdir("t/p59", 0777); for (int i = 0; i < 20; i++) { char name[32]; sprintf(name, "t/p59/%d", i * 7 % 20); put(name, "x"); } DIR *d = opendir("t/p59"); struct dirent *e; int removed = 0; char name[300]; while ((e = readdir(d))) if (e->d_name[0] != '.') { sprintf(name, "t/p59/%s", e->d_name); removed += !unlink(name); } closedir(d); said("removed", removed); said("rmdir", rmdir("t/p59")); }
PROGRAM(60) { put("t/made/result.txt", "kept\n"); said("mkdir", mkdir("t/made", 0777)); put("t/made/result.txt", "kept\n"); FILE *f = fopen("t/log.txt", "a"); fprintf(f, "line\n"); fclose(f); said("system", errno == 0 || errno == ENOENT); list("t/made"); said("unlink", unlink("t/removed.txt")); }
PROGRAM(61) { int fds[20], n = 0; for (; n < 20; n++) fds[n] = open("t/hello.txt", O_RDONLY); char b[3]; for (int i = 0; i < 20; i++) { lseek(fds[i], i % 5, SEEK_SET); read(fds[i], b, 2); printf("%.2s ", b); } printf("\n"); for (int i = 0; i < 20; i++) close(fds[i]); }
PROGRAM(62) { said("trailing", open("t/p62/", O_WRONLY | O_CREAT, 0666)); said("trailing", mkdir("t/p62/", 0777)); kind("t/p62", 1); said("file", open("t/hello.txt/", O_RDONLY)); said("dot", mkdir("t/.", 0777)); said("dots", unlink("t/sub/..")); said("dot", rmdir("t/p62/.")); }

#define LIST(F) \
    F(1) F(2) F(3) F(4) F(5) F(6) F(7) F(8) F(9) F(10) F(11) F(12) F(13) F(14) F(15) F(16) F(17) \
    F(18) F(19) F(20) F(21) F(22) F(23) F(24) F(25) F(26) F(27) F(28) F(29) F(30) F(31) F(32) \
    F(33) F(34) F(35) F(36) F(37) F(38) F(39) F(40) F(41) F(42) F(43) F(44) F(45) F(46) F(47) \
    F(48) F(49) F(50) F(51) F(52) F(54) F(55) F(56) F(57) F(58) F(59) F(60) F(61) F(62) \
    F(53) // the last, because it changes the folder
#define ROW(n) program##n,
#define NUMBER(n) n,

int main(int argc, char **argv) {
    static void (*const programs[])(void) = {LIST(ROW)};
    static const int numbers[] = {LIST(NUMBER)};
    int count = sizeof programs / sizeof *programs;
    for (int i = 0; i < count; i++) {
        int wanted = argc == 1;
        for (int j = 1; j < argc; j++) wanted |= atoi(argv[j]) == numbers[i];
        if (!wanted) continue;
        printf("== %d\n", numbers[i]);
        errno = 0;
        programs[i]();
        fflush(stdout);
    }
    return 0;
}
