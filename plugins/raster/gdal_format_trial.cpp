#include "gdal_format_trial.hpp"

#include "datasets/gdal_output.hpp"
#include "gdal_fidelity.hpp"

namespace gdalmcp_raster {

namespace {

namespace gdal = gdalmcp::gdal;

// With the units, which GDAL's copy in memory lacks, and the geolocation arrays, which it drops of a part.
gdal::dataset_ptr in_memory(GDALDataset& source, gdal::words words = {}) {
    words.add("-of", "MEM");
    auto made = translate(source, "", std::move(words));
    if (!made) gdal::raise("cannot take a corner of " + std::string{source.GetDescription()});
    for (int i = 1; i <= made->GetRasterCount(); ++i)
        made->GetRasterBand(i)->SetUnitType(source.GetRasterBand(i)->GetUnitType());
    if (auto* arrays = source.GetMetadata("GEOLOCATION")) made->SetMetadata(arrays, "GEOLOCATION");
    return made;
}

// What the recoding is asked to change is changed already.
gdal::dataset_ptr corner(GDALDataset& source, const recoding& r, GDALDataType type) {
    constexpr int side = 64;
    gdal::words words{"-srcwin", "0", "0"};
    words.add(std::to_string(std::min(side, source.GetRasterXSize())),
              std::to_string(std::min(side, source.GetRasterYSize())));
    if (r.changes()) words.add("-ot", GDALGetDataTypeName(type));
    auto piece = in_memory(source, words);
    for (auto&& band : piece->GetBands()) {
        if (r.scale || r.unscale) band->SetScale(1), band->SetOffset(0);
        if (r.scale) band->SetUnitType("");
        if (r.nodata) band->SetNoDataValue(*r.nodata);
    }
    return piece;
}

std::vector<std::optional<double>> nodata_only_in(GDALDataset& written, GDALDataset& expected) {
    std::vector<std::optional<double>> added;
    for (int i = 1; i <= std::min(expected.GetRasterCount(), written.GetRasterCount()); ++i) {
        int has = 0;
        const double v = written.GetRasterBand(i)->GetNoDataValue(&has);
        const bool whole = (expected.GetRasterBand(i)->GetMaskFlags() & GMF_ALL_VALID) != 0;
        added.push_back(whole && has ? std::optional{v} : std::nullopt);
    }
    return added;
}

}  // namespace

format_trial try_format(GDALDataset& source, const recoding& r, GDALDriver& driver,
                        const std::vector<std::string>& options, const std::string& path) {
    const gdal::quiet silence;
    const auto type = type_of_result(source, r);
    const auto expected = corner(source, r, type);
    const auto ready = in_memory(*expected);
    for (auto&& band : ready->GetBands())
        if (r.changes() && !r.keeps_palette(type)) band->SetColorTable(nullptr);
    gdal::words words;
    for (const auto& o : options) words.add(o);
    CPLErrorReset();
    gdal::dataset_ptr written{driver.CreateCopy(path.c_str(), ready.get(), FALSE, words.get(), nullptr, nullptr)};
    const std::string reason = CPLGetLastErrorType() >= CE_Failure ? CPLGetLastErrorMsg() : "";
    if (!written) return {{}, reason.empty() ? "GDAL gave no reason" : reason, {}};
    written.reset();
    written.reset(GDALDataset::Open(path.c_str(), GDAL_OF_RASTER));
    if (!written) return {{"all bands"}, "", {}};
    if (written->GetRasterCount() == 0)
        return {
            {written->GetMetadata("SUBDATASETS") ? "the bands in one raster (each becomes a subdataset)" : "all bands"},
            "",
            {}};
    return {lost_facts(*expected, *written), "", nodata_only_in(*written, *expected)};
}

}  // namespace gdalmcp_raster
