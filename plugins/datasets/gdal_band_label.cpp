#include "gdal_band_label.hpp"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdalmcp/cf_time.hpp>
#include <gdalmcp/gdal.hpp>

#include <algorithm>
#include <cstdlib>

namespace gdalmcp_datasets {
namespace {

std::string item(GDALMajorObject* of, const std::string& key) {
    const char* value = of ? of->GetMetadataItem(key.c_str()) : nullptr;
    return value ? value : "";
}

void append(std::string& to, const std::string& part) {
    // Outputs are named after the label of their source, and may keep its items too.
    if (!part.empty() && to.find(part) == std::string::npos) to += (to.empty() ? "" : ", ") + part;
}

// "level 850 hPa", or "time 1999-01-15".
std::string coordinate(const std::string& name, const std::string& value, const std::string& units,
                       const std::string& calendar) {
    char* end = nullptr;
    const double number = CPLStrtod(value.c_str(), &end);
    if (end != value.c_str() && *end == '\0')
        if (const auto date = gdalmcp::cf_date(number, units, calendar)) return name + " " + *date;
    return name + " " + value + (units.empty() || units == "1" ? "" : " " + units);
}

// The coordinates of a slice of a Zarr array, ZARR:"/a/b.zarr":/t2m:14:0, which GDAL names by its indices alone.
void append_slice(std::string& label, GDALDataset* dataset) {
    if (!dataset || !dataset->GetDriver() || !EQUAL(dataset->GetDriver()->GetDescription(), "Zarr")) return;
    const std::string name = dataset->GetDescription();
    const auto from = name.find('"'), to = name.rfind('"');
    if (from == to || to + 2 >= name.size()) return;
    const CPLStringList parts{CSLTokenizeString2(name.c_str() + to + 2, ":", 0)};
    const char* const drivers[] = {"Zarr", nullptr};
    const gdalmcp::gdal::dataset_ptr file{
        GDALDataset::Open(name.substr(from + 1, to - from - 1).c_str(), GDAL_OF_MULTIDIM_RASTER, drivers)};
    const auto root = file ? file->GetRootGroup() : nullptr;
    const auto array = root && parts.size() > 1 ? root->OpenMDArrayFromFullname(parts[0]) : nullptr;
    for (int i = 1; array && i < parts.size() && static_cast<std::size_t>(i) <= array->GetDimensionCount(); ++i) {
        const auto& axis = array->GetDimensions()[static_cast<std::size_t>(i - 1)];
        const auto positions = axis->GetIndexingVariable();
        const GUInt64 at = std::strtoull(parts[i], nullptr, 10);
        const std::size_t one = 1;
        double value = 0;
        if (!positions || positions->GetDimensionCount() != 1 ||
            !positions->Read(&at, &one, nullptr, nullptr, GDALExtendedDataType::Create(GDT_Float64), &value))
            continue;
        const auto calendar = positions->GetAttribute("calendar");
        const char* which = calendar ? calendar->ReadAsString() : nullptr;
        append(label,
               coordinate(axis->GetName(), CPLSPrintf("%.15g", value), positions->GetUnit(), which ? which : ""));
    }
}

}  // namespace

std::string band_label(GDALRasterBand& band) {
    std::string label = band.GetDescription();
    const CPLStringList items{CSLDuplicate(band.GetMetadata())};
    for (int i = 0; i < items.size(); ++i) {
        const std::string_view entry{items[i]};
        const std::string key{entry.substr(0, entry.find('='))},
            value{entry.substr(std::min(key.size() + 1, entry.size()))};
        const auto tail = key.size() > 10 ? key.size() - 6 : 0;
        if (key.rfind("NETCDF_DIM_", 0) == 0) {
            const auto name = key.substr(11);
            append(label, coordinate(name, value, item(band.GetDataset(), name + "#units"),
                                     item(band.GetDataset(), name + "#calendar")));
        } else if (key.rfind("DIM_", 0) == 0 && tail > 0 && key.substr(tail) == "_VALUE") {  // of arrays since GDAL 3.8
            const auto name = key.substr(4, tail - 4);
            append(label, coordinate(name, value, item(&band, "DIM_" + name + "_UNIT"), {}));
        }
    }
    append_slice(label, band.GetDataset());
    if (const auto valid = item(&band, "GRIB_VALID_TIME"); !valid.empty())
        if (const auto date = gdalmcp::cf_date(CPLAtof(valid.c_str()), "seconds since 1970-01-01"))
            append(label, "valid " + *date);
    return label;
}

std::string doubt_of_order(const bands_in_order& first, const bands_in_order& later, bool may_move) {
    const auto names_of = [&](const bands_in_order& of) {
        std::vector<std::string> names;
        for (const int b : of.numbers) {
            auto& band = *of.raster.GetRasterBand(b);
            names.push_back(may_move ? std::string{band.GetDescription()} : band_label(band));
        }
        return names;
    };
    const auto text = [](const bands_in_order& of, std::size_t i) {
        return "band " + std::to_string(of.numbers[i]) + " of " + of.path + " ";
    };
    const auto placed = [](const bands_in_order& of, std::size_t i, const std::string& name) {
        return name != of.raster.GetRasterBand(of.numbers[i])->GetDescription();
    };
    const auto names = names_of(first), others = names_of(later);
    for (std::size_t i = 0; i < std::min(names.size(), others.size()); ++i) {
        if (others[i].empty() || others[i] == names[i]) continue;
        const bool elsewhere = std::find(names.begin(), names.end(), others[i]) != names.end();
        if (elsewhere || (placed(first, i, names[i]) && placed(later, i, others[i])))
            return text(later, i) + "is '" + others[i] + "', " + text(first, i) + "'" + names[i] +
                   "', and they were combined" +
                   (elsewhere ? "; raster_query with bands brings them into one order" : "");
    }
    return {};
}

}  // namespace gdalmcp_datasets
