#ifndef ATTEST_AUDIT_CZLIB_SHIM_H
#define ATTEST_AUDIT_CZLIB_SHIM_H

#include <zlib.h>

#endif
