#include "kernel.h"
const p256_kernel p256_kernel_emulated;
const p256_kernel *p256_kernel_ifma(void){return 0;} bool p256_cpu_has_ifma(void){return false;}
