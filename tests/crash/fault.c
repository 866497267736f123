/* The n-th call of a kind in a program of a kind fails, or ends its process: what a disk, a limit or a power cut does.
 *
 * Preloaded into every program of a room. What to do is read from the file "plan" beside this library, in one line:
 *     program kinds number error place...
 * e.g. "git open,mkdir 17 5 /room/ /dev/null": of the calls of these kinds in git whose path (or descriptor's) is one
 * of the places, or in one that ends with a slash, the 17th fails with EIO. Error 0 is kill -9; number 0 strikes nothing. Every call that was counted
 * is a line of LINE bytes in the file "calls" beside it: the length of that file is the count, for all processes. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/fcntl.h> /* not fcntl.h: open has its mode as a third argument here */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINE 512
#define PLACES 8

int open(const char *, int, mode_t);
int open64(const char *, int, mode_t);
int openat(int, const char *, int, mode_t);
int openat64(int, const char *, int, mode_t);
int __open_2(const char *, int);
int __open64_2(const char *, int);
int __openat_2(int, const char *, int);
int __openat64_2(int, const char *, int);
int sync_file_range(int, off64_t, off64_t, unsigned int);

static struct {
    int read, places;
    long number;
    int error;
    char text[4096], folder[PATH_MAX], *program, *kinds, *place[PLACES];
} plan;

static void forget(void) { plan.read = 0; }

static void remember(void) {
    Dl_info here;
    char name[PATH_MAX + 8];
    long count = 0;
    if (!plan.read && !plan.folder[0]) pthread_atfork(NULL, NULL, forget);
    plan.read = 1;
    plan.places = 0;
    plan.program = plan.kinds = "";
    if (!dladdr((void *)remember, &here)) return;
    snprintf(plan.folder, sizeof plan.folder, "%s", here.dli_fname);
    *strrchr(plan.folder, '/') = 0;
    snprintf(name, sizeof name, "%s/plan", plan.folder);
    int file = syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0) return;
    count = syscall(SYS_read, file, plan.text, sizeof plan.text - 1);
    syscall(SYS_close, file);
    plan.text[count < 0 ? 0 : count] = 0;
    char *rest = plan.text, *words[4 + PLACES];
    int found = 0;
    while (found < 4 + PLACES && (words[found] = strsep(&rest, " \n"))) found++;
    if (found < 4) return;
    plan.program = words[0];
    plan.kinds = words[1];
    plan.number = atol(words[2]);
    plan.error = atoi(words[3]);
    for (int n = 4; n < found; n++)
        if (*words[n]) plan.place[plan.places++] = words[n];
}

static int is_wanted(const char *kind) {
    const char *own = program_invocation_short_name;
    if (!plan.read) remember();
    if (!*plan.program || strncmp(own, plan.program, strlen(plan.program))) return 0;
    size_t length = strlen(kind);
    for (const char *at = plan.kinds; (at = strstr(at, kind)); at += length)
        if ((at == plan.kinds || at[-1] == ',') && (!at[length] || at[length] == ',')) return 1;
    return 0;
}

static int is_placed(const char *path) {
    for (int n = 0; n < plan.places; n++) {
        size_t length = strlen(plan.place[n]);
        if (!strncmp(path, plan.place[n], length) && (plan.place[n][length - 1] == '/' || !path[length])) return 1;
    }
    return 0;
}

/* The absolute path; of a descriptor where there is no path. */
static void whole(char *to, size_t size, int folder, const char *path) {
    char link[40], base[PATH_MAX] = "";
    if (path && *path == '/') {
        snprintf(to, size, "%s", path);
        return;
    }
    if (folder == AT_FDCWD) snprintf(link, sizeof link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
    long count = syscall(SYS_readlinkat, AT_FDCWD, link, base, sizeof base - 1);
    base[count < 0 ? 0 : count] = 0;
    snprintf(to, size, "%s%s%s", base, path ? "/" : "", path ? path : "");
}

static int strikes(const char *kind, int folder, const char *path) {
    int before = errno;
    char place[2 * PATH_MAX], name[PATH_MAX + 8], line[LINE + 1];
    if (!is_wanted(kind)) return 0;
    whole(place, sizeof place, folder, path);
    if (!is_placed(place)) {
        errno = before;
        return 0;
    }
    int length = snprintf(line, sizeof line, "%s %d %s", kind, getpid(), place);
    if (length < LINE) memset(line + length, ' ', LINE - length);
    line[LINE - 1] = '\n';
    snprintf(name, sizeof name, "%s/calls", plan.folder);
    int file = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    syscall(SYS_write, file, line, LINE);
    long number = syscall(SYS_lseek, file, 0, SEEK_CUR) / LINE;
    syscall(SYS_close, file);
    errno = before;
    if (number != plan.number) return 0;
    if (!plan.error) kill(getpid(), SIGKILL);
    errno = plan.error;
    return 1;
}

static const char *opening(int flags) { return flags & O_CREAT ? "create" : "open"; }
static const char *streaming(const char *mode) { return *mode == 'r' ? "open" : "create"; }

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define WRAP(type, name, parameters, arguments, failed, kind, folder, path) \
    type name parameters { return strikes(kind, folder, path) ? failed : NEXT(name) arguments; }

WRAP(int, open, (const char *path, int flags, mode_t mode), (path, flags, mode), -1, opening(flags), AT_FDCWD, path)
WRAP(int, open64, (const char *path, int flags, mode_t mode), (path, flags, mode), -1, opening(flags), AT_FDCWD, path)
WRAP(int, openat, (int at, const char *path, int flags, mode_t mode), (at, path, flags, mode), -1, opening(flags), at, path)
WRAP(int, openat64, (int at, const char *path, int flags, mode_t mode), (at, path, flags, mode), -1, opening(flags), at, path)
/* what open without a mode is where a program was built with checks (_FORTIFY_SOURCE), as git is */
WRAP(int, __open_2, (const char *path, int flags), (path, flags), -1, "open", AT_FDCWD, path)
WRAP(int, __open64_2, (const char *path, int flags), (path, flags), -1, "open", AT_FDCWD, path)
WRAP(int, __openat_2, (int at, const char *path, int flags), (at, path, flags), -1, "open", at, path)
WRAP(int, __openat64_2, (int at, const char *path, int flags), (at, path, flags), -1, "open", at, path)
WRAP(FILE *, fopen, (const char *path, const char *mode), (path, mode), NULL, streaming(mode), AT_FDCWD, path)
WRAP(FILE *, fopen64, (const char *path, const char *mode), (path, mode), NULL, streaming(mode), AT_FDCWD, path)
WRAP(DIR *, opendir, (const char *path), (path), NULL, "open", AT_FDCWD, path)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, "mkdir", AT_FDCWD, path)
WRAP(int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode), -1, "mkdir", at, path)
WRAP(int, rename, (const char *old, const char *new), (old, new), -1, "rename", AT_FDCWD, new)
WRAP(int, renameat, (int from, const char *old, int at, const char *new), (from, old, at, new), -1, "rename", at, new)
WRAP(int, link, (const char *old, const char *new), (old, new), -1, "link", AT_FDCWD, new)
WRAP(int, linkat, (int from, const char *old, int at, const char *new, int flags), (from, old, at, new, flags), -1, "link", at, new)
WRAP(int, unlink, (const char *path), (path), -1, "unlink", AT_FDCWD, path)
WRAP(int, unlinkat, (int at, const char *path, int flags), (at, path, flags), -1, "unlink", at, path)
WRAP(ssize_t, write, (int file, const void *data, size_t size), (file, data, size), -1, "write", file, NULL)
WRAP(ssize_t, pwrite64, (int file, const void *data, size_t size, off64_t at), (file, data, size, at), -1, "pwrite", file, NULL)
WRAP(ssize_t, sendfile64, (int to, int from, off64_t *at, size_t size), (to, from, at, size), -1, "write", to, NULL)
WRAP(ssize_t, read, (int file, void *data, size_t size), (file, data, size), -1, "read", file, NULL)
WRAP(ssize_t, pread64, (int file, void *data, size_t size, off64_t at), (file, data, size, at), -1, "read", file, NULL)
/* "list" tells what lies in a folder, "look" whether something is there and what it is */
WRAP(struct dirent64 *, readdir64, (DIR *folder), (folder), NULL, "list", dirfd(folder), NULL)
WRAP(int, stat64, (const char *path, struct stat64 *facts), (path, facts), -1, "look", AT_FDCWD, path)
WRAP(int, lstat64, (const char *path, struct stat64 *facts), (path, facts), -1, "look", AT_FDCWD, path)
WRAP(int, fstatat64, (int at, const char *path, struct stat64 *facts, int flags), (at, path, facts, flags), -1, "look", at, path)
WRAP(int, access, (const char *path, int mode), (path, mode), -1, "look", AT_FDCWD, path)
WRAP(int, faccessat, (int at, const char *path, int mode, int flags), (at, path, mode, flags), -1, "look", at, path)
WRAP(ssize_t, readlink, (const char *path, char *to, size_t size), (path, to, size), -1, "look", AT_FDCWD, path)
WRAP(ssize_t, readlinkat, (int at, const char *path, char *to, size_t size), (at, path, to, size), -1, "look", at, path)
WRAP(int, ftruncate64, (int file, off64_t size), (file, size), -1, "truncate", file, NULL)
WRAP(int, fsync, (int file), (file), -1, "sync", file, NULL)
WRAP(int, fdatasync, (int file), (file), -1, "sync", file, NULL)
WRAP(int, sync_file_range, (int file, off64_t at, off64_t size, unsigned int flags), (file, at, size, flags), -1, "sync", file, NULL)
WRAP(int, pipe2, (int ends[2], int flags), (ends, flags), -1, "pipe", AT_FDCWD, "/pipe")
