#include "worker/verification.hpp"

#include <gdalmcp/gdal_crs.hpp>

#include <cmath>

#include "base/digest.hpp"
#include "worker/crs.hpp"
#include "worker/probe.hpp"

namespace gdalmcp::worker {

namespace json = base::json;
using base::fail;
using base::result;
namespace code = base::code;

namespace {

class verification {
public:
    verification(const std::filesystem::path& file, const std::string& role, const json::object& expect)
        : file_{file}, role_{role}, expect_{expect} {}

    result<json::object> run() {
        std::error_code ec;
        const auto bytes = std::filesystem::file_size(file_, ec);
        if (ec) return wrong("the tool did not write it", "report this to the tool's author");
        if (bytes == 0) return wrong("it is empty", "report this to the tool's author");
        out_["size_bytes"] = bytes;
        CPLErrorReset();
        dataset_.reset(GDALDataset::Open(file_.c_str(), kind() | GDAL_OF_VERBOSE_ERROR));
        if (!dataset_)
            return wrong(std::string{"it cannot be opened again: "} + CPLGetLastErrorMsg(),
                         "the disk may be full or the tool defective");
        out_["driver"] = driver();
        checked("re-opened as " + driver());
        auto ok = dataset_->GetRasterCount() > 0 ? raster() : vector();
        if (!ok) return tl::unexpected{ok.error()};
        auto hex = base::sha256_hex_of_file(file_);
        if (!hex) return tl::unexpected{hex.error()};
        out_["sha256"] = *hex;
        out_["checks"] = std::move(checks_);
        out_["warnings"] = std::move(warnings_);
        return std::move(out_);
    }

private:
    unsigned kind() const {
        if (role_ == "output-raster") return GDAL_OF_RASTER;
        if (role_ == "output-vector" || role_ == "output-table") return GDAL_OF_VECTOR;
        return GDAL_OF_RASTER | GDAL_OF_VECTOR;
    }
    tl::unexpected<base::problem> wrong(const std::string& what, std::string hint = {}) const {
        return fail(code::verification_failed,
                    "the output " + file_.filename().string() + " did not pass its check: " + what, std::move(hint));
    }
    // A cloud-optimised GeoTIFF is opened by the GTiff driver, which knows what it is.
    std::string driver() const {
        const char* layout = dataset_->GetMetadataItem("LAYOUT", "IMAGE_STRUCTURE");
        return layout && std::string_view{layout} == "COG" ? "COG" : dataset_->GetDriverName();
    }
    void checked(std::string what) { checks_.emplace_back(std::move(what)); }

    result<void> same(const char* name, const json::value& there) {
        out_[name] = there;
        const auto* wanted = expect_.if_contains(name);
        if (!wanted) return {};
        if (*wanted != there)
            return wrong(std::string{name} + " is " + base::write_json(there) + ", promised was " +
                         base::write_json(*wanted));
        checked(std::string{name} + " = " + base::write_json(there));
        return {};
    }

    result<void> crs(const OGRSpatialReference* srs) {
        const OGRSpatialReference none;
        const auto& there = srs ? *srs : none;
        out_["crs"] = gdal::crs_text(there);
        const auto* wanted = expect_.if_contains("crs");
        if (!wanted || !wanted->is_string()) return {};
        const std::string spelling{wanted->get_string()};
        const auto promised = spelling.empty() ? std::optional{none} : gdal::parse_crs(spelling);
        if (!promised) return wrong("the promised CRS '" + spelling + "' is not one");
        // A driver may store another definition of the same CRS (another axis order, a WKT 1 name), so meaning is
        // compared.
        constexpr const char* loose[] = {"CRITERION=EQUIVALENT_EXCEPT_AXIS_ORDER_GEOGCRS",
                                         "IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES", "IGNORE_COORDINATE_EPOCH=YES",
                                         nullptr};
        if (promised->IsEmpty() != there.IsEmpty() || (!there.IsEmpty() && !promised->IsSame(&there, loose)))
            return wrong("its CRS is " + shown(there) + ", asked was " + shown(*promised));
        checked("CRS = " + shown(there));
        return {};
    }
    static std::string shown(const OGRSpatialReference& srs) {
        if (srs.IsEmpty()) return "none";
        const auto text = gdal::crs_code(srs);
        return text.empty() ? (srs.GetName() ? srs.GetName() : "unnamed") : text;
    }

    result<void> plausible(const double (&b)[4], bool geographic) {
        for (const double v : b)
            if (!std::isfinite(v)) return wrong("its extent is not finite");
        out_["bounds"] = json::array{b[0], b[1], b[2], b[3]};
        if (geographic && (b[0] < -540 || b[2] > 540 || b[1] < -90.5 || b[3] > 90.5))
            return wrong("its extent " + base::write_json(out_["bounds"]) + " does not fit degrees");
        checked("extent is plausible");
        return {};
    }

    result<void> raster() {
        auto& d = *dataset_;
        if (auto ok = crs(d.GetSpatialRef()); !ok) return ok;
        const char* dtype = GDALGetDataTypeName(d.GetRasterBand(1)->GetRasterDataType());
        for (const auto& [name, value] : {std::pair<const char*, json::value>{"width", d.GetRasterXSize()},
                                          {"height", d.GetRasterYSize()},
                                          {"bands", d.GetRasterCount()},
                                          {"dtype", dtype}})
            if (auto ok = same(name, value); !ok) return ok;
        double t[6];
        if (d.GetGeoTransform(t) == CE_None) {
            const double w = d.GetRasterXSize(), h = d.GetRasterYSize();
            const double x[] = {t[0], t[0] + w * t[1], t[0] + h * t[2], t[0] + w * t[1] + h * t[2]};
            const double y[] = {t[3], t[3] + w * t[4], t[3] + h * t[5], t[3] + w * t[4] + h * t[5]};
            const double b[4] = {*std::min_element(x, x + 4), *std::min_element(y, y + 4), *std::max_element(x, x + 4),
                                 *std::max_element(y, y + 4)};
            if (auto ok = plausible(b, d.GetSpatialRef() && d.GetSpatialRef()->IsGeographic()); !ok) return ok;
        }
        return some_value();
    }

    // Reads mask blocks until one valid cell is found; the last row of blocks always, so that a truncated file is
    // noticed.
    result<void> some_value() {
        auto& band = *dataset_->GetRasterBand(1);
        const int width = band.GetXSize(), height = band.GetYSize();
        std::vector<GByte> mask(static_cast<std::size_t>(width));
        const auto valid_in_row = [&](int row) -> std::optional<bool> {
            if (band.GetMaskBand()->RasterIO(GF_Read, 0, row, width, 1, mask.data(), width, 1, GDT_Byte, 0, 0,
                                             nullptr) != CE_None)
                return std::nullopt;
            return std::any_of(mask.begin(), mask.end(), [](GByte m) { return m != 0; });
        };
        std::vector<double> values(static_cast<std::size_t>(width));
        if (band.RasterIO(GF_Read, 0, height - 1, width, 1, values.data(), width, 1, GDT_Float64, 0, 0, nullptr) !=
            CE_None)
            return wrong(std::string{"its last row cannot be read: "} + CPLGetLastErrorMsg(), "the disk may be full");
        // The middle first: most rasters have data there.
        bool found = false;
        for (int k = 0; k < height && !found; ++k) {
            const int row = (height / 2 + k) % height;
            const auto valid = valid_in_row(row);
            if (!valid)
                return wrong("row " + std::to_string(row) + " cannot be read: " + CPLGetLastErrorMsg(),
                             "the disk may be full");
            found = *valid;
        }
        if (found)
            checked("has valid cells");
        else
            warnings_.emplace_back("every cell of band 1 is nodata");
        return {};
    }

    result<void> vector() {
        auto& d = *dataset_;
        if (d.GetLayerCount() == 0) return wrong("it has no layer");
        std::int64_t features = 0;
        OGREnvelope extent;
        const OGRSpatialReference* srs = nullptr;
        for (int i = 0; i < d.GetLayerCount(); ++i) {
            auto& l = *d.GetLayer(i);
            features += l.GetFeatureCount(TRUE);
            if (!srs) srs = l.GetSpatialRef();
            OGREnvelope e;
            if (l.GetGeomType() != wkbNone && l.GetExtent(&e, TRUE) == OGRERR_NONE) extent.Merge(e);
        }
        if (role_ != "output-table")
            if (auto ok = crs(srs); !ok) return ok;
        out_["feature_count"] = features;
        if (const auto* wanted = expect_.if_contains("features")) {
            if (*wanted != json::value(features))
                return wrong("it has " + std::to_string(features) + " features, promised were " +
                             base::write_json(*wanted));
            checked(std::to_string(features) + " features");
        }
        if (features == 0) warnings_.emplace_back("it has no features");
        if (extent.IsInit())
            return plausible({extent.MinX, extent.MinY, extent.MaxX, extent.MaxY}, srs && srs->IsGeographic());
        return {};
    }

    const std::filesystem::path& file_;
    const std::string& role_;
    const json::object& expect_;
    gdal::dataset_ptr dataset_;
    json::object out_;
    json::array checks_, warnings_;
};

}  // namespace

result<json::object> verify_output(const std::filesystem::path& file, const std::string& role,
                                   const json::object& expect) {
    return verification{file, role, expect}.run();
}

}  // namespace gdalmcp::worker
