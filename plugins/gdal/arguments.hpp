// Arguments and result members that several of GDAL's programs share. Names, and the beginnings of descriptions, are
// those of the design document; what follows in a description is what it leaves open.
#pragma once
#include <gdalmcp/standard.hpp>

#include <gdalmcp/gdal.hpp>

namespace gdalmcp_gdal {

using gdalmcp::arg;
using gdalmcp::choice;
using gdalmcp::error;
namespace gdal = gdalmcp::gdal;
namespace standard = gdalmcp::standard;

inline const auto overwrite = standard::described(standard::overwrite, "Overwrite existing output file");

// Sources of a program that joins several. A call may hold 512 files open.
inline arg<std::vector<gdalmcp::raster>> sources_argument(const char* about) {
    return {.name = "src_datasets", .about = about, .min_items = 1, .max_items = 400};
}

// What the programs that join rasters advise where raster_mosaic advises its 'bands'.
inline constexpr std::pair<const char*, const char*> bands_to_share{
    "choose with 'bands' those they share", "bring them to the bands they share with gdal_translate ('bands') first"};

// The file to write; null and absent are the same.
template <class Output>
arg<Output> target_argument(const char* name, const char* about) {
    return {.name = name, .about = about};
}
inline constexpr const char* about_raster_target = "Optional path; null means the server will create a temporary file";

// Bands as the document writes them.
inline std::vector<std::int64_t> numbers_of(const std::vector<std::string>& texts) {
    std::vector<std::int64_t> numbers;
    for (const auto& text : texts) numbers.push_back(std::strtoll(text.c_str(), nullptr, 10));
    return numbers;
}

// The member of a result that names the written dataset; the host fills it in.
class uri_of_output : public gdalmcp::member {
public:
    uri_of_output(const char* name, const char* about)
        : member{name, R"({"type":"string","x-gdalmcp":"uri-of-output","description":)" +
                           gdalmcp::detail::quote(about) + "}"} {
        required_ = false;  // until the host has published the output
    }
};

}  // namespace gdalmcp_gdal
