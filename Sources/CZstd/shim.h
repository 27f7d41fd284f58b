#ifndef ATTEST_AUDIT_CZSTD_SHIM_H
#define ATTEST_AUDIT_CZSTD_SHIM_H

#include <zstd.h>
#include <zstd_errors.h>

#endif
