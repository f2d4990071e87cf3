#ifndef FUNDMAIL_NETWORK_H
#define FUNDMAIL_NETWORK_H

// A network of a process's own (network_namespaces(7)).

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "shim.h"

// Moves this process, which has no other threads, into a user namespace and a network of its own, where it has all
// rights. Returns 0, or an error of errno(3).
static inline int fundmail_leave_network(void) {
    return syscall(SYS_unshare, 0x10000000 | 0x40000000 /* CLONE_NEWUSER | CLONE_NEWNET */) == 0 ? 0 : errno;
}

// Brings up the interface by which the processes of a network reach each other (netdevice(7); ioctl(2) is variadic).
// Returns 0, or an error of errno(3).
static inline int fundmail_raise_loopback(void) {
    struct ifreq request;
    memset(&request, 0, sizeof request);
    strcpy(request.ifr_name, "lo");
    request.ifr_flags = IFF_UP;
    const int channel = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (channel < 0) return errno;
    const int code = ioctl(channel, SIOCSIFFLAGS, &request) == 0 ? 0 : errno;
    close(channel);
    return code;
}

#endif
