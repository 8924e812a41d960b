#include "ogr_deleted_rows.hpp"

#include <gdalmcp/gdal_table_records.hpp>
#include <gdalmcp/gdal_undeclared.hpp>

namespace gdalmcp_vector {

GIntBig deleted_rows(GDALDataset& d, OGRLayer& layer) {
    if (!EQUAL(d.GetDriverName(), "ESRI Shapefile")) return 0;
    VSIStatBufL state;
    const std::string path = d.GetDescription();
    const bool folder = VSIStatL(path.c_str(), &state) == 0 && VSI_ISDIR(state.st_mode);
    const auto dbf =
        gdalmcp::gdal::detail::dbf_of(folder ? CPLFormFilename(path.c_str(), layer.GetName(), "dbf") : path);
    const gdalmcp::gdal::detail::file_handle file{dbf.empty() ? nullptr : VSIFOpenL(dbf.c_str(), "rb")};
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

}  // namespace gdalmcp_vector
