#ifndef FUNDMAIL_CONFINEMENT_H
#define FUNDMAIL_CONFINEMENT_H

// Confinement of a process before it reads what strangers wrote: files by landlock(7), system calls by seccomp(2). It
// cannot be undone, and holds for the threads and programs that the process starts. Both need PR_SET_NO_NEW_PRIVS.

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "children.h"

// MARK: Files

// Neither the headers of Linux 6.1 nor glibc have all of it (include/uapi/linux/landlock.h of Linux 6.12).
enum {
    fundmail_landlock_create = 444,
    fundmail_landlock_add = 445,
    fundmail_landlock_restrict = 446,
    fundmail_landlock_run = 1 << 0,
    fundmail_landlock_read_file = 1 << 2,
    fundmail_landlock_read_folder = 1 << 3,
};

// The rights that a set of Landlock's rules takes away.
struct fundmail_landlock_rules {
    uint64_t files, network, scopes;
};

// Makes a set of rules that takes away all files, TCP, and signals and abstract sockets of processes outside, as far as
// the kernel's version knows them. -1 and errno(3) on failure: ENOSYS where the kernel is too old, or Landlock off.
static inline int fundmail_landlock_set(struct fundmail_landlock_rules *rules) {
    const long version = syscall(fundmail_landlock_create, NULL, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
    if (version <= 0) return errno = ENOSYS, -1;
    // Later versions added LANDLOCK_ACCESS_FS_REFER, _TRUNCATE and _IOCTL_DEV; network; and abstract sockets and signals.
    const int rights = 13 + (version >= 2) + (version >= 3) + (version >= 5);
    rules->files = (1u << rights) - 1;
    rules->network = version >= 4 ? 3 : 0;
    rules->scopes = version >= 6 ? 3 : 0;
    // A kernel takes no more fields than it knows.
    return (int)syscall(fundmail_landlock_create, rules, version >= 6 ? 24 : version >= 4 ? 16 : 8, 0);
}

// Allows what is beneath a path. A path that does not exist is left out. Returns 0, or an error of errno(3).
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

// Binds the calling thread, and those that it starts, to a set of rules, and closes the set; only closes it where `code`
// is an error. Returns 0, or an error of errno(3).
static inline int fundmail_landlock_bind(int set, int code) {
    if (code == 0 && syscall(fundmail_landlock_restrict, set, 0) != 0) code = errno;
    close(set);
    return code;
}

// Leaves this thread, and those that it starts, no file but those beneath these folders, which it can read, and what is
// open already; no TCP; and no signal to a process outside. Returns 0, or an error of errno(3).
static inline int fundmail_confine_files(const char *const folders[], int count) {
    struct fundmail_landlock_rules rules;
    const int set = fundmail_landlock_set(&rules);
    if (set < 0) return errno;
    int code = 0;
    for (int n = 0; n < count && code == 0; n++)
        code = fundmail_allow_beneath(set, folders[n], fundmail_landlock_read_file | fundmail_landlock_read_folder);
    return fundmail_landlock_bind(set, code);
}

// MARK: System calls

#if defined(__x86_64__)
#define FUNDMAIL_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FUNDMAIL_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// Steps of a program of seccomp(2): BPF of linux/filter.h.
#define LOAD(place) program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (place))
#define EQUAL(value, yes, no) program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define ABOVE(value, yes, no) program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (value), (yes), (no))
#define ANY(bits, yes, no) program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), (yes), (no))
#define MASK(bits) program[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, (bits))
#define GIVE(what) program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (what))
#define COUNT(array) (int)(sizeof(array) / sizeof *(array))

enum {
    // Offset of the arguments of a call, and sizes in them.
    fundmail_arguments = offsetof(struct seccomp_data, args),
    fundmail_word = sizeof(uint64_t),
    fundmail_half = sizeof(uint32_t),
    fundmail_refused = SECCOMP_RET_ERRNO | EPERM,
    // Room for the longest program.
    fundmail_max_calls = 400,
};

// Leaves all threads of this process the calls that a program makes which computes, reads and writes what is open, and
// talks over the sockets that it has: it can open files for reading, if something else does not forbid it, and reach no
// other process. All other calls fail with EPERM. To be called when its threads run: it makes none any more. Returns 0,
// or an error of errno(3).
static inline int fundmail_confine_calls(void) {
#ifdef FUNDMAIL_ARCHITECTURE
    // The most frequent first: each call goes through the list.
    static const uint32_t allowed[] = {
        SYS_recvmsg, SYS_sendto, SYS_pwrite64, SYS_pread64, SYS_read, SYS_write, SYS_futex, SYS_mmap, SYS_munmap,
        SYS_mprotect, SYS_brk, SYS_madvise, SYS_mremap, SYS_close, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_lseek,
        SYS_readv, SYS_writev, SYS_recvfrom, SYS_sendmsg, SYS_ftruncate, SYS_fallocate, SYS_ppoll, SYS_exit_group,
        SYS_exit, SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_sigaltstack, SYS_restart_syscall,
        SYS_getrandom, SYS_clock_gettime, SYS_clock_getres, SYS_clock_nanosleep, SYS_nanosleep, SYS_gettimeofday,
        SYS_sched_yield, SYS_sched_getaffinity, SYS_getpid, SYS_gettid, SYS_getppid, SYS_sysinfo, SYS_uname,
        SYS_set_robust_list, SYS_rseq, SYS_membarrier,
#ifdef __x86_64__
        SYS_poll, SYS_stat, SYS_lstat,
#endif
    };
    const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    struct sock_filter program[fundmail_max_calls];
    unsigned short n = 0;
    LOAD(offsetof(struct seccomp_data, arch));
    EQUAL(FUNDMAIL_ARCHITECTURE, 1, 0);
    GIVE(SECCOMP_RET_KILL_PROCESS);
    LOAD(offsetof(struct seccomp_data, nr));
    for (int call = 0; call < COUNT(allowed); call++) {
        EQUAL(allowed[call], 0, 1);
        GIVE(SECCOMP_RET_ALLOW);
    }
    // openat(folder, path, flags): for reading.
    EQUAL(SYS_openat, 0, 4);
    LOAD(fundmail_arguments + 2 * fundmail_word);
    ANY(writing, 0, 1);
    GIVE(fundmail_refused);
    GIVE(SECCOMP_RET_ALLOW);
    // prlimit64(process, resource, new, old): what its own limits are.
    EQUAL(SYS_prlimit64, 0, 8);
    LOAD(fundmail_arguments);
    EQUAL(0, 0, 4);
    LOAD(fundmail_arguments + 2 * fundmail_word);
    EQUAL(0, 0, 2);
    LOAD(fundmail_arguments + 2 * fundmail_word + fundmail_half);
    EQUAL(0, 1, 0);
    GIVE(fundmail_refused);
    GIVE(SECCOMP_RET_ALLOW);
    // tgkill(process, thread, signal): to itself, as abort(3) does.
    EQUAL(SYS_tgkill, 0, 3);
    LOAD(fundmail_arguments);
    EQUAL((uint32_t)getpid(), 0, 1);
    GIVE(SECCOMP_RET_ALLOW);
    GIVE(fundmail_refused);
    const struct sock_fprog filter = {n, program};
    const long code = syscall(
        SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    // Above 0 it is the thread that has another filter.
    return code == 0 ? 0 : code > 0 ? ESRCH : errno;
#else
    return ENOSYS;
#endif
}

enum {
    // Nothing but the calls separates a program from other processes: no pid, network and mount namespace.
    fundmail_without_namespaces = 1,
    // A program talks to itself over sockets of AF_UNIX: soffice.
    fundmail_local_sockets = 2,
    // A program talks TCP in a network of its own: rclone.
    fundmail_internet_streams = 4,
    // A program appends to a file that it has open for that alone (O_APPEND), and changes nothing that stands there.
    fundmail_appended_output = 8,
};

// Writes the calls that a program of others may not make to `program`, which has room for `fundmail_max_calls` steps.
// Returns their number, 0 on a machine for which there is no list.
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
    // Harmless within namespaces: signals, priorities, sessions (a process group ends as a whole), sockets, and what
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
    // Ways to change what stands in a file that is open for appending, or to open it anew for more than that. By ioctl
    // holes are made, too (FS_IOC_UNRESVSP), and by flags of a write it goes elsewhere (RWF_NOAPPEND).
    static const uint32_t changing[] = {
        SYS_ioctl, SYS_pwrite64, SYS_pwritev, SYS_pwritev2, SYS_ftruncate, SYS_fallocate, SYS_io_setup, SYS_io_submit,
    };
    const uint32_t unknown = SECCOMP_RET_ERRNO | ENOSYS;
    const uint32_t namespaces = 0x7E020000;  // CLONE_NEWNS, _NEWCGROUP, _NEWUTS, _NEWIPC, _NEWUSER, _NEWPID, _NEWNET
    int n = 0;
    LOAD(offsetof(struct seccomp_data, arch));
    EQUAL(FUNDMAIL_ARCHITECTURE, 1, 0);
    GIVE(SECCOMP_RET_KILL_PROCESS);
    LOAD(offsetof(struct seccomp_data, nr));
    // The calls of x32, which have other numbers.
    ABOVE(0x40000000, 0, 1);
    GIVE(SECCOMP_RET_KILL_PROCESS);
    for (int call = 0; call < COUNT(denied); call++) {
        EQUAL(denied[call], 0, 1);
        GIVE(fundmail_refused);
    }
    if (flags & fundmail_appended_output) {
        for (int call = 0; call < COUNT(changing); call++) {
            EQUAL(changing[call], 0, 1);
            GIVE(fundmail_refused);
        }
        // fcntl(file, command): it goes on to append.
        EQUAL(SYS_fcntl, 0, 4);
        LOAD(fundmail_arguments + fundmail_word);
        EQUAL(F_SETFL, 0, 1);
        GIVE(fundmail_refused);
        GIVE(SECCOMP_RET_ALLOW);
    }
    // The arguments of clone3 and openat2 are not visible here; without them clone and openat are used.
    EQUAL(435 /* clone3 */, 0, 1);
    GIVE(unknown);
    // clone(flags): no namespace.
    EQUAL(SYS_clone, 0, 4);
    LOAD(fundmail_arguments);
    ANY(namespaces, 0, 1);
    GIVE(fundmail_refused);
    GIVE(SECCOMP_RET_ALLOW);
    // ioctl(file, request): no key press for a terminal, no signal for others (FIOSETOWN, SIOCSPGRP).
    EQUAL(SYS_ioctl, 0, 7);
    LOAD(fundmail_arguments + fundmail_word);
    EQUAL(0x5412 /* TIOCSTI */, 4, 0);
    EQUAL(0x541C /* TIOCLINUX */, 3, 0);
    EQUAL(0x8901 /* FIOSETOWN */, 2, 0);
    EQUAL(0x8902 /* SIOCSPGRP */, 1, 0);
    GIVE(SECCOMP_RET_ALLOW);
    GIVE(fundmail_refused);
    if (flags & fundmail_local_sockets) {
        // socket(family, type) and socketpair: local ones, and streams, which send to no address.
        EQUAL(SYS_socket, 1, 0);
        EQUAL(SYS_socketpair, 0, 7);
        LOAD(fundmail_arguments);
        EQUAL(AF_UNIX, 0, 4);
        LOAD(fundmail_arguments + fundmail_word);
        MASK(0xF);
        EQUAL(1 /* SOCK_STREAM */, 0, 1);
        GIVE(SECCOMP_RET_ALLOW);
        GIVE(fundmail_refused);
    } else if (flags & fundmail_internet_streams) {
        EQUAL(SYS_socketpair, 0, 1);
        GIVE(fundmail_refused);
        // socket(family, type)
        EQUAL(SYS_socket, 0, 8);
        LOAD(fundmail_arguments);
        EQUAL(AF_INET, 1, 0);
        EQUAL(AF_INET6, 0, 4);
        LOAD(fundmail_arguments + fundmail_word);
        MASK(0xF);
        EQUAL(1 /* SOCK_STREAM */, 0, 1);
        GIVE(SECCOMP_RET_ALLOW);
        GIVE(fundmail_refused);
    } else {
        EQUAL(SYS_socket, 1, 0);
        EQUAL(SYS_socketpair, 0, 1);
        GIVE(fundmail_refused);
    }
    if (flags & fundmail_without_namespaces) {
        for (int call = 0; call < COUNT(outside); call++) {
            EQUAL(outside[call], 0, 1);
            GIVE(fundmail_refused);
        }
        // prlimit64(process, …), sched_setaffinity(process, …): its own.
        EQUAL(SYS_prlimit64, 1, 0);
        EQUAL(SYS_sched_setaffinity, 0, 4);
        LOAD(fundmail_arguments);
        EQUAL(0, 0, 1);
        GIVE(SECCOMP_RET_ALLOW);
        GIVE(fundmail_refused);
        // prctl(option): /proc goes on to show its files to the launcher, which counts them.
        EQUAL(SYS_prctl, 0, 4);
        LOAD(fundmail_arguments);
        EQUAL(PR_SET_DUMPABLE, 0, 1);
        GIVE(fundmail_refused);
        GIVE(SECCOMP_RET_ALLOW);
        // fcntl(file, command): no signals for others.
        EQUAL(SYS_fcntl, 0, 5);
        LOAD(fundmail_arguments + fundmail_word);
        EQUAL(8 /* F_SETOWN */, 2, 0);
        EQUAL(15 /* F_SETOWN_EX */, 1, 0);
        GIVE(SECCOMP_RET_ALLOW);
        GIVE(fundmail_refused);
    }
    GIVE(SECCOMP_RET_ALLOW);
    return n;
#else
    return 0;
#endif
}

#undef LOAD
#undef EQUAL
#undef ABOVE
#undef ANY
#undef MASK
#undef GIVE
#undef COUNT

static inline int fundmail_bound_calls(int flags) {
    struct sock_filter program[fundmail_max_calls];
    const struct sock_fprog filter = {(unsigned short)fundmail_denied_calls(program, flags), program};
    if (filter.len == 0) return ENOSYS;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0 ? 0 : errno;
}

// MARK: Programs of others

// Bounds of a program that `fundmail_start_confined` starts.
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

// Leaves the calling thread the files of `bounds`. Returns 0, or an error of errno(3).
static inline int fundmail_bound_files(const struct fundmail_bounds *bounds) {
    struct fundmail_landlock_rules rules;
    const int set = fundmail_landlock_set(&rules);
    if (set < 0) return errno;
    const uint64_t reading = fundmail_landlock_run | fundmail_landlock_read_file | fundmail_landlock_read_folder;
    // Neither programs nor devices: 0 run, 6 and 11 make devices, 15 control devices.
    const uint64_t writing = rules.files & ~(uint64_t)(1u << 0 | 1u << 6 | 1u << 11 | 1u << 15);
    int code = 0;
    for (int n = 0; n < bounds->readable_count && code == 0; n++)
        code = fundmail_allow_beneath(set, bounds->readable[n], reading);
    if (code == 0) code = fundmail_allow_beneath(set, "/dev/null", (1u << 1 | 1u << 2 | 1u << 14) & rules.files);
    if (code == 0) code = fundmail_allow_beneath(set, bounds->scratch, writing);
    if (code == 0 && bounds->sockets) code = fundmail_allow_beneath(set, bounds->sockets, 1u << 9);
    return fundmail_landlock_bind(set, code);
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

#endif
