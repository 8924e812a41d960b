#include "catalog/bundle.hpp"

#include "base/digest.hpp"

namespace gdalmcp::catalog {

namespace {

base::result<void> verify_file(const std::filesystem::path& file, const std::string& expected, const std::string& id) {
    const auto again = "install bundle '" + id + "' again";
    const auto actual = base::sha256_hex_of_file(file);
    if (!actual) return base::fail(actual.error().code, actual.error().message, again);
    if (*actual == expected) return {};
    return base::fail(base::code::quarantined,
                      file.string() + " has SHA-256 " + *actual + "; the manifest lists " + expected, again);
}

}  // namespace

base::result<void> verify(const bundle& b) {
    for (const auto& [name, expected] : b.files)
        if (auto ok = verify_file(b.folder / name, expected, b.id); !ok) return ok;
    return {};
}

base::result<void> verify_library(const bundle& b) {
    return b.library ? verify_file(b.library->path, b.library->sha256, b.id) : base::result<void>{};
}

}  // namespace gdalmcp::catalog
