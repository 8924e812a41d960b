#include "gdal_output.hpp"

#include <gdalmcp/gdal_blocks.hpp>

#include "gdal_band_label.hpp"
#include "gdal_class_table.hpp"

namespace gdalmcp_datasets {

namespace gdal = gdalmcp::gdal;

void close(gdal::dataset_ptr written, const std::string& path) {
    CPLErrorReset();
    written->FlushCache(true);
    written.reset();
    if (CPLGetLastErrorType() >= CE_Failure) gdal::raise("cannot complete " + path);
}

void copy_meaning(GDALRasterBand& from, GDALRasterBand& to, const kept_meaning& keep) {
    to.SetDescription(band_label(from).c_str());
    if (keep.unit && from.GetUnitType()[0]) to.SetUnitType(from.GetUnitType());
    int has = 0;
    if (keep.scale) {
        if (const double v = from.GetScale(&has); has) to.SetScale(v);
        if (const double v = from.GetOffset(&has); has) to.SetOffset(v);
    }
    if (auto* colors = from.GetColorTable(); colors && keep.palette) to.SetColorTable(colors);
    if (!keep.classes) return;
    if (char** names = from.GetCategoryNames())
        to.SetCategoryNames(names);
    else if (from.GetDefaultRAT())
        keep_classes(from, to);
    if (from.GetColorInterpretation() != GCI_PaletteIndex) to.SetColorInterpretation(from.GetColorInterpretation());
}

void require_size(double columns, double rows, const std::string& name, const std::string& hint) {
    constexpr double most_cells = 2e10, longest_side = 2e9;
    if (columns <= longest_side && rows <= longest_side && columns * rows <= most_cells) return;
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                         name + " would have " + gdal::number_text(columns) + " × " + gdal::number_text(rows) +
                             " cells, more than the 2e10 (2e9 along a side) that one call writes",
                         hint};
}

raster_output::raster_output(const std::string& path, const grid& on, GDALDataType type, int bands,
                             const std::vector<std::string>& more)
    : path_{path} {
    require_size(on.width, on.height, "the raster", "choose larger cells or a smaller extent");
    auto& driver = creating_driver_for(path);
    gdal::words options;
    for (const auto& o : plain_options(driver)) options.add(o);
    for (const auto& o : more) options.add(o);
    file_.reset(driver.Create(path.c_str(), on.width, on.height, bands, type, options.get()));
    if (!file_) gdal::raise("cannot create " + path);
    auto transform = on.geotransform;
    if (on.georeferenced && file_->SetGeoTransform(transform.data()) != CE_None)
        gdal::raise("cannot georeference " + path);
    if (!on.crs.IsEmpty() && file_->SetSpatialRef(&on.crs) != CE_None) gdal::raise("cannot store the CRS in " + path);
}

void raster_output::nodata(double value) {
    for (auto&& b : file_->GetBands()) b->SetNoDataValue(value);
}

void raster_output::mask() {
    const CPLConfigOptionSetter internal{"GDAL_TIFF_INTERNAL_MASK", "YES", false};
    if (file_->CreateMaskBand(GMF_PER_DATASET) != CE_None) gdal::raise("cannot create a mask in " + path_);
}

void raster_output::tag(const std::map<std::string, std::string>& tags) {
    for (const auto& [key, value] : tags)
        if (file_->SetMetadataItem(key.c_str(), value.c_str()) != CE_None)
            gdal::raise("cannot store " + key + " in " + path_);
}

void raster_output::tag_as(GDALDataset& source) const {
    if (char** tags = source.GetMetadata()) file_->SetMetadata(tags);
}

void raster_output::close() { gdalmcp_datasets::close(std::move(file_), path_); }

gdal::dataset_ptr raster_output::flushed() {
    CPLErrorReset();
    file_->FlushCache();
    if (CPLGetLastErrorType() >= CE_Failure) gdal::raise("cannot write " + path_);
    return std::move(file_);
}

namespace {

// While it lives, keeps GDAL's first failure. Warnings still go to the call.
class first_failure {
public:
    explicit first_failure(gdalmcp::call& call) : call_{call} { CPLPushErrorHandlerEx(&first_failure::keep, this); }
    ~first_failure() {
        CPLPopErrorHandler();
        lost_.pass_on();
    }
    first_failure(const first_failure&) = delete;
    first_failure& operator=(const first_failure&) = delete;
    // Restores it as GDAL's last error.
    void restore() const {
        if (!message_.empty()) CPLErrorSetState(CE_Failure, number_, message_.c_str());
    }

private:
    static void CPL_STDCALL keep(CPLErr level, CPLErrorNum number, const char* message) {
        auto& self = *static_cast<first_failure*>(CPLGetErrorHandlerUserData());
        if (!self.lost_.hear(level, message) && level == CE_Warning) self.call_.warn(message);
        if (level != CE_Failure || !self.message_.empty()) return;
        self.number_ = number;
        self.message_ = message;
    }
    gdalmcp::call& call_;
    gdal::lost_cells lost_;
    CPLErrorNum number_ = 0;
    std::string message_;
};

// GDAL's netCDF takes the places along a further axis from the whole file, which may have had other bands or another
// order; those of the bands themselves move with them.
void settle_axis(GDALDataset& source) {
    const char* extra = source.GetMetadataItem("NETCDF_DIM_EXTRA");
    const std::string braced = extra ? extra : "";
    if (braced.size() < 3 || braced.find(',') != std::string::npos) return;
    const auto key = "NETCDF_DIM_" + braced.substr(1, braced.size() - 2);
    std::string values;
    for (auto&& band : source.GetBands()) {
        const char* place = band->GetMetadataItem(key.c_str());
        if (!place) return;
        values += (values.empty() ? "" : ",") + std::string{place};
    }
    const CPLStringList length_and_type{CSLTokenizeString2(source.GetMetadataItem((key + "_DEF").c_str()), "{,}", 0)};
    if (length_and_type.size() != 2) return;
    const auto length = std::to_string(source.GetRasterCount());
    source.SetMetadataItem((key + "_DEF").c_str(), ("{" + length + "," + length_and_type[1] + "}").c_str());
    source.SetMetadataItem((key + "_VALUES").c_str(), ("{" + values + "}").c_str());
}

}  // namespace

void copy_raster(gdalmcp::call& call, GDALDataset& source, const std::string& path, GDALDriver& driver,
                 const copy_terms& terms) {
    gdal::words options;
    for (const auto& o : terms.options) options.add(o);
    // A history of GDAL's own would name the stage of the output and the time: no two files would be the same.
    if (EQUAL(driver.GetDescription(), "netCDF")) {
        options.add("WRITE_GDAL_HISTORY=NO");
        settle_axis(source);
    }
    gdal::step part{call, terms.from, terms.to};
    const first_failure reason{call};
    CPLErrorReset();
    gdal::dataset_ptr out{driver.CreateCopy(path.c_str(), &source, terms.strict ? TRUE : FALSE, options.get(),
                                            gdal::step::report, &part)};
    const bool made = out && CPLGetLastErrorType() < CE_Failure;
    out.reset();  // some drivers write only now
    if (made && CPLGetLastErrorType() < CE_Failure) return;
    call.progress(terms.to);  // the reason may be that the call was cancelled
    reason.restore();
    gdal::raise_if_unreadable(source, [&] { call.progress(terms.to); });
    gdal::raise(std::string{"cannot write "} + CPLGetFilename(path.c_str()) + " as " + driver.GetDescription(),
                terms.hint);
}

gdal::dataset_ptr create_vector(const std::string& path, const char* driver, CSLConstList options) {
    auto* by_name = GetGDALDriverManager()->GetDriverByName(driver);
    if (!by_name)
        throw gdalmcp::error{GDALMCP_UNSUPPORTED, std::string{"this GDAL has no "} + driver + " driver",
                             "choose another extension for 'output'"};
    // MB of pages: with SQLite's own 2 MB the spatial index of a million features is written to disk many times over.
    const CPLConfigOptionSetter pages{"OGR_SQLITE_CACHE", "256", true};
    gdal::dataset_ptr made{by_name->Create(path.c_str(), 0, 0, 0, GDT_Unknown, const_cast<char**>(options))};
    if (!made) gdal::raise("cannot create " + path);
    if (made->TestCapability(ODsCTransactions) && made->StartTransaction() != OGRERR_NONE)
        gdal::raise("cannot begin writing " + path);
    return made;
}

OGRLayer& create_table(GDALDataset& file, const std::string& path, const char* name, bool keeps_text) {
    CPLStringList options;
    if (keeps_text && EQUAL(file.GetDriverName(), "CSV")) options.SetNameValue("CREATE_CSVT", "YES");
    auto* layer = file.CreateLayer(name, nullptr, wkbNone, options.List());
    if (!layer) gdal::raise("cannot create " + path);
    return *layer;
}

void close_vector(gdal::dataset_ptr written, const std::string& path) {
    CPLErrorReset();
    if (written->TestCapability(ODsCTransactions) && written->CommitTransaction() != OGRERR_NONE)
        gdal::raise("cannot complete " + path);
    close(std::move(written), path);
}

}  // namespace gdalmcp_datasets
