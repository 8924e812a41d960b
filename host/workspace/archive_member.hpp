// A dataset inside an archive, spelled as a path that goes on into it: "parcels.zip/2024/parcels.shp".
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace gdalmcp::workspace {

struct archive_member {
    std::string archive;  // as spelled: "parcels.zip"
    std::string inside;   // "2024/parcels.shp"

    // By the extension of a folder on the way: .zip, .kmz, .shz, .tar, .tgz, .tar.gz; GDAL's own /vsizip/ and /vsitar/
    // in front are understood. nullopt if no part has an archive's extension.
    static std::optional<archive_member> parse(std::string_view spelled);

    // The name GDAL opens: "/vsizip//data/parcels.zip/2024/parcels.shp".
    std::string with_archive(const std::filesystem::path& path) const;
};

}  // namespace gdalmcp::workspace
