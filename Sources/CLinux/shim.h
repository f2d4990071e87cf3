// Linux calls that Swift cannot import: variadic ones, and those that glibc shows only under _GNU_SOURCE (which must not
// be set here: it would change structures that other modules share). No logic beyond what a comment says.
#ifndef FUNDMAIL_CLINUX_SHIM_H
#define FUNDMAIL_CLINUX_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <malloc.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
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
// Has the kernel begin to write these bytes of a file to its disk (SYNC_FILE_RANGE_WRITE of sync_file_range(2)).
extern int sync_file_range(int descriptor, off_t offset, off_t count, unsigned int flags);
static inline int fundmail_start_writing(int descriptor, off_t offset, off_t count) {
    return sync_file_range(descriptor, offset, count, 2);
}
// Moves bytes between a socket and a pipe within the kernel: SPLICE_F_MOVE and SPLICE_F_NONBLOCK of splice(2).
extern ssize_t splice(int source, off_t *from, int target, off_t *to, size_t count, unsigned int flags);
static inline ssize_t fundmail_splice(int source, int target, size_t count) {
    return splice(source, NULL, target, NULL, count, 1 | 2);
}
// A file in memory, without a name.
extern int memfd_create(const char *name, unsigned int flags);
// Nothing of it can be changed any more: F_ADD_SEALS with F_SEAL_SEAL, _SHRINK, _GROW and _WRITE.
static inline int fundmail_seal(int descriptor) { return fcntl(descriptor, 1024 + 9, 1 | 2 | 4 | 8); }
// The same, but for what is mapped for writing by now: F_SEAL_FUTURE_WRITE instead of _WRITE.
static inline int fundmail_seal_but_for_mapping(int descriptor) { return fcntl(descriptor, 1024 + 9, 1 | 2 | 4 | 16); }

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

#endif
