#include "gdal_series_table.hpp"

#include "datasets/gdal_output.hpp"

namespace gdalmcp_aggregation_more {

void series_table::require_csv(const std::string& path) {
    const std::string extension = CPLGetExtension(path.c_str());
    if (EQUAL(extension.c_str(), "csv")) return;
    throw gdalmcp::error{GDALMCP_UNSUPPORTED, "a table of series is not written into a file named ." + extension,
                         "name the output .csv"};
}

series_table::series_table(const std::string& path, const series_columns& with) : path_{path}, with_{with} {
    file_ = gdalmcp_datasets::create_vector(path, "CSV");
    layer_ = file_->CreateLayer("series", nullptr, wkbNone);
    if (!layer_) gdalmcp::gdal::raise("cannot create " + path);
    const auto add = [&](const char* name, OGRFieldType type) {
        OGRFieldDefn field{name, type};
        if (layer_->CreateField(&field) != OGRERR_NONE)
            gdalmcp::gdal::raise("cannot add the column " + std::string{name} + " to " + path_);
    };
    add("place", OFTString);
    // GDAL's CSV driver quotes whole-number columns as if they were text, but not real ones.
    add("observation", OFTReal);
    add("date", OFTString);
    add("value", OFTReal);
    if (with.data_share) add("data_share", OFTReal);
    if (with.excluded) add("excluded", OFTReal);
    if (with.run) add("run", OFTReal);
}

void series_table::add(const series_row& r) {
    OGRFeature row{layer_->GetLayerDefn()};
    int field = 0;
    const auto set = [&](std::optional<double> number) {
        if (number) row.SetField(field, *number);
        ++field;
    };
    row.SetField(field++, r.place.c_str());
    set(static_cast<double>(r.observation));
    if (!r.date.empty()) row.SetField(field, r.date.c_str());
    ++field;
    set(r.value);
    if (with_.data_share) set(r.data_share);
    if (with_.excluded) set(r.excluded);
    if (with_.run) set(r.run ? std::optional{static_cast<double>(*r.run)} : std::nullopt);
    if (layer_->CreateFeature(&row) != OGRERR_NONE) gdalmcp::gdal::raise("cannot write a row to " + path_);
}

void series_table::close() { gdalmcp_datasets::close_vector(std::move(file_), path_); }

}  // namespace gdalmcp_aggregation_more
