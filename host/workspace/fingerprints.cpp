#include "workspace/fingerprints.hpp"

#include <sys/stat.h>

#include "base/file.hpp"
#include "base/file_identity.hpp"

namespace gdalmcp::workspace {

namespace {
constexpr std::size_t max_remembered = 4096;
}

std::optional<fingerprint> fingerprints::find(const std::filesystem::path& file) const {
    struct stat s {};
    if (::stat(file.c_str(), &s) != 0) return std::nullopt;
    const std::lock_guard lock{guard_};
    const auto found = known_.find(base::to_string(base::identity_of(s)));
    if (found == known_.end()) return std::nullopt;
    return found->second;
}

void fingerprints::remember(const std::string& state, fingerprint f) {
    const std::lock_guard lock{guard_};
    if (known_.size() >= max_remembered) known_.clear();
    known_.insert_or_assign(state, std::move(f));
}

}  // namespace gdalmcp::workspace
