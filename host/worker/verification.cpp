#include "worker/verification.hpp"

#include <gdalmcp/gdal_same_crs.hpp>

#include <array>
#include <cmath>
#include <fstream>

#include "base/digest.hpp"
#include "worker/crs.hpp"
#include "worker/dataset_files.hpp"
#include "worker/file_trace.hpp"
#include "worker/free_space.hpp"
#include "worker/inputs.hpp"
#include "worker/probe.hpp"

namespace gdalmcp::worker {

namespace json = base::json;
using base::fail;
using base::result;
namespace code = base::code;

namespace {

class verification {
public:
    explicit verification(const runner::request& r)
        : file_{r.path}, role_{r.role}, expect_{r.expect}, published_{r.published}, roots_{r.roots} {}

    result<json::object> run() {
        std::error_code ec;
        const auto bytes = std::filesystem::file_size(file_, ec);
        if (ec) return wrong("the tool did not write it", defect_hint);
        if (bytes == 0) return wrong("it is empty", defect_hint);
        out_["size_bytes"] = bytes;
        if (EQUAL(CPLGetExtension(file_.c_str()), "qix")) return spatial_index();
        CPLErrorReset();
        const file_trace trace;
        CPLStringList options;
        if (!published_.empty()) options.SetNameValue("ROOT_PATH", published_.c_str());
        // GDAL takes a first line with a number in it, such as a year, for data.
        if (EQUAL(CPLGetExtension(file_.c_str()), "csv")) options.SetNameValue("HEADERS", "YES");
        dataset_.reset(GDALDataset::Open(file_.c_str(), kind() | GDAL_OF_VERBOSE_ERROR, nullptr, options.List()));
        if (!dataset_) return wrong(std::string{"it cannot be opened again: "} + CPLGetLastErrorMsg(), hint());
        if (auto parts = names_inputs_only(); !parts) return tl::unexpected{parts.error()};
        out_["driver"] = driver();
        checked("re-opened as " + driver());
        auto ok = dataset_->GetRasterCount() > 0 ? raster() : vector();
        if (!ok) return tl::unexpected{ok.error()};
        auto hex = base::sha256_hex_of_file(file_);
        if (!hex) return tl::unexpected{hex.error()};
        out_["sha256"] = *hex;
        if (auto parts = add_files(trace); !parts) return tl::unexpected{parts.error()};
        out_["checks"] = std::move(checks_);
        out_["warnings"] = std::move(warnings_);
        return std::move(out_);
    }

private:
    // A quadtree beside a shapefile, which no driver opens by itself: its mark, and what its header says it indexes.
    result<json::object> spatial_index() {
        std::array<char, 16> header{};  // "SQT", byte order, version, 3 unused, number of shapes, depth
        std::ifstream in{file_, std::ios::binary};
        if (!in.read(header.data(), header.size()) || std::string_view{header.data(), 3} != "SQT")
            return wrong("it is no spatial index of a shapefile", defect_hint);
        auto hex = base::sha256_hex_of_file(file_);
        if (!hex) return tl::unexpected{hex.error()};
        out_["driver"] = "Shapefile spatial index";
        out_["sha256"] = *hex;
        json::array files;
        files.emplace_back(file_.filename().string());
        out_["files"] = std::move(files);
        checked("begins as a spatial index of a shapefile");
        out_["checks"] = std::move(checks_);
        out_["warnings"] = std::move(warnings_);
        return std::move(out_);
    }
    // A VRT may refer to files of the call's inputs. The error does not disclose the place of any other.
    result<void> names_inputs_only() {
        if (published_.empty()) return {};
        dataset_files parts{file_, roots_};
        if (parts.add_listed(*dataset_)) return {};
        return wrong("it refers to a file that is not an input of the call in a workspace",
                     "a VRT cannot refer to managed results or files in archives; write them to files first");
    }
    // The names of the dataset's own files: those GDAL lists, and those it looked for and found.
    result<void> add_files(const file_trace& trace) {
        touch(*dataset_);
        std::error_code ec;
        const auto file = std::filesystem::canonical(file_, ec);
        dataset_files parts{file, roots_};
        auto ok = parts.add(file.string());
        if (ok) ok = parts.add_listed(*dataset_);
        if (ok) ok = parts.add_traced(trace.files(), false);
        if (!ok) return ok;
        json::array names, sidecars;
        for (const auto& f : parts.files()) {
            if (f.parent_path() != file.parent_path()) continue;
            const auto name = f.filename().string();
            names.emplace_back(name);
            if (f == file) continue;
            auto hex = base::sha256_hex_of_file(f);
            if (!hex) return tl::unexpected{hex.error()};
            sidecars.push_back(json::object{{"name", name}, {"sha256", std::move(*hex)}});
        }
        out_["files"] = std::move(names);
        if (!sidecars.empty()) out_["sidecars"] = std::move(sidecars);
        return {};
    }
    unsigned kind() const {
        if (role_ == "output-raster") return GDAL_OF_RASTER;
        if (role_ == "output-vector" || role_ == "output-table") return GDAL_OF_VECTOR;
        return GDAL_OF_RASTER | GDAL_OF_VECTOR;
    }
    tl::unexpected<base::problem> wrong(const std::string& what, std::string hint) const {
        return fail(code::verification_failed,
                    "the output " + file_.filename().string() + " did not pass its check: " + what, std::move(hint));
    }
    // A cloud-optimised GeoTIFF is opened by the GTiff driver, which knows what it is.
    std::string driver() const {
        const char* layout = dataset_->GetMetadataItem("LAYOUT", "IMAGE_STRUCTURE");
        return layout && std::string_view{layout} == "COG" ? "COG" : dataset_->GetDriverName();
    }
    const char* hint() const {
        return disk_is_full(file_.parent_path()) ? full_disk_hint : "report this to the tool's author";
    }
    void checked(std::string what) { checks_.emplace_back(std::move(what)); }

    static constexpr const char* defect_hint = "report this to the tool's author";

    result<void> same(const char* name, const json::value& there) {
        out_[name] = there;
        const auto* wanted = expect_.if_contains(name);
        if (!wanted) return {};
        if (*wanted != there)
            return wrong(std::string{name} + " is " + base::write_json(there) + ", but the tool declared " +
                             base::write_json(*wanted),
                         defect_hint);
        checked(std::string{name} + " = " + base::write_json(there));
        return {};
    }

    // Meaning is compared, not spelling: a format may store other names, another dialect or axis order. Real losses
    // become warnings. `extent`: of the data, in that CRS.
    result<void> crs(const OGRSpatialReference* srs, const OGREnvelope& extent) {
        const auto there = gdal::stated_crs(srs);
        out_["crs"] = gdal::crs_text(there);
        const auto* wanted = expect_.if_contains("crs");
        if (!wanted || !wanted->is_string()) return {};
        const std::string spelling{wanted->get_string()};
        const auto promised = spelling.empty() ? std::optional{OGRSpatialReference{}} : gdal::parse_crs(spelling);
        if (!promised) return wrong("the declared CRS '" + spelling + "' is invalid", defect_hint);
        const auto asked = gdal::crs_with_datum(*promised), stored = gdal::crs_with_datum(there);
        if (promised->IsEmpty() != there.IsEmpty())
            return wrong("its CRS is " + stored + ", requested was " + asked, format_hint);
        const auto alike = there.IsEmpty() ? gdal::crs_likeness::same : gdal::likeness(*promised, there, extent);
        if (alike == gdal::crs_likeness::different)
            return wrong("its CRS is " + definition(stored, there) + ", requested was " + definition(asked, *promised),
                         format_hint);
        if (alike == gdal::crs_likeness::other_datum)
            warnings_.emplace_back("the format keeps the projection but not the datum of the CRS: stored is " + stored +
                                   ", requested was " + asked + "; write to .gpkg or .tif to keep it");
        checked("CRS = " + (there.IsEmpty() ? "none" : gdal::crs_label(there)));
        return {};
    }
    static constexpr const char* format_hint =
        "the format may not hold this CRS; write to .gpkg (vector) or .tif (raster)";
    // Two CRSs can share name and datum and still differ: then only the definition tells them apart.
    static std::string definition(const std::string& shown, const OGRSpatialReference& srs) {
        return gdal::crs_code(srs).empty() ? shown + ": " + gdal::crs_text(srs) : shown;
    }

    result<void> plausible(const OGREnvelope& e, const OGRSpatialReference* srs) {
        const double b[] = {e.MinX, e.MinY, e.MaxX, e.MaxY};
        for (const double v : b)
            if (!std::isfinite(v))
                return wrong("its extent is not finite",
                             "check the input's coordinates with vector_info or raster_info");
        out_["bounds"] = json::array(b, b + 4);
        if (gdal::stated(srs) && gdal::detail::beyond_degrees(e, *srs))
            return wrong("its extent " + base::write_json(out_["bounds"]) +
                             " does not fit degrees, the unit of its CRS " + gdal::crs_label(*srs),
                         "the input's coordinates do not fit its CRS: where a few rows are wrong, leave them out with "
                         "'where' of vector_query; where all are, assign the true CRS with " +
                             std::string{kind() == GDAL_OF_VECTOR ? "vector_reproject"
                                                                  : "raster_reproject or vector_reproject"} +
                             " and src_crs");
        checked("extent is plausible");
        return {};
    }

    static OGREnvelope extent_of(GDALDataset& d) {
        OGREnvelope box;
        double t[6];
        if (d.GetGeoTransform(t) != CE_None) return box;
        const double w = d.GetRasterXSize(), h = d.GetRasterYSize();
        for (const double x : {0.0, w})
            for (const double y : {0.0, h}) box.Merge(t[0] + x * t[1] + y * t[2], t[3] + x * t[4] + y * t[5]);
        return box;
    }

    result<void> raster() {
        auto& d = *dataset_;
        const auto extent = extent_of(d);
        if (auto ok = crs(d.GetSpatialRef(), extent); !ok) return ok;
        const char* dtype = GDALGetDataTypeName(d.GetRasterBand(1)->GetRasterDataType());
        for (const auto& [name, value] : {std::pair<const char*, json::value>{"width", d.GetRasterXSize()},
                                          {"height", d.GetRasterYSize()},
                                          {"bands", d.GetRasterCount()},
                                          {"dtype", dtype}})
            if (auto ok = same(name, value); !ok) return ok;
        if (extent.IsInit())
            if (auto ok = plausible(extent, d.GetSpatialRef()); !ok) return ok;
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
            return wrong(std::string{"its last row cannot be read: "} + CPLGetLastErrorMsg(), hint());
        // The middle first: most rasters have data there.
        bool found = false;
        for (int k = 0; k < height && !found; ++k) {
            const int row = (height / 2 + k) % height;
            const auto valid = valid_in_row(row);
            if (!valid) return wrong("row " + std::to_string(row) + " cannot be read: " + CPLGetLastErrorMsg(), hint());
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
        if (d.GetLayerCount() == 0) return wrong("it has no layer", defect_hint);
        std::int64_t features = 0;
        OGREnvelope extent;
        const OGRSpatialReference* srs = nullptr;
        bool outlines = false;
        for (int i = 0; i < d.GetLayerCount(); ++i) {
            auto& l = *d.GetLayer(i);
            features += l.GetFeatureCount(TRUE);
            if (!srs) srs = l.GetSpatialRef();
            OGREnvelope e;
            outlines = outlines || l.GetGeomType() != wkbNone;
            if (l.GetGeomType() != wkbNone && l.GetExtent(&e, TRUE) == OGRERR_NONE) extent.Merge(e);
        }
        if (role_ != "output-table" || outlines)  // a table may keep the outlines its rows are of
            if (auto ok = crs(srs, extent); !ok) return ok;
        out_["feature_count"] = features;
        if (const auto* wanted = expect_.if_contains("features")) {
            if (*wanted != json::value(features))
                return wrong("it has " + std::to_string(features) + " features, but the tool declared " +
                                 base::write_json(*wanted),
                             defect_hint);
            checked(std::to_string(features) + " features");
        }
        if (features == 0) warnings_.emplace_back("the output has no features");
        return extent.IsInit() ? plausible(extent, srs) : result<void>{};
    }

    const std::filesystem::path& file_;
    const std::string& role_;
    const json::object& expect_;
    const std::filesystem::path& published_;
    const std::vector<std::filesystem::path>& roots_;
    gdal::dataset_ptr dataset_;
    json::object out_;
    json::array checks_, warnings_;
};

}  // namespace

result<json::object> verify_output(const runner::request& r) { return verification{r}.run(); }

}  // namespace gdalmcp::worker
