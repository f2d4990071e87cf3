#ifndef FUNDMAIL_CHILDREN_H
#define FUNDMAIL_CHILDREN_H

// Child processes: starting them, waiting for them, their limits and priority, descriptors that travel to them, and the
// disk space that they take.

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "shim.h"

static inline int fundmail_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
    return prctl(option, a, b, c, d);
}

// Limit of descriptors that travel with one message.
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

// Since glibc 2.34.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

// Starts a program (posix_spawn(3)). Its descriptor n is descriptors[n], /dev/null for reading where that is -1; there
// are `count` of them, at most 8, and it inherits no other. It leads a process group of its own, or a session: a Ctrl-C
// on the terminal does not reach it, and what it starts can be killed with it. No signal is blocked in it. Ignored
// signals stay ignored, except `heard`; 0 stands for all signals. Returns 0, or an error of errno(3).
static inline int fundmail_spawn(
    int leads_session, pid_t *pid, const char *path, char *const words[], char *const variables[],
    const int descriptors[], int count, int heard) {
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
    const short leads = leads_session ? 0x80 /* POSIX_SPAWN_SETSID */ : POSIX_SPAWN_SETPGROUP;
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

// WIFSIGNALED and WTERMSIG are macros: the signal that ended a child, 0 when it exited by itself.
static inline int fundmail_signal_of_status(int status) {
    int signal = status & 0x7f;
    return signal == 0x7f ? 0 : signal;
}

// Bytes of disk that the files in a folder take. Follows no link. A tree that is deeper or wider than any program needs
// counts as more than there is.
static inline int64_t fundmail_beneath(int folder, int depth, int *left) {
    DIR *list = fdopendir(folder);
    if (!list) return close(folder), 0;
    int64_t bytes = 0;
    const struct dirent *entry;
    while (bytes < INT64_MAX / 2 && (entry = readdir(list))) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        struct stat status;
        if (--*left < 0 || depth > 24) bytes = INT64_MAX / 2;
        else if (fstatat(dirfd(list), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0) {
            bytes += (int64_t)status.st_blocks * 512;
            if (!S_ISDIR(status.st_mode)) continue;
            const int below = openat(dirfd(list), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            if (below >= 0) bytes += fundmail_beneath(below, depth + 1, left);
        }
    }
    closedir(list);
    return bytes;
}

// Upper bound for the bytes of deleted files beneath a folder that a process has open or mapped.
static inline int64_t fundmail_nameless_bytes_of(pid_t process, const char *folder) {
    static const char gone[] = " (deleted)";
    char path[64], name[4096 + 64];
    int64_t bytes = 0;
    snprintf(path, sizeof path, "/proc/%d/fd", (int)process);
    DIR *list = opendir(path);
    const struct dirent *entry;
    while (list && (entry = readdir(list))) {
        const ssize_t count = readlinkat(dirfd(list), entry->d_name, name, sizeof name - 1);
        if (count < (ssize_t)sizeof gone) continue;
        name[count] = 0;
        if (strncmp(name, folder, strlen(folder)) || name[strlen(folder)] != '/') continue;
        struct stat status;
        if (!strcmp(name + count - (sizeof gone - 1), gone) && fstatat(dirfd(list), entry->d_name, &status, 0) == 0)
            bytes += (int64_t)status.st_blocks * 512;
    }
    if (list) closedir(list);
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    FILE *maps = fopen(path, "re");
    while (maps && fgets(name, sizeof name, maps)) {
        unsigned long long start, end;
        const char *file = strchr(name, '/');
        if (!file || strncmp(file, folder, strlen(folder)) || file[strlen(folder)] != '/') continue;
        if (strstr(file, gone) && sscanf(name, "%llx-%llx", &start, &end) == 2)
            bytes += (int64_t)(end - start);
    }
    if (maps) fclose(maps);
    return bytes;
}

// Sum of `fundmail_nameless_bytes_of` over a process group. Processes of other users cannot be read and count as 0.
static inline int64_t fundmail_nameless_bytes(pid_t group, const char *folder) {
    DIR *list = opendir("/proc");
    int64_t bytes = 0;
    const struct dirent *entry;
    while (list && (entry = readdir(list))) {
        const pid_t process = (pid_t)atoi(entry->d_name);
        if (process > 0 && getpgid(process) == group) bytes += fundmail_nameless_bytes_of(process, folder);
    }
    if (list) closedir(list);
    return bytes;
}

static inline int64_t fundmail_tree_bytes(const char *path) {
    const int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int left = 20000;
    return folder < 0 ? 0 : fundmail_beneath(folder, 0, &left);
}

// Locks a folder for the caller until the descriptor is closed (flock(2)). 0 when another process holds it.
static inline int fundmail_hold(int folder) { return flock(folder, LOCK_EX | LOCK_NB) == 0; }

// Gives way to other processes: nice 19, and the last place for the disk among those that wait for it (ioprio_set(2)).
// Where the kernel shares the processors between sessions, nice counts within a session alone, and the session has a
// value of its own (autogroups, sched(7)): it is set where this process leads one.
static inline void fundmail_give_way(void) {
    setpriority(PRIO_PROCESS, 0, 19);
    const int session = getsid(0) == getpid() ? open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC) : -1;
    if (session >= 0) {
        // Without it all works as well.
        const ssize_t written = write(session, "19", 2);
        (void)written;
        close(session);
    }
    syscall(SYS_ioprio_set, 1 /* IOPRIO_WHO_PROCESS */, 0, 2 << 13 | 7 /* IOPRIO_CLASS_BE, lowest */);
}

// A descriptor that is readable when the process has ended (pidfd_open(2), Linux 5.3). -1 on failure.
static inline int fundmail_open_process(pid_t process) { return (int)syscall(434, process, 0); }

// wait4(2), which tells the seconds of processor time of the process and what it waited for. Returns its status, -1 on
// failure.
extern pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage);
static inline int fundmail_wait(pid_t process, double *seconds) {
    int status = 0;
    struct rusage usage;
    memset(&usage, 0, sizeof usage);
    pid_t ended;
    do ended = wait4(process, &status, 0, &usage);
    while (ended < 0 && errno == EINTR);
    *seconds = (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec
        + ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec) / 1e6;
    return ended < 0 ? -1 : status;
}

#endif
