// gdalmcp/gdal_unread.hpp — features that a file declares and does not hold. Header-only; link GDAL.
#pragma once
#include <algorithm>
#include <string>

#include <gdalmcp/gdal_undeclared.hpp>

namespace gdalmcp::gdal {

// Rows of a DBF file that are marked as deleted and still in it: GetFeatureCount() counts them without a filter, and
// GDAL does not read them. 0 for other formats.
inline GIntBig deleted_rows(OGRLayer& layer) {
    const char* path =
        layer.GetMetadataItem("DBF", "GDALMCP");  // of open_dataset(); before GDAL 3.9 few layers know theirs
    const detail::file_handle file{path ? VSIFOpenL(path, "rb") : nullptr};
    unsigned char head[12];  // dBASE: rows, length of the header, length of a row; little-endian
    if (!file || VSIFReadL(head, 1, sizeof head, file.get()) != sizeof head) return 0;
    const std::size_t begin = head[8] + head[9] * 256U, length = head[10] + head[11] * 256U;
    if (begin == 0 || length == 0 || VSIFSeekL(file.get(), begin, SEEK_SET) != 0) return 0;
    std::string rows(length * std::max<std::size_t>(1, (1 << 20) / length), ' ');
    GIntBig n = 0;
    while (true) {
        const auto read = VSIFReadL(rows.data(), 1, rows.size(), file.get());
        for (std::size_t at = 0; at < read; at += length) n += rows[at] == '*';
        if (read < rows.size()) return n;
    }
}

// The rows of attributes beside a .mif, one a line, whatever is left of the .mif: GDAL counts the geometries that it
// finds there. 0 for other formats.
inline GIntBig rows_of_mid(OGRLayer& layer) {
    const char* path = layer.GetMetadataItem("MID", "GDALMCP");  // of open_dataset()
    const detail::file_handle file{path ? VSIFOpenL(path, "rb") : nullptr};
    if (!file) return 0;
    std::string text(1 << 16, ' ');
    GIntBig n = 0;
    bool blank = true;  // of the line so far
    for (std::size_t read = text.size(); read == text.size();) {
        read = VSIFReadL(text.data(), 1, text.size(), file.get());
        for (std::size_t i = 0; i < read; ++i) {
            n += text[i] == '\n' && !blank;
            blank = text[i] == '\n' || (blank && text[i] == '\r');
        }
    }
    return n + !blank;
}

// How many features a layer declares beyond those `read`, all that GDAL gave. 0 where a filter hides some, or nothing
// is declared.
inline GIntBig unread_features(OGRLayer& layer, GIntBig read) {
    if (layer.GetSpatialFilter() || layer.GetAttrQueryString()) return 0;
    const auto declared = std::max(layer.GetFeatureCount(FALSE), rows_of_mid(layer));
    return declared <= read ? 0 : std::max<GIntBig>(0, declared - deleted_rows(layer) - read);
}

// For a layer of which some could not be read.
inline std::string unread_text(OGRLayer& layer, GIntBig read, GIntBig unread) {
    return std::string{"layer '"} + layer.GetName() + "' declares " + std::to_string(read + unread) +
           " features, and only " + std::to_string(read) + " could be read: the file may be damaged";
}

}  // namespace gdalmcp::gdal
