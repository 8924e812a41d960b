// Today's header in C++.
#define GDALMCP_TESTED_HEADER <gdalmcp/abi.h>
#include "layout.h"
