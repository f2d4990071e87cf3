// Linux calls that Swift cannot import: variadic ones, and those that glibc shows only under _GNU_SOURCE (which must not
// be set here: it would change structures that other modules share). No logic beyond what a comment says.
#ifndef FUNDMAIL_CLINUX_SHIM_H
#define FUNDMAIL_CLINUX_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

extern char *strcasestr(const char *text, const char *wanted);
extern void *memmem(const void *text, size_t count, const void *wanted, size_t wanted_count);
// FALLOC_FL_PUNCH_HOLE needs FALLOC_FL_KEEP_SIZE.
extern int fallocate(int descriptor, int mode, off_t offset, off_t count);
static inline int fundmail_punch_hole(int descriptor, off_t offset, off_t count) {
    return fallocate(descriptor, 0x02 | 0x01, offset, count);
}
// FALLOC_FL_KEEP_SIZE.
static inline int fundmail_take_room(int descriptor, off_t offset, off_t count) {
    return fallocate(descriptor, 0x01, offset, count);
}
// SEEK_DATA and SEEK_HOLE: where the next bytes stand that are no hole, and where the next hole begins.
static inline off_t fundmail_seek_data(int descriptor, off_t offset) { return lseek(descriptor, offset, 3); }
static inline off_t fundmail_seek_hole(int descriptor, off_t offset) { return lseek(descriptor, offset, 4); }
extern int pipe2(int descriptors[2], int flags);
// A file in memory, without a name.
extern int memfd_create(const char *name, unsigned int flags);
// Nothing of it can be changed any more: F_ADD_SEALS with F_SEAL_SEAL, _SHRINK, _GROW and _WRITE.
static inline int fundmail_seal(int descriptor) { return fcntl(descriptor, 1024 + 9, 1 | 2 | 4 | 8); }
// The same, but for what is mapped for writing by now: F_SEAL_FUTURE_WRITE instead of _WRITE.
static inline int fundmail_seal_but_for_mapping(int descriptor) { return fcntl(descriptor, 1024 + 9, 1 | 2 | 4 | 16); }
// Since glibc 2.34.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

// What malloc(3) holds and nothing uses: mallinfo2(3), which Swift does not see.
static inline size_t fundmail_unused_bytes(void) { return mallinfo2().fordblks; }

// Reads only what the kernel has in memory: RWF_NOWAIT of preadv2(2), which glibc hides. -1 and EAGAIN otherwise.
extern ssize_t preadv2(int descriptor, const struct iovec *parts, int count, off_t offset, int flags);

static inline ssize_t fundmail_read_from_memory(int descriptor, void *bytes, size_t count, off_t offset) {
    struct iovec part = {bytes, count};
    return preadv2(descriptor, &part, 1, offset, 8 /* RWF_NOWAIT */);
}

// How many pages of these bytes the kernel has in memory, -1 where it cannot say. cachestat(2) is of Linux 6.5 and not in
// glibc; before it, mincore(2) looks at them through a mapping, a MiB at a time.
extern long syscall(long number, ...);

static inline long fundmail_pages_in_memory(int descriptor, off_t offset, off_t count) {
    const struct { uint64_t offset, count; } range = {(uint64_t)offset, (uint64_t)count};
    struct { uint64_t cached, dirty, written, evicted, lately_evicted; } state;
    if (syscall(451 /* cachestat */, descriptor, &range, &state, 0) == 0) return (long)state.cached;
    enum { step = 1 << 20, smallest_page = 4096 };
    unsigned char found[step / smallest_page];
    const off_t page = sysconf(_SC_PAGESIZE), end = offset + count;
    long pages = 0;
    for (off_t position = offset / page * page; position < end; position += step) {
        const size_t length = (size_t)(end - position < step ? end - position : step);
        void *mapping = mmap(NULL, length, PROT_READ, MAP_SHARED, descriptor, position);
        if (mapping == MAP_FAILED) return -1;
        const int code = mincore(mapping, length, found);
        munmap(mapping, length);
        if (code != 0) return -1;
        for (size_t n = 0; n < (length + (size_t)page - 1) / (size_t)page; n++) pages += found[n] & 1;
    }
    return pages;
}

// Whether the file is in memory alone (tmpfs(5)): statfs(2).
static inline int fundmail_has_no_disk(int descriptor) {
    struct statfs system;
    return fstatfs(descriptor, &system) == 0 && system.f_type == 0x01021994;
}

// Lets go of what the kernel has of these bytes in memory and what nothing uses (posix_fadvise(2)).
static inline int fundmail_let_go(int descriptor, off_t offset, off_t count) {
    return posix_fadvise(descriptor, offset, count, POSIX_FADV_DONTNEED);
}

// Locks bytes for an open file, not for a process (F_OFD_SETLK of fcntl(2), which glibc hides): F_RDLCK, F_WRLCK, F_UNLCK.
// Returns 0, or an error of errno(3).
static inline int fundmail_lock_bytes(int descriptor, short kind, off_t offset, off_t count) {
    struct flock range;
    memset(&range, 0, sizeof range);
    range.l_type = kind;
    range.l_whence = SEEK_SET;
    range.l_start = offset;
    range.l_len = count;
    return fcntl(descriptor, 37 /* F_OFD_SETLK */, &range) == 0 ? 0 : errno;
}

static inline int fundmail_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
    return prctl(option, a, b, c, d);
}

// What goes with one message at most.
enum { fundmail_max_descriptors = 2 };

// The CMSG macros of cmsg(3) are macros with casts. Sends bytes and some descriptors; never raises SIGPIPE.
static inline ssize_t fundmail_send_descriptors(
    int socket, const void *bytes, size_t count, const int descriptors[], int sent) {
    if (sent < 0 || sent > fundmail_max_descriptors) return errno = EINVAL, -1;
    struct iovec vector = {(void *)bytes, count};
    union {
        char bytes[CMSG_SPACE(fundmail_max_descriptors * sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct msghdr message;
    memset(&message, 0, sizeof message);
    memset(&control, 0, sizeof control);
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    if (sent > 0) {
        const size_t size = (size_t)sent * sizeof(int);
        message.msg_control = control.bytes;
        message.msg_controllen = CMSG_SPACE(size);
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(size);
        memcpy(CMSG_DATA(header), descriptors, size);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL);
}

// Receives bytes and up to `room` descriptors (-1 for those that did not come), close-on-exec. The kernel closes more.
static inline ssize_t fundmail_receive_descriptors(
    int socket, void *bytes, size_t count, int descriptors[], int room) {
    for (int n = 0; n < room; n++) descriptors[n] = -1;
    if (room < 1 || room > fundmail_max_descriptors) return errno = EINVAL, -1;
    struct iovec vector = {bytes, count};
    union {
        char bytes[CMSG_SPACE(fundmail_max_descriptors * sizeof(int))];
        struct cmsghdr aligned;
    } control;
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &vector;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = CMSG_LEN((size_t)room * sizeof(int));
    const ssize_t received = recvmsg(socket, &message, 0x40000000 /* MSG_CMSG_CLOEXEC */);
    if (received < 0) return received;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS) {
        size_t came = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        if (came > (size_t)room) came = (size_t)room;
        memcpy(descriptors, CMSG_DATA(header), came * sizeof(int));
    }
    return received;
}

// The resource argument is an enum under _GNU_SOURCE and an int otherwise. Only lowers a limit: who started us may have
// set one below ours, which root alone could raise.
static inline int fundmail_lower_limit(int resource, unsigned long long value) {
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0) return -1;
    if (limit.rlim_max > value) limit.rlim_max = value;
    if (limit.rlim_cur > value) limit.rlim_cur = value;
    return setrlimit(resource, &limit);
}

// Starts a program (posix_spawn(3)). Its descriptor n is descriptors[n], /dev/null for reading where that is -1; there
// are `count` of them, at most 8, and it inherits no other. It leads a process group of its own, or with
// POSIX_SPAWN_SETSID as `leads` a session: a Ctrl-C on the terminal does not reach it, and what it starts can be killed
// with it. No signal is blocked in it. Ignored signals stay ignored, but not `heard`, or none when that is 0. Returns 0,
// or an error of errno(3).
static inline int fundmail_spawn_leader(
    short leads, pid_t *pid, const char *path, char *const words[], char *const variables[], const int descriptors[],
    int count, int heard) {
    if (count < 0 || count > 8) return EINVAL;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    int code = 0, lifted[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    for (int n = 0; n < count && code == 0; n++) {
        if (descriptors[n] < 0) {
            code = posix_spawn_file_actions_addopen(&actions, n, "/dev/null", O_RDONLY, 0);
        } else {
            // Duplicated above the numbers that they get, so that none overwrites another.
            lifted[n] = fcntl(descriptors[n], F_DUPFD_CLOEXEC, count);
            code = lifted[n] < 0 ? errno : posix_spawn_file_actions_adddup2(&actions, lifted[n], n);
        }
    }
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    if (heard == 0) sigfillset(&defaults);
    else sigaddset(&defaults, heard);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, leads | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (code == 0) code = posix_spawn_file_actions_addclosefrom_np(&actions, count);
    if (code == 0) code = posix_spawn(pid, path, &actions, &attributes, words, variables);
    for (int n = 0; n < count; n++) {
        if (lifted[n] >= 0) close(lifted[n]);
    }
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code;
}

// The same, as the leader of a process group.
static inline int fundmail_spawn(
    pid_t *pid, const char *path, char *const words[], char *const variables[], const int descriptors[], int count,
    int heard) {
    return fundmail_spawn_leader(POSIX_SPAWN_SETPGROUP, pid, path, words, variables, descriptors, count, heard);
}

// The same, as the leader of a session, whose processes share their part of the processors (autogroups, sched(7)).
static inline int fundmail_spawn_session(
    pid_t *pid, const char *path, char *const words[], char *const variables[], const int descriptors[], int count,
    int heard) {
    return fundmail_spawn_leader(0x80 /* POSIX_SPAWN_SETSID */, pid, path, words, variables, descriptors, count, heard);
}

// WIFSIGNALED and WTERMSIG are macros: the signal that ended a child, 0 when it exited by itself.
static inline int fundmail_signal_of_status(int status) {
    int signal = status & 0x7f;
    return signal == 0x7f ? 0 : signal;
}

#endif
