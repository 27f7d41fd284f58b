#ifndef ATTEST_AUDIT_CLINUX_SHIM_H
#define ATTEST_AUDIT_CLINUX_SHIM_H

#include <malloc.h>
#include <sys/syscall.h>
#include <unistd.h>

/// renameat2(2), which glibc declares for _GNU_SOURCE alone; see ATTEST_RENAME_*.
static inline int attest_renameat2(int from_folder, const char *from, int to_folder,
                                   const char *to, unsigned int flags) {
  return (int)syscall(SYS_renameat2, from_folder, from, to_folder, to, flags);
}

extern const char *strerrordesc_np(int number);

/// The English words for an error number, in static storage; NULL for an unknown one.
static inline const char *attest_strerror(int number) { return strerrordesc_np(number); }

/// A GNU extension too.
extern void *memmem(const void *text, size_t length, const void *mark, size_t mark_length);

/// The first place where bytes hold others; NULL where none does.
static inline const void *attest_find(
    const void *text, size_t length, const void *mark, size_t mark_length) {
  return memmem(text, length, mark, mark_length);
}

/// Has malloc take blocks of at least this many bytes from the system, whatever was freed before.
static inline void attest_fix_mmap_threshold(int bytes) { mallopt(M_MMAP_THRESHOLD, bytes); }

/// Gives the pages that nothing allocated stands on back to the system.
static inline void attest_trim_heap(void) { malloc_trim(0); }

/// A GNU extension; see ATTEST_SYNC_*.
extern int sync_file_range(int file, off_t offset, off_t count, unsigned int flags);

/// SYNC_FILE_RANGE_WRITE of <fcntl.h>: begin to write the range.
static const unsigned int ATTEST_SYNC_START = 2;
/// SYNC_FILE_RANGE_WRITE_AND_WAIT: write the range, and return once it is written.
static const unsigned int ATTEST_SYNC_WHOLE = 7;

/// A GNU extension; see ATTEST_FALLOCATE_HOLE.
extern int fallocate(int file, int mode, off_t offset, off_t count);

/// FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE of <linux/falloc.h>: give a range's space back.
static const int ATTEST_FALLOCATE_HOLE = 3;

/// Asks for the cache line of an address that is read or written soon.
static inline void attest_prefetch(const void *address) { __builtin_prefetch(address); }

/// RENAME_NOREPLACE of <linux/fs.h>: fail with EEXIST where the target exists.
static const unsigned int ATTEST_RENAME_NOREPLACE = 1;
/// RENAME_EXCHANGE of <linux/fs.h>: both names change places in one step.
static const unsigned int ATTEST_RENAME_EXCHANGE = 2;

#endif
