#ifndef ATTEST_AUDIT_CFUZZER_SHIM_H
#define ATTEST_AUDIT_CFUZZER_SHIM_H

#include <stddef.h>
#include <stdint.h>

/// libFuzzer's loop, in the toolchain's archive without a `main`: returns the exit status.
int LLVMFuzzerRunDriver(int *argument_count, char ***arguments,
                        int (*body)(const uint8_t *bytes, size_t count));

#endif
