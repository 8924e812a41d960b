#include "worker/observation.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <set>

#include "base/text.hpp"

namespace gdalmcp::worker {

namespace fs = std::filesystem;
namespace json = base::json;

constexpr std::size_t max_reads = 20, max_text = 200;

observation::observation(access given, const fs::path& scratch)
    : given_{std::move(given)}, printed_{::open(scratch.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)} {
    if (printed_) ::dup2(printed_.get(), STDOUT_FILENO);
}

bool observation::was_given(const fs::path& p) const {
    return lies_in(p, given_.read) || lies_in(p, given_.write) || lies_in(p, {"/proc", "/sys", "/dev"});
}

json::object observation::frame(const traced_files& traced) const {
    std::set<std::string> reads;
    for (const auto* paths : {&traced.opened, &traced.listed, &traced.refused})
        for (const auto& p : *paths) {
            const auto path = fs::path{p}.lexically_normal();
            const bool may_be_listed = paths == &traced.listed && lies_in(path, given_.list);
            if (reads.size() < max_reads && !was_given(path) && !may_be_listed)
                reads.insert(base::scrub_utf8(path.string()));
        }
    std::fflush(stdout);
    const auto bytes = ::lseek(printed_.get(), 0, SEEK_END);
    std::array<char, max_text> first{};
    const auto n = ::pread(printed_.get(), first.data(), first.size(), 0);
    return {
        {"kind", "observed"},
        {"reads", json::array(reads.begin(), reads.end())},
        {"printed", json::object{{"bytes", bytes > 0 ? bytes : 0},
                                 {"text", base::scrub_utf8({first.data(), n > 0 ? static_cast<std::size_t>(n) : 0})}}}};
}

}  // namespace gdalmcp::worker
