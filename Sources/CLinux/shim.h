// Linux calls that Swift cannot import: variadic ones, and those that glibc shows only under _GNU_SOURCE (which must not
// be set here: it would change structures that other modules share). No logic.
#ifndef FUNDMAIL_CLINUX_SHIM_H
#define FUNDMAIL_CLINUX_SHIM_H

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/types.h>

extern int syncfs(int fd);

static inline int fundmail_prctl(int option, unsigned long a, unsigned long b, unsigned long c, unsigned long d) {
    return prctl(option, a, b, c, d);
}

static inline int fundmail_open(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }

#endif
