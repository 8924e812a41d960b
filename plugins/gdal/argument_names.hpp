// argument_names.hpp — what the raster tools refuse, in the words of the program that was called.
#pragma once
#include <gdalmcp/kind.hpp>

#include <string>
#include <utility>
#include <vector>

namespace gdalmcp_gdal {

// A raster tool's argument and the program's: {"dst_crs", "t_srs"}; or a phrase of several words and what stands for
// it.
using argument_names = std::vector<std::pair<const char*, const char*>>;

// "give 'src_crs'" becomes "give 's_srs'"; names that are words of the language only where they are quoted, phrases
// everywhere.
std::string renamed(std::string text, const argument_names& names);

// Runs `work`, with the names in what it refuses.
template <class Work>
auto with_names(const argument_names& names, Work&& work) {
    try {
        return work();
    } catch (gdalmcp::error& e) {
        e.message = renamed(std::move(e.message), names);
        e.hint = renamed(std::move(e.hint), names);
        throw;
    }
}

}  // namespace gdalmcp_gdal
