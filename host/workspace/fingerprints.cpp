#include "workspace/fingerprints.hpp"

#include <sys/stat.h>

#include "base/file.hpp"
#include "base/file_identity.hpp"

namespace gdalmcp::workspace {

std::optional<fingerprint> fingerprints::find(const std::filesystem::path& file) const {
    struct stat s {};
    if (::stat(file.c_str(), &s) != 0) return std::nullopt;
    return known_.find(base::to_string(base::identity_of(s)));
}

}  // namespace gdalmcp::workspace
