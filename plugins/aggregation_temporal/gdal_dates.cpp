#include "gdal_dates.hpp"

#include <cpl_conv.h>
#include <gdalmcp/cf_time.hpp>

#include "datasets/gdal_band_label.hpp"

namespace gdalmcp_temporal {
namespace {

using precision = observation_date::precision;

// The day that a band's label states; nullopt: none, several, or only a month or a year. "time 5 months since
// 1990-01-01" is a time whose unit has no fixed length: the day in it is that of no band.
std::optional<observation_date> day_of(GDALRasterBand& band) {
    auto label = gdalmcp_datasets::band_label(band);
    for (std::size_t at; (at = label.find(" since ")) != std::string::npos;)
        label.erase(at, std::min(label.find(", ", at), label.size()) - at);
    const auto found = dates_in_name(label).dates;
    if (found.size() != 1 || found.front().known != precision::day) return std::nullopt;
    return found.front();
}

struct candidate {
    std::string from;
    observation_date date;
};

void add_item(std::vector<candidate>& all, GDALDataset& dataset, const char* key, const char* domain) {
    const char* text = dataset.GetMetadataItem(key, domain);
    if (!text || std::string_view{text} == gdalmcp::unread_acquisition) return;
    if (const auto d = date_in(text)) all.push_back({key, *d});
}

// Of a Landsat scene: "L1_METADATA_FILE.PRODUCT_METADATA.DATE_ACQUIRED=2015-08-04", from the file beside it.
void add_scene(std::vector<candidate>& all, GDALDataset& dataset) {
    for (char** item = dataset.GetMetadata("IMD"); item && *item; ++item) {
        const std::string_view entry{*item};
        constexpr std::string_view key = ".DATE_ACQUIRED=";
        if (const auto at = entry.find(key); at != std::string_view::npos)
            if (const auto d = date_in(std::string{entry.substr(at + key.size())}))
                all.push_back({"DATE_ACQUIRED", *d});
    }
}

}  // namespace

bool bands_differ_in_date(GDALDataset& dataset, const std::vector<int>& bands) {
    std::optional<std::string> first;
    bool differ = false;
    for (const int n : bands) {
        const auto day = day_of(*dataset.GetRasterBand(n));
        if (!day) return false;
        differ = differ || (first && *first != day->text);
        first = first.value_or(day->text);
    }
    return differ;
}

void date_band(GDALRasterBand& band, observation& o) {
    o.date = day_of(band);
    o.date_from = o.date ? "band" : "";
    if (!o.date) {
        const auto label = gdalmcp_datasets::band_label(band);
        o.doubt = label.empty() ? "it has no label"
                  : label.find(" since ") == std::string::npos
                      ? "its label '" + label + "' states no single day"
                      : "its label '" + label + "' counts in no unit of fixed length, or in no known calendar";
    }
}

void date_file(GDALDataset& dataset, const std::string& path, observation& o) {
    std::vector<candidate> all;
    if (const auto day = day_of(*dataset.GetRasterBand(o.bands.front()))) all.push_back({"band", *day});
    add_item(all, dataset, "ACQUISITIONDATETIME", "IMAGERY");
    add_item(all, dataset, "ACQUISITIONDATETIME", nullptr);
    add_item(all, dataset, "DATE_ACQUIRED", nullptr);
    add_scene(all, dataset);
    const std::string name = CPLGetFilename(path.c_str());
    const auto named = dates_in_name(name);
    const auto& in_name = named.dates;
    if (in_name.size() == 1) all.push_back({"file name", in_name.front()});
    add_item(all, dataset, "TIFFTAG_DATETIME", nullptr);
    if (all.empty() && in_name.empty()) {
        o.doubt = "neither its metadata nor its name states one";
        return;
    }
    if (all.empty()) {
        all.push_back({"file name", in_name.front()});
        o.doubt = "its name states " + in_name[0].text + ", which was taken, and " + in_name[1].text;
    }
    o.date = all.front().date;
    o.date_from = all.front().from;
    for (const auto& other : all)
        if (o.doubt.empty() && !same_date(all.front().date, other.date))
            o.doubt = all.front().from + " states " + all.front().date.text + ", " + other.from + " " + other.date.text;
    if (o.doubt.empty() && all.front().from == "file name" && !named.unread.empty())
        o.doubt = "only the year of '" + named.unread + "' in its name is read";
    if (o.doubt.empty() && in_name.size() > 1 && all.front().from == "TIFFTAG_DATETIME")
        o.doubt = "its name states " + in_name[0].text + " and " + in_name[1].text + ", TIFFTAG_DATETIME " +
                  all.front().date.text;
}

}  // namespace gdalmcp_temporal
