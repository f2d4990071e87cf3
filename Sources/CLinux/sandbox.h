#ifndef FUNDMAIL_SANDBOX_H
#define FUNDMAIL_SANDBOX_H

// What confines a program of others that reads files of strangers: the calls that it may not make (seccomp(2)), for
// bwrap(1) as a program in a file, and without namespaces files (landlock(7)) and limits, set between fork and exec.

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "confinement.h"
#include "shim.h"

enum {
    // Nothing but the calls separates it from other processes: no pid, network and mount namespace.
    fundmail_without_namespaces = 1,
    // It talks to itself over sockets of AF_UNIX: soffice.
    fundmail_local_sockets = 2,
    fundmail_max_denial = 400,
};

// Writes the calls that a converter may not make to `program`, which has room for `fundmail_max_denial` instructions.
// Returns how many they are, 0 on a machine for which there is no list.
static inline int fundmail_denied_calls(struct sock_filter *program, int flags) {
#ifdef FUNDMAIL_ARCHITECTURE
    // Numbers above 424 are the same on all machines, and not all in the headers of Linux 6.1.
    static const uint32_t denied[] = {
        // Other processes, the kernel, the machine.
        SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kcmp, SYS_bpf, SYS_perf_event_open, SYS_kexec_load,
        SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_syslog, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_acct,
        SYS_settimeofday, SYS_clock_settime, SYS_adjtimex, SYS_clock_adjtime, SYS_quotactl, SYS_nfsservctl, SYS_vhangup,
        SYS_personality, 434 /* pidfd_open */, 438 /* pidfd_getfd */, 443 /* quotactl_fd */,
        // Mounts and namespaces.
        SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare, SYS_setns, SYS_open_by_handle_at,
        SYS_name_to_handle_at, 428 /* open_tree */, 429 /* move_mount */, 430 /* fsopen */, 431 /* fsconfig */,
        432 /* fsmount */, 433 /* fspick */, 442 /* mount_setattr */, 467 /* open_tree_attr */,
        // Ways around this list, and parts of the kernel with a history.
        SYS_keyctl, SYS_add_key, SYS_request_key, SYS_userfaultfd, 425 /* io_uring_setup */, 426 /* io_uring_enter */,
        427 /* io_uring_register */, SYS_fanotify_init,
        // Memory that no limit of a process counts.
        SYS_memfd_create, 447 /* memfd_secret */, SYS_shmget, SYS_msgget, SYS_semget, SYS_mq_open, SYS_mbind,
        SYS_set_mempolicy, SYS_migrate_pages, SYS_move_pages,
#ifdef SYS_kexec_file_load
        SYS_kexec_file_load,
#endif
#ifdef SYS_ioperm
        SYS_ioperm, SYS_iopl,
#endif
    };
    // What namespaces make harmless: signals, priorities, sessions (a process group ends as a whole), sockets, and what
    // Landlock does not see: rights, owners, times and attributes of files.
    static const uint32_t outside[] = {
        SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, 424 /* pidfd_send_signal */,
        SYS_setsid, SYS_setpgid, SYS_setpriority, SYS_ioprio_set, SYS_sched_setscheduler, SYS_sched_setparam,
        SYS_sched_setattr, SYS_connect, SYS_fchmodat, 452 /* fchmodat2 */, SYS_fchownat, SYS_utimensat, SYS_setxattr,
        SYS_lsetxattr, SYS_removexattr, SYS_lremovexattr, 463 /* setxattrat */, 466 /* removexattrat */, SYS_truncate,
        SYS_inotify_init1, 440 /* process_madvise */, 448 /* process_mrelease */,
#ifdef SYS_chmod
        SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_inotify_init,
#endif
    };
    const uint32_t arguments = offsetof(struct seccomp_data, args), word = sizeof(uint64_t);
    const uint32_t refused = SECCOMP_RET_ERRNO | EPERM, unknown = SECCOMP_RET_ERRNO | ENOSYS;
    const uint32_t namespaces = 0x7E020000;  // CLONE_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET
    int n = 0;
#define LOAD(place) program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (place))
#define EQUAL(value, yes, no) program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define ABOVE(value, yes, no) program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (value), (yes), (no))
#define ANY(bits, yes, no) program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), (yes), (no))
#define MASK(bits) program[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (bits))
#define GIVE(what) program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (what))
#define COUNT(array) (int)(sizeof(array) / sizeof *(array))
    LOAD(offsetof(struct seccomp_data, arch));
    EQUAL(FUNDMAIL_ARCHITECTURE, 1, 0);
    GIVE(SECCOMP_RET_KILL_PROCESS);
    LOAD(offsetof(struct seccomp_data, nr));
    // The calls of x32, which have other numbers.
    ABOVE(0x40000000, 0, 1);
    GIVE(SECCOMP_RET_KILL_PROCESS);
    for (int call = 0; call < COUNT(denied); call++) {
        EQUAL(denied[call], 0, 1);
        GIVE(refused);
    }
    // The arguments of clone3 and openat2 are not visible here; without them clone and openat are used.
    EQUAL(435 /* clone3 */, 0, 1);
    GIVE(unknown);
    // clone(flags): no namespace.
    EQUAL(SYS_clone, 0, 4);
    LOAD(arguments);
    ANY(namespaces, 0, 1);
    GIVE(refused);
    GIVE(SECCOMP_RET_ALLOW);
    // ioctl(file, request): no key press for a terminal, no signal for others (FIOSETOWN, SIOCSPGRP).
    EQUAL(SYS_ioctl, 0, 7);
    LOAD(arguments + word);
    EQUAL(0x5412 /* TIOCSTI */, 4, 0);
    EQUAL(0x541C /* TIOCLINUX */, 3, 0);
    EQUAL(0x8901 /* FIOSETOWN */, 2, 0);
    EQUAL(0x8902 /* SIOCSPGRP */, 1, 0);
    GIVE(SECCOMP_RET_ALLOW);
    GIVE(refused);
    if (flags & fundmail_local_sockets) {
        // socket(family, type) and socketpair: local ones, and streams, which send to no address.
        EQUAL(SYS_socket, 1, 0);
        EQUAL(SYS_socketpair, 0, 7);
        LOAD(arguments);
        EQUAL(AF_UNIX, 0, 4);
        LOAD(arguments + word);
        MASK(0xF);
        EQUAL(1 /* SOCK_STREAM */, 0, 1);
        GIVE(SECCOMP_RET_ALLOW);
        GIVE(refused);
    } else {
        EQUAL(SYS_socket, 1, 0);
        EQUAL(SYS_socketpair, 0, 1);
        GIVE(refused);
    }
    if (flags & fundmail_without_namespaces) {
        for (int call = 0; call < COUNT(outside); call++) {
            EQUAL(outside[call], 0, 1);
            GIVE(refused);
        }
        // prlimit64(process, …), sched_setaffinity(process, …): its own.
        EQUAL(SYS_prlimit64, 1, 0);
        EQUAL(SYS_sched_setaffinity, 0, 4);
        LOAD(arguments);
        EQUAL(0, 0, 1);
        GIVE(SECCOMP_RET_ALLOW);
        GIVE(refused);
        // prctl(option): /proc goes on to show its files to the launcher, which counts them.
        EQUAL(SYS_prctl, 0, 4);
        LOAD(arguments);
        EQUAL(PR_SET_DUMPABLE, 0, 1);
        GIVE(refused);
        GIVE(SECCOMP_RET_ALLOW);
        // fcntl(file, command): no signals for others.
        EQUAL(SYS_fcntl, 0, 5);
        LOAD(arguments + word);
        EQUAL(8 /* F_SETOWN */, 2, 0);
        EQUAL(15 /* F_SETOWN_EX */, 1, 0);
        GIVE(SECCOMP_RET_ALLOW);
        GIVE(refused);
    }
    GIVE(SECCOMP_RET_ALLOW);
#undef LOAD
#undef EQUAL
#undef ABOVE
#undef ANY
#undef MASK
#undef GIVE
#undef COUNT
    return n;
#else
    return 0;
#endif
}

// What `fundmail_start_confined` leaves a program.
struct fundmail_bounds {
    // Files and folders that it can read, and run programs from; those that do not exist are left out.
    const char *const *readable;
    int readable_count;
    // The folder in which it can write; it starts there.
    const char *scratch;
    // A folder beneath which it can make local sockets and nothing else; NULL for none.
    const char *sockets;
    // Bytes of address space and of a file, seconds of processor time, processes of its user, open files.
    unsigned long long memory, file, seconds, processes, descriptors;
    // As for `fundmail_denied_calls`.
    int flags;
    // To which the number of the process, and so of its group, is written (`pid_t`) before the program begins.
    int announced;
};

// Adds what is beneath a path to a set of Landlock's rules. What does not exist is left out.
static inline int fundmail_allow_beneath(int set, const char *path, uint64_t rights) {
    struct {
        uint64_t rights;
        int32_t place;
    } __attribute__((packed)) rule = {rights, open(path, 010000000 /* O_PATH */ | O_CLOEXEC)};
    if (rule.place < 0) return 0;
    struct stat status;
    int code = fstat(rule.place, &status) == 0 ? 0 : errno;
    // Only folders have the rights to list and to make: 0 run, 1 write, 2 read, 14 truncate, 15 control devices.
    if (code == 0 && !S_ISDIR(status.st_mode)) rule.rights &= 1u << 0 | 1u << 1 | 1u << 2 | 1u << 14 | 1u << 15;
    if (code == 0 && syscall(fundmail_landlock_add, set, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &rule, 0) != 0) code = errno;
    close(rule.place);
    return code;
}

// Leaves the calling thread the files of `bounds`. Returns 0, or an error of errno(3).
static inline int fundmail_bound_files(const struct fundmail_bounds *bounds) {
    const int version = fundmail_landlock_version();
    if (version == 0) return ENOSYS;
    const int count = 13 + (version >= 2) + (version >= 3) + (version >= 5);
    const uint64_t all = (1u << count) - 1, reading = 1u << 0 | 1u << 2 | 1u << 3;
    // Neither programs nor devices: 0 run, 6 and 11 make devices, 15 control devices.
    const uint64_t writing = all & ~(uint64_t)(1u << 0 | 1u << 6 | 1u << 11 | 1u << 15);
    const struct {
        uint64_t files, network, scopes;
    } rules = {all, version >= 4 ? 3 : 0, version >= 6 ? 3 : 0};
    const int set = (int)syscall(fundmail_landlock_create, &rules, version >= 6 ? 24 : version >= 4 ? 16 : 8, 0);
    if (set < 0) return errno;
    int code = 0;
    for (int n = 0; n < bounds->readable_count && code == 0; n++)
        code = fundmail_allow_beneath(set, bounds->readable[n], reading);
    if (code == 0) code = fundmail_allow_beneath(set, "/dev/null", (1u << 1 | 1u << 2 | 1u << 14) & all);
    if (code == 0) code = fundmail_allow_beneath(set, bounds->scratch, writing);
    if (code == 0 && bounds->sockets) code = fundmail_allow_beneath(set, bounds->sockets, 1u << 9);
    if (code == 0 && syscall(fundmail_landlock_restrict, set, 0) != 0) code = errno;
    close(set);
    return code;
}

static inline int fundmail_bound_calls(int flags) {
    struct sock_filter program[fundmail_max_denial];
    const struct sock_fprog filter = {(unsigned short)fundmail_denied_calls(program, flags), program};
    if (filter.len == 0) return ENOSYS;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0 ? 0 : errno;
}

// Starts a program within `bounds`, with /dev/null as its standard input and the caller's output and errors. It leads a
// process group that it cannot leave. To be called by a process without other threads. Returns its process, or -1.
static inline pid_t fundmail_start_confined(
    const struct fundmail_bounds *bounds, char *const words[], char *const variables[]) {
    const pid_t parent = getpid(), child = fork();
    if (child != 0) {
        // In both processes, so that it is done for whichever goes on first.
        if (child > 0) setpgid(child, child);
        return child;
    }
    const int nothing = open("/dev/null", O_RDONLY);
    int code = nothing < 0 || dup2(nothing, 0) < 0 ? errno : 0;
    setpgid(0, 0);
    if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) code = errno;
    // It ended before that.
    if (getppid() != parent) _exit(126);
    const pid_t own = getpid();
    if (write(bounds->announced, &own, sizeof own) != sizeof own) code = errno;
    for (int n = 3; n < 16; n++) close(n);
    if (chdir(bounds->scratch) != 0) code = errno;
    if (code == 0) code = fundmail_bound_files(bounds);
    const struct {
        int resource;
        unsigned long long value;
    } limits[] = {
        {RLIMIT_AS, bounds->memory}, {RLIMIT_FSIZE, bounds->file}, {RLIMIT_CPU, bounds->seconds},
        {RLIMIT_NPROC, bounds->processes}, {RLIMIT_NOFILE, bounds->descriptors}, {RLIMIT_CORE, 0},
    };
    for (size_t n = 0; n < sizeof limits / sizeof *limits && code == 0; n++)
        if (fundmail_lower_limit(limits[n].resource, limits[n].value) != 0) code = errno;
    if (code == 0) code = fundmail_bound_calls(bounds->flags);
    if (code == 0) {
        execve(words[0], words, variables);
        code = errno;
    }
    const char *text = strerror(code);
    (void)!write(2, "cannot confine: ", 16);
    (void)!write(2, text, strlen(text));
    _exit(126);
}

// What the files in a folder take of the disk, in bytes. Follows no link. A tree that is deeper or wider than any program
// needs takes more than there is.
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

// What the files without a name that a process has open or mapped take at most, in bytes: those beneath a folder.
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

// The same of all processes of a group. Those of others cannot be looked at, and count as nothing.
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

// Whether the caller now has a folder for itself, until the descriptor is closed (flock(2)): another process may have it.
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

// The seals of a file in memory (F_GET_SEALS of fcntl(2)); -1 where it is none.
static inline int fundmail_seals(int descriptor) { return fcntl(descriptor, 1024 + 10); }

#endif
