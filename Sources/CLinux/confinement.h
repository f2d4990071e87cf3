#ifndef FUNDMAIL_CONFINEMENT_H
#define FUNDMAIL_CONFINEMENT_H

// What a process takes from itself before it reads what strangers wrote: files by landlock(7), calls by seccomp(2). What
// is taken stays taken, also from the threads and programs that it starts. Both need PR_SET_NO_NEW_PRIVS.

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

extern long syscall(long number, ...);

// Neither the headers of Linux 6.1 nor glibc have all of it (include/uapi/linux/landlock.h of Linux 6.12).
enum {
    fundmail_landlock_create = 444,
    fundmail_landlock_add = 445,
    fundmail_landlock_restrict = 446,
    fundmail_landlock_read_file = 1 << 2,
    fundmail_landlock_read_folder = 1 << 3,
};

// The version of Landlock that the kernel has, 0 for none: too old, or turned off.
static inline int fundmail_landlock_version(void) {
    const long version = syscall(fundmail_landlock_create, NULL, 0, 1 /* LANDLOCK_CREATE_RULESET_VERSION */);
    return version < 0 ? 0 : (int)version;
}

// Leaves this thread, and those that it starts, no file but those beneath these folders, which it can read, and what is
// open already; no TCP; and no signal to a process outside, as far as the kernel's version knows it. A folder that does
// not exist is left out. Returns 0, or an error of errno(3).
static inline int fundmail_confine_files(const char *const folders[], int count) {
    const int version = fundmail_landlock_version();
    if (version == 0) return ENOSYS;
    // Later versions added LANDLOCK_ACCESS_FS_REFER, _TRUNCATE and _IOCTL_DEV; network; and abstract sockets and signals.
    const int rights = 13 + (version >= 2) + (version >= 3) + (version >= 5);
    const struct {
        uint64_t files, network, scopes;
    } rules = {(1u << rights) - 1, version >= 4 ? 3 : 0, version >= 6 ? 3 : 0};
    // A kernel takes no more fields than it knows.
    const size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
    const int set = (int)syscall(fundmail_landlock_create, &rules, size, 0);
    if (set < 0) return errno;
    int code = 0;
    for (int n = 0; n < count && code == 0; n++) {
        struct {
            uint64_t rights;
            int32_t folder;
        } __attribute__((packed)) rule = {fundmail_landlock_read_file | fundmail_landlock_read_folder, -1};
        rule.folder = open(folders[n], 010000000 /* O_PATH */ | O_CLOEXEC | O_DIRECTORY);
        if (rule.folder < 0) continue;
        if (syscall(fundmail_landlock_add, set, 1 /* LANDLOCK_RULE_PATH_BENEATH */, &rule, 0) != 0) code = errno;
        close(rule.folder);
    }
    if (code == 0 && syscall(fundmail_landlock_restrict, set, 0) != 0) code = errno;
    close(set);
    return code;
}

#if defined(__x86_64__)
#define FUNDMAIL_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define FUNDMAIL_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

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
    enum { count = sizeof allowed / sizeof *allowed };
    const uint32_t arguments = offsetof(struct seccomp_data, args), word = sizeof(uint64_t), half = sizeof(uint32_t);
    const uint32_t refused = SECCOMP_RET_ERRNO | EPERM;
    const uint32_t writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC;
    struct sock_filter program[5 + 2 * count + 20];
    unsigned short n = 0;
#define LOAD(place) program[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (place))
#define EQUAL(value, yes, no) program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (yes), (no))
#define ANY(bits, yes, no) program[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), (yes), (no))
#define GIVE(what) program[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, (what))
    LOAD(offsetof(struct seccomp_data, arch));
    EQUAL(FUNDMAIL_ARCHITECTURE, 1, 0);
    GIVE(SECCOMP_RET_KILL_PROCESS);
    LOAD(offsetof(struct seccomp_data, nr));
    for (int call = 0; call < count; call++) {
        EQUAL(allowed[call], 0, 1);
        GIVE(SECCOMP_RET_ALLOW);
    }
    // openat(folder, path, flags): for reading.
    EQUAL(SYS_openat, 0, 4);
    LOAD(arguments + 2 * word);
    ANY(writing, 0, 1);
    GIVE(refused);
    GIVE(SECCOMP_RET_ALLOW);
    // prlimit64(process, resource, new, old): what its own limits are.
    EQUAL(SYS_prlimit64, 0, 8);
    LOAD(arguments);
    EQUAL(0, 0, 4);
    LOAD(arguments + 2 * word);
    EQUAL(0, 0, 2);
    LOAD(arguments + 2 * word + half);
    EQUAL(0, 1, 0);
    GIVE(refused);
    GIVE(SECCOMP_RET_ALLOW);
    // tgkill(process, thread, signal): to itself, as abort(3) does.
    EQUAL(SYS_tgkill, 0, 3);
    LOAD(arguments);
    EQUAL((uint32_t)getpid(), 0, 1);
    GIVE(SECCOMP_RET_ALLOW);
    GIVE(refused);
#undef LOAD
#undef EQUAL
#undef ANY
#undef GIVE
    const struct sock_fprog filter = {n, program};
    const long code = syscall(
        SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter);
    // Above 0 it is the thread that has another filter.
    return code == 0 ? 0 : code > 0 ? ESRCH : errno;
#else
    return ENOSYS;
#endif
}

#endif
