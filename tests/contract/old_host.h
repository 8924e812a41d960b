/* The table of ABI 1.0, answered by today's functions. */
#ifndef GDALMCP_TESTS_OLD_HOST_H
#define GDALMCP_TESTS_OLD_HOST_H
#ifdef __cplusplus
extern "C" {
#endif

/* todays_table: a gdalmcp_host, which must outlive the result. The result is a gdalmcp_host of ABI 1.0; free() it. */
void* old_host_over(const void* todays_table);

#ifdef __cplusplus
}
#endif
#endif
