#include "base/file_owner.hpp"

#include <unistd.h>

namespace gdalmcp::base {

result<void> check_not_writable_by_others(const std::filesystem::path& p, const struct stat& s, const char* code,
                                          bool any_owner) {
    if (!any_owner && s.st_uid != 0 && s.st_uid != ::geteuid())
        return fail(code,
                    p.string() + " belongs to user " + std::to_string(s.st_uid) +
                        ", who can write to it; it must belong to root or to user " + std::to_string(::geteuid()) +
                        ", who runs gdal-mcp",
                    "chown it, or put it there as that user");
    if ((s.st_mode & (S_IWGRP | S_IWOTH)) == 0) return {};
    const auto mode = s.st_mode & 07777u;
    std::string octal;
    for (int shift = 9; shift >= 0; shift -= 3) octal += static_cast<char>('0' + ((mode >> shift) & 7u));
    return fail(code, p.string() + " has mode " + octal + ": others can write to it", "chmod go-w it");
}

}  // namespace gdalmcp::base
