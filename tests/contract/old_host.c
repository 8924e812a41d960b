/* The host of ABI 1.0 as a plugin sees it: the released header's table, and not a byte behind it. */
#include "old_host.h"

#include <stdlib.h>

#include "frozen/abi_v1_0.h"

static const gdalmcp_host* today;

/* As that host did: it knew two kinds and looked at what its own header had. */
static gdalmcp_status attach(gdalmcp_call* call, const gdalmcp_attachment* a) {
    gdalmcp_attachment own;
    if (!a || a->struct_size < sizeof own || (a->kind != GDALMCP_TEXT && a->kind != GDALMCP_IMAGE))
        return GDALMCP_INVALID_ARGUMENT;
    own = *a;
    own.struct_size = sizeof own;
    return today->attach(call, &own);
}

/* It had no extension yet. */
static const void* extension(gdalmcp_call* call, const char* id) {
    (void)call;
    (void)id;
    return NULL;
}

void* old_host_over(const void* todays_table) {
    gdalmcp_host* old = malloc(sizeof *old); /* on the heap, so that a sanitizer sees who reads on */
    if (!old) return NULL;
    today = todays_table;
    *old = *today;
    old->struct_size = sizeof *old;
    old->abi_minor = 0;
    old->attach = attach;
    old->extension = extension;
    return old;
}
