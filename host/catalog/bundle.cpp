#include "catalog/bundle.hpp"

#include "base/digest.hpp"

namespace gdalmcp::catalog {

base::result<void> verify(const bundle& b) {
    for (const auto& [name, expected] : b.files) {
        auto actual = base::sha256_hex_of_file(b.folder / name);
        if (!actual) return tl::unexpected{std::move(actual.error())};
        if (*actual != expected)
            return base::fail(
                base::code::quarantined,
                (b.folder / name).string() + " has SHA-256 " + *actual + "; the manifest says " + expected,
                "install bundle '" + b.id + "' again");
    }
    return {};
}

}  // namespace gdalmcp::catalog
