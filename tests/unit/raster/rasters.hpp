// Small rasters for tests: literal values in memory, or files in a folder of their own.
#pragma once
#include <gdalmcp/gdal_crs.hpp>

#include <cstdlib>
#include <filesystem>
#include <vector>

namespace rasters {

using matrix = std::vector<std::vector<double>>;

struct plan {
    GDALDataType type = GDT_Float64;
    std::string crs = "EPSG:32633";
    std::array<double, 6> geotransform{500000, 10, 0, 4000030, 0, -10};
    std::optional<double> nodata{};
    std::string path{};  // empty = in memory
};

inline void fill(GDALRasterBand& band, const matrix& values) {
    for (std::size_t row = 0; row < values.size(); ++row) {
        auto cells = values[row];
        REQUIRE(band.RasterIO(GF_Write, 0, static_cast<int>(row), static_cast<int>(cells.size()), 1, cells.data(),
                              static_cast<int>(cells.size()), 1, GDT_Float64, 0, 0, nullptr) == CE_None);
    }
}

inline gdalmcp::gdal::dataset_ptr make(const std::vector<matrix>& bands, plan p = {}) {
    GDALAllRegister();
    auto* driver = GetGDALDriverManager()->GetDriverByName(p.path.empty() ? "MEM" : "GTiff");
    gdalmcp::gdal::dataset_ptr d{driver->Create(p.path.c_str(), static_cast<int>(bands[0][0].size()),
                                                static_cast<int>(bands[0].size()), static_cast<int>(bands.size()),
                                                p.type, nullptr)};
    REQUIRE(d);
    d->SetGeoTransform(p.geotransform.data());
    if (!p.crs.empty()) {
        const auto crs = gdalmcp::gdal::parse_crs(p.crs);
        d->SetSpatialRef(&*crs);
    }
    for (std::size_t b = 0; b < bands.size(); ++b) {
        auto& band = *d->GetRasterBand(static_cast<int>(b) + 1);
        if (p.nodata) band.SetNoDataValue(*p.nodata);
        fill(band, bands[b]);
    }
    return d;
}

inline matrix values(GDALRasterBand& band) {
    matrix out(static_cast<std::size_t>(band.GetYSize()),
               std::vector<double>(static_cast<std::size_t>(band.GetXSize())));
    for (std::size_t row = 0; row < out.size(); ++row)
        REQUIRE(band.RasterIO(GF_Read, 0, static_cast<int>(row), band.GetXSize(), 1, out[row].data(), band.GetXSize(),
                              1, GDT_Float64, 0, 0, nullptr) == CE_None);
    return out;
}

// A folder that goes away.
class folder {
public:
    folder() {
        std::string name = (std::filesystem::temp_directory_path() / "gdal-mcp-raster-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()) != nullptr);
        path_ = name;
    }
    ~folder() { std::filesystem::remove_all(path_); }
    folder(const folder&) = delete;
    folder& operator=(const folder&) = delete;
    std::string operator/(const std::string& file) const { return (path_ / file).string(); }

private:
    std::filesystem::path path_;
};

// What a refusal says.
template <class F>
gdalmcp::error refusal(F&& f) {
    try {
        f();
    } catch (const gdalmcp::error& e) {
        return e;
    }
    FAIL("not refused");
    return {GDALMCP_OK, ""};
}

}  // namespace rasters
