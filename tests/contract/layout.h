/* Compiles only where the layout of the header in GDALMCP_TESTED_HEADER is that of ABI 1.0. */
#include GDALMCP_TESTED_HEADER
#include <stddef.h>

#ifdef __cplusplus
#define GDALMCP_ASSERT(condition, message) static_assert(condition, message)
#else
#define GDALMCP_ASSERT(condition, message) _Static_assert(condition, message)
#endif
#define AT(type, member, offset) GDALMCP_ASSERT(offsetof(type, member) == (offset), #type "." #member " moved");
#define SIZE(type, bytes) GDALMCP_ASSERT(sizeof(type) >= (bytes), #type " shrank");
#define VALUE(constant, number) GDALMCP_ASSERT((int)(constant) == (number), #constant " was renumbered");
#include "layout.inc"

GDALMCP_ASSERT(sizeof(void*) == 8, "the offsets are those of LP64");
