// Makes one call of the system fail, for tests: loaded in front of the C library (LD_PRELOAD).
//
// FAULT_CALL is the kind of call (open, read, write, fsync, sync, rename, mkdir; mmap: of 64 KiB or
// more without a file), FAULT_NUMBER which one of that kind, counted from 1, and FAULT_ERRNO what
// it fails with; FAULT_FOLLOWING=1 lets all later ones fail, too. FAULT_ERRNO 0 stands for a short read
// or write of one byte. The file FAULT_MARK is made when a call fails. FAULT_DAYS sets the clock forward
// by so many days, or back.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

static atomic_long counted;

static void mark(void) {
  const char *path = getenv("FAULT_MARK");
  if (path) syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY, 0600));
}

/// Whether this call of a kind is one that fails.
static int is_hit(const char *kind) {
  const char *wanted = getenv("FAULT_CALL");
  const char *number = getenv("FAULT_NUMBER");
  const char *following = getenv("FAULT_FOLLOWING");
  if (!wanted || !number || strcmp(wanted, kind) != 0) return 0;
  long count = atomic_fetch_add(&counted, 1) + 1;
  int hit = count == atol(number) || (following && following[0] == '1' && count > atol(number));
  if (hit) mark();
  return hit;
}

static int fault(void) {
  const char *text = getenv("FAULT_ERRNO");
  errno = text ? atoi(text) : EIO;
  return errno;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

#define OPENING(name)                                       \
  int name(const char *path, int flags, ...) {              \
    va_list list;                                           \
    va_start(list, flags);                                  \
    mode_t mode = va_arg(list, mode_t);                     \
    va_end(list);                                           \
    if (is_hit("open") && fault() != 0) return -1;          \
    return REAL(name)(path, flags, mode);                   \
  }
#define OPENING_AT(name)                                    \
  int name(int folder, const char *path, int flags, ...) {  \
    va_list list;                                           \
    va_start(list, flags);                                  \
    mode_t mode = va_arg(list, mode_t);                     \
    va_end(list);                                           \
    if (is_hit("open") && fault() != 0) return -1;          \
    return REAL(name)(folder, path, flags, mode);           \
  }
OPENING(open)
OPENING(open64)
OPENING_AT(openat)
OPENING_AT(openat64)

#define MOVING(name, kind, qualifier)                                                        \
  ssize_t name(int file, qualifier void *bytes, size_t count) {                              \
    if (is_hit(kind)) {                                                                      \
      if (fault() != 0) return -1;                                                           \
      count = count > 1 ? 1 : count;                                                         \
    }                                                                                        \
    return REAL(name)(file, bytes, count);                                                   \
  }
#define MOVING_AT(name, kind, qualifier, type)                                               \
  ssize_t name(int file, qualifier void *bytes, size_t count, type offset) {                 \
    if (is_hit(kind)) {                                                                      \
      if (fault() != 0) return -1;                                                           \
      count = count > 1 ? 1 : count;                                                         \
    }                                                                                        \
    return REAL(name)(file, bytes, count, offset);                                           \
  }
MOVING(read, "read", )
MOVING(write, "write", const)
MOVING_AT(pread, "read", , off_t)
MOVING_AT(pread64, "read", , off64_t)
MOVING_AT(pwrite, "write", const, off_t)
MOVING_AT(pwrite64, "write", const, off64_t)

int fsync(int file) {
  if (is_hit("fsync") && fault() != 0) return -1;
  return REAL(fsync)(file);
}

int sync_file_range(int file, off64_t offset, off64_t count, unsigned int flags) {
  if (is_hit("sync") && fault() != 0) return -1;
  return REAL(sync_file_range)(file, offset, count, flags);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to) {
  if (is_hit("rename") && fault() != 0) return -1;
  return REAL(renameat)(from_folder, from, to_folder, to);
}

int mkdirat(int folder, const char *path, mode_t mode) {
  if (is_hit("mkdir") && fault() != 0) return -1;
  return REAL(mkdirat)(folder, path, mode);
}

#define BLOCK_LEAST (64 << 10)

void *mmap(void *start, size_t length, int protection, int flags, int file, off_t offset) {
  if (length >= BLOCK_LEAST && (flags & MAP_ANONYMOUS) && is_hit("mmap") && fault() != 0)
    return MAP_FAILED;
  return REAL(mmap)(start, length, protection, flags, file, offset);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  int result = REAL(clock_gettime)(clock, time);
  const char *days = getenv("FAULT_DAYS");
  if (result == 0 && days && clock == CLOCK_REALTIME) time->tv_sec += atol(days) * 86400;
  return result;
}
