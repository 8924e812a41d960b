/* The header as released. */
#define GDALMCP_TESTED_HEADER "frozen/abi_v1_0.h"
#include "layout.h"
