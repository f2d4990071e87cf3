// A document that took over its converter: what it tries from there. Tests compile it, give it to a sandbox as the file
// to convert, and start it by the loader of dynamic programs, as code in a hostile document would run.
//
//     hostile MARK escape VICTIM PORT PATH FILE    prints what it reached, a name a line, then "done"
//     hostile MARK network PORT PATH               the part of it that is about sockets
//     hostile MARK leave [stay]                    starts processes that try to outlive it; ends at once, or waits
//     hostile MARK bomb                            processes without end
//     hostile MARK fill                            files without end, most of which have no name any more
//
// MARK stands in the command line, by which all its processes are found. VICTIM is a process, PORT one of TCP and UDP on
// this machine, PATH a local socket (an abstract one has the same name), FILE a file of the victim.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static int reached_count = 0;

static void check(const char *name, int is_reached) {
    if (!is_reached) return;
    reached_count++;
    dprintf(1, "%s\n", name);
}

static int opens(const char *path, int flags) {
    const int file = open(path, flags | O_CLOEXEC, 0600);
    if (file >= 0) close(file);
    return file >= 0;
}

// Whether what a child does comes to its end; seccomp may kill it.
static int survives(void (*act)(void)) {
    const pid_t child = fork();
    if (child < 0) return 0;
    if (child == 0) {
        act();
        _exit(7);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

static void call_by_another_number(void) {
    if (syscall(0x40000000 | SYS_getpid) < 0) _exit(1);
}

static void call_by_another_door(void) {
#ifdef __x86_64__
    int result;
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20 /* getpid of i386 */) : "memory");
    if (result < 0) _exit(1);
#else
    _exit(1);
#endif
}

static void files(pid_t victim, const char *file) {
    check("passwords", opens("/etc/passwd", O_RDONLY) || opens("/etc/shadow", O_RDONLY));
    const char *folders[] = {"/root", "/home", "/var/lib/dpkg", "/srv", "/sys/kernel", "/run", "/boot"};
    for (size_t n = 0; n < sizeof folders / sizeof *folders; n++)
        check(folders[n], opens(folders[n], O_RDONLY | O_DIRECTORY));
    check("passwords by /proc", opens("/proc/1/root/etc/passwd", O_RDONLY));
    const char *ways[] = {"", "/proc/self/root", "/proc/self/cwd/../../../..", "/proc/%d/root", "/proc/%d/cwd"};
    for (size_t n = 0; n < sizeof ways / sizeof *ways; n++) {
        char start[64], path[512];
        snprintf(start, sizeof start, ways[n], victim);
        snprintf(path, sizeof path, "%s%s", start, file);
        check("the store", opens(path, O_RDONLY) || opens(path, O_WRONLY));
        check("a longer store", truncate(path, 0) == 0 || chmod(path, 0777) == 0 || unlink(path) == 0);
    }
    const struct { uint64_t flags, mode, resolve; } how = {O_RDONLY, 0, 0};
    check("openat2", syscall(437, AT_FDCWD, file, &how, sizeof how) >= 0);
    struct { unsigned bytes; int type; unsigned char handle[128]; } handle = {128, 0, {0}};
    int mount_id;
    check("a handle", syscall(SYS_name_to_handle_at, AT_FDCWD, "/", &handle, &mount_id, 0) == 0);
    check("by handle", syscall(SYS_open_by_handle_at, AT_FDCWD, &handle, O_RDONLY) >= 0);
}

static int talks(int family, int type, const void *address, socklen_t size) {
    const int s = socket(family, type | SOCK_NONBLOCK, 0);
    if (s < 0) return 0;
    int is_reached = sendto(s, "x", 1, MSG_NOSIGNAL, address, size) == 1;
    is_reached |= sendto(s, "x", 1, MSG_NOSIGNAL | MSG_FASTOPEN, address, size) == 1;
    if (connect(s, address, size) == 0) is_reached = 1;
    else if (errno == EINPROGRESS) {
        struct pollfd polled = {s, POLLOUT, 0};
        int code = 1;
        socklen_t length = sizeof code;
        poll(&polled, 1, 1000);
        getsockopt(s, SOL_SOCKET, SO_ERROR, &code, &length);
        is_reached |= code == 0;
    }
    close(s);
    return is_reached;
}

static void network(int port, const char *path) {
    const struct sockaddr_in v4 = {AF_INET, htons((uint16_t)port), {htonl(INADDR_LOOPBACK)}, {0}};
    const struct sockaddr_in6 v6 = {AF_INET6, htons((uint16_t)port), 0, IN6ADDR_LOOPBACK_INIT, 0};
    check("TCP", talks(AF_INET, SOCK_STREAM, &v4, sizeof v4));
    check("TCP 6", talks(AF_INET6, SOCK_STREAM, &v6, sizeof v6));
    check("UDP", talks(AF_INET, SOCK_DGRAM, &v4, sizeof v4));
    struct sockaddr_un local = {AF_UNIX, {0}}, abstract = {AF_UNIX, {0}};
    strncpy(local.sun_path, path, sizeof local.sun_path - 1);
    strncpy(abstract.sun_path + 1, path, sizeof abstract.sun_path - 2);
    const socklen_t length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(path));
    const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET};
    for (int n = 0; n < 3; n++) {
        check("a local socket", talks(AF_UNIX, types[n], &local, sizeof local));
        check("an abstract socket", talks(AF_UNIX, types[n], &abstract, length));
    }
    check("netlink", socket(AF_NETLINK, SOCK_RAW, 0) >= 0);
    check("packets", socket(AF_PACKET, SOCK_RAW, 0) >= 0);
    check("virtual sockets", socket(AF_VSOCK, SOCK_STREAM, 0) >= 0);
}

static void processes(pid_t victim, const char *who) {
    if (victim <= 1) return;
    char path[64], byte;
    check(who, kill(victim, 0) == 0 || syscall(SYS_tgkill, victim, victim, 0) == 0 || syscall(SYS_tkill, victim, 0) == 0);
    siginfo_t info = {.si_signo = SIGTERM, .si_code = SI_QUEUE};
    check("a queued signal", syscall(SYS_rt_sigqueueinfo, victim, SIGTERM, &info) == 0);
    const int file = (int)syscall(434, victim, 0);
    check("a pidfd", file >= 0 && syscall(424, file, SIGTERM, NULL, 0) == 0);
    check("tracing", ptrace(PTRACE_SEIZE, victim, 0, 0) == 0 || ptrace(PTRACE_ATTACH, victim, 0, 0) == 0);
    struct iovec own = {&byte, 1}, other = {(void *)0x400000, 1};
    check("memory", process_vm_readv(victim, &own, 1, &other, 1, 0) >= 0 || process_vm_writev(victim, &own, 1, &other, 1, 0) >= 0);
    const char *names[] = {"mem", "environ", "maps", "fd/0", "fd/3", "root/", "cwd/"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        snprintf(path, sizeof path, "/proc/%d/%s", victim, names[n]);
        check(names[n], opens(path, O_RDONLY));
    }
    const struct rlimit limit = {16, 16};
    check("limits", prlimit(victim, RLIMIT_NOFILE, &limit, NULL) == 0);
    check("priorities", setpriority(PRIO_PROCESS, (id_t)victim, 19) == 0);
    cpu_set_t processors;
    CPU_ZERO(&processors);
    CPU_SET(0, &processors);
    check("affinity", sched_setaffinity(victim, sizeof processors, &processors) == 0);
    int ends[2];
    if (pipe(ends) == 0) {
        struct { int type; pid_t pid; } owner = {1 /* F_OWNER_PID */, victim};
        check("signals by files", fcntl(ends[0], F_SETOWN, victim) == 0 || fcntl(ends[0], 15 /* F_SETOWN_EX */, &owner) == 0);
        const int number = victim;
        check("signals by ioctl", ioctl(ends[0], 0x8901 /* FIOSETOWN */, &number) == 0);
    }
}

static void kernel(void) {
    check("root", (getuid() && setuid(0) == 0) || (getuid() && setresuid(0, 0, 0) == 0));
    const int spaces[] = {CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWNET, CLONE_NEWIPC, CLONE_NEWUTS};
    for (size_t n = 0; n < sizeof spaces / sizeof *spaces; n++) {
        check("namespaces", unshare(spaces[n]) == 0);
        const long child = syscall(SYS_clone, spaces[n] | SIGCHLD, 0, 0, 0, 0);
        if (child == 0) _exit(0);
        check("cloned namespaces", child > 0);
    }
    check("mounts", mount("none", ".", "tmpfs", 0, NULL) == 0 || syscall(430, "tmpfs", 0) >= 0 || syscall(428, AT_FDCWD, "/", 1) >= 0);
    check("another root", chroot(".") == 0 || syscall(SYS_pivot_root, ".", ".") == 0);
    check("BPF", syscall(SYS_bpf, 0, NULL, 0) >= 0 || errno != EPERM);
    unsigned char events[128] = {0};
    check("performance events", syscall(SYS_perf_event_open, events, 0, -1, -1, 0) >= 0);
    check("userfaultfd", syscall(SYS_userfaultfd, O_CLOEXEC) >= 0 || syscall(SYS_userfaultfd, O_CLOEXEC | 1) >= 0);
    struct io_uring_params ring;
    memset(&ring, 0, sizeof ring);
    check("io_uring", syscall(425, 8, &ring) >= 0);
    check("keys", syscall(SYS_keyctl, 0, -3, 1) >= 0 || syscall(SYS_add_key, "user", "x", "y", 1, -3) >= 0);
    check("shared memory", syscall(SYS_shmget, 0, 1 << 20, 01600) >= 0 || syscall(SYS_memfd_create, "x", 0) >= 0);
    check("message queues", syscall(SYS_mq_open, "x", O_CREAT | O_RDWR, 0600, NULL) >= 0 || syscall(SYS_msgget, 0, 01600) >= 0);
    const struct rlimit more = {RLIM_INFINITY, RLIM_INFINITY};
    const int limits[] = {RLIMIT_AS, RLIMIT_FSIZE, RLIMIT_CPU, RLIMIT_NPROC, RLIMIT_NOFILE, RLIMIT_CORE};
    for (size_t n = 0; n < sizeof limits / sizeof *limits; n++) check("more", setrlimit((__rlimit_resource_t)limits[n], &more) == 0);
    check("key presses", ioctl(0, TIOCSTI, "x") == 0);
    check("calls of x32", survives(call_by_another_number));
    check("calls of i386", survives(call_by_another_door));
    for (int file = 3; file < 1024; file++) check("a descriptor", fcntl(file, F_GETFD) >= 0);
}

// Leaves the group, the session and every signal that can be ignored, and waits.
__attribute__((noreturn)) static void linger(void) {
    setsid();
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, 0);
    for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
    for (int file = 0; file < 64; file++) close(file);
    for (;;) sleep(1);
}

static void leave(void) {
    // As a daemon.
    if (fork() == 0) {
        setsid();
        if (fork() == 0) linger();
        _exit(0);
    }
    // Another group first, then a child of it.
    if (fork() == 0) {
        setpgid(0, 0);
        if (fork() == 0) linger();
        linger();
    }
    // As a child of whoever started this.
    if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) == 0) linger();
    // One that adopts its grandchildren.
    if (fork() == 0) {
        prctl(PR_SET_CHILD_SUBREAPER, 1);
        for (int n = 0; n < 3; n++)
            if (fork() == 0) {
                if (fork() == 0) linger();
                _exit(0);
            }
        linger();
    }
    // One that has another number at each moment.
    if (fork() == 0)
        for (;;) {
            const pid_t next = fork();
            if (next > 0) _exit(0);
            setsid();
            // Not at once: those that ended count as processes of this user until somebody waits for them.
            usleep(5000);
        }
}

__attribute__((noreturn)) static void bomb(void) {
    for (;;) {
        if (fork() == 0) {
            setsid();
            prctl(PR_SET_PDEATHSIG, 0);
        }
    }
}

// Files of a MiB: open and without a name, mapped and without a name, without a name from the beginning, and plain ones.
__attribute__((noreturn)) static void fill(void) {
    static char block[1 << 20];
    memset(block, 1, sizeof block);
    signal(SIGXFSZ, SIG_IGN);
    prctl(PR_SET_DUMPABLE, 0);
    for (int n = 0; n < 4; n++)
        if (fork() == 0) break;
    for (int n = 0;; n++) {
        char name[64];
        snprintf(name, sizeof name, "f%d-%d", getpid(), n);
        const int file = n % 4 == 2 ? open(".", O_TMPFILE | O_RDWR, 0600) : open(name, O_CREAT | O_RDWR, 0600);
        if (file < 0) {
            usleep(1000);
            continue;
        }
        if (n % 4 != 3) unlink(name);
        (void)!write(file, block, sizeof block);
        if (n % 4 == 1 && mmap(NULL, sizeof block, PROT_READ, MAP_SHARED, file, 0) != MAP_FAILED) close(file);
    }
}

int main(int count, char **words) {
    const char *act = count > 2 ? words[2] : "";
    if (!strcmp(act, "escape") && count == 7) {
        const pid_t victim = atoi(words[3]);
        files(victim, words[6]);
        network(atoi(words[4]), words[5]);
        kernel();
        processes(victim, "the victim");
        processes(getppid(), "its parent");
        dprintf(1, "done\n");
        // The last act: whoever can be reached. Where something could be, the machine of the tests is spared.
        if (reached_count > 0) return 1;
        kill(getppid(), SIGKILL);
        kill(victim, SIGKILL);
        kill(-1, SIGKILL);
        return 0;
    }
    if (!strcmp(act, "network") && count == 5) {
        network(atoi(words[3]), words[4]);
        return 0;
    }
    if (!strcmp(act, "leave")) {
        leave();
        if (count > 3) for (;;) sleep(1);
        return 0;
    }
    if (!strcmp(act, "bomb")) bomb();
    if (!strcmp(act, "fill")) fill();
    return 64;
}
