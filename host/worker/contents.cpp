#include "worker/contents.hpp"

#include <cpl_string.h>
#include <gdalmcp/gdal_class_names.hpp>
#include <gdalmcp/gdal_crs.hpp>
#include <gdalmcp/gdal_extent.hpp>
#include <gdalmcp/gdal_subdatasets.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include "base/text.hpp"
#include "worker/contents_times.hpp"
#include "worker/inputs.hpp"

namespace gdalmcp::worker {

namespace json = base::json;
namespace fs = std::filesystem;

std::string name_to_open(const fs::path& file, const runner::request& r) {
    std::error_code ec;
    const auto extension = base::lower_ascii(file.extension().string());
    const bool journal = fs::exists(file.string() + "-wal", ec) || fs::exists(file.string() + "-journal", ec);
    if (!journal && extension != ".zip" && extension != ".gz" && extension != ".tar" && extension != ".tgz")
        return file.string();
    const auto opened = open_input({"", file, file.string(), "input-any"}, r.roots, r.scratch, false);
    return opened ? opened->dataset : file.string();
}

namespace {

constexpr std::size_t max_texts = 200;                 // of one field or band
constexpr std::size_t max_text = 80;                   // bytes; longer values are prose
constexpr std::size_t max_name = 200;                  // bytes of a name
constexpr std::size_t max_bytes = 48 * 1024;           // of all texts of a file
constexpr int max_parts = 300;                         // layers, fields of a layer, bands
constexpr int max_subdatasets = 32;                    // opened for their extents and times
constexpr std::int64_t max_rows = 200'000;             // read for values and dates
constexpr std::int64_t max_measured = 20'000;          // rows read for an extent
constexpr std::chrono::milliseconds max_scan{300};     // of one layer
constexpr std::uintmax_t max_typed_table = 32u << 20;  // bytes; types of a larger table are not recognised
constexpr std::array<const char*, 9> names_of_years{"year", "yr",  "jahr", "annee", "année",
                                                    "ano",  "año", "anno", "rok"};

// The texts of one group: the fields of a layer, the values of a field.
class group {
public:
    group(std::string what, std::string in) : what_{std::move(what)}, in_{std::move(in)} {}
    bool empty() const { return texts_.empty() && !cut_; }
    bool full() const { return cut_ && texts_.size() >= max_texts; }
    void cut() { cut_ = true; }
    void add(std::string_view text, std::size_t longest) {
        while (!text.empty() && (text.back() == ' ' || text.back() == '\0')) text.remove_suffix(1);
        if (text.empty()) return;
        if (text.size() > longest) {
            cut_ = true;
            return;
        }
        if (known_.count(std::string{text})) return;
        if (texts_.size() >= max_texts) {
            cut_ = true;
            return;
        }
        known_.emplace(text);
        texts_.emplace_back(text);
    }
    // `room`: bytes left of the file's.
    json::object told(std::size_t& room) const {
        json::array texts;
        bool cut = cut_;
        for (const auto& text : texts_) {
            if (text.size() + 4 > room) {
                cut = true;
                break;
            }
            room -= text.size() + 4;
            texts.emplace_back(base::scrub_utf8(text));
        }
        json::object o{{"what", what_}, {"in", base::scrub_utf8(in_)}, {"texts", std::move(texts)}};
        if (cut) o["cut"] = true;
        return o;
    }

private:
    std::string what_, in_;
    std::vector<std::string> texts_;
    std::set<std::string> known_;
    bool cut_ = false;
};

// Everything said about one file.
class description {
public:
    explicit description(const fs::path& file) : folder_{file.parent_path().string() + "/"} {}

    void read(GDALDataset& d) {
        add_titles(d, "");
        add_metadata_times(d, times_);
        if (d.GetRasterCount() > 0) add_raster(d, "");
        if (d.GetMetadata("SUBDATASETS")) add_subdatasets(d);
        for (int i = 0; i < std::min(d.GetLayerCount(), max_parts); ++i) add_layer(d, *d.GetLayer(i));
        if (d.GetLayerCount() > max_parts) unread_.push_back("layers after the first " + std::to_string(max_parts));
    }

    json::object told(const std::string& driver) {
        json::array kinds, texts, unread, unread_dates;
        for (const auto& k : kinds_) kinds.emplace_back(k);
        std::size_t room = max_bytes;
        // Names before values, which are what may be cut.
        for (const bool values : {false, true})
            for (const auto& [is_value, g] : groups_)
                if (is_value == values && !g.empty()) texts.push_back(g.told(room));
        for (const auto& u : unread_) unread.emplace_back(base::scrub_utf8(u));
        for (const auto& u : unread_dates_) unread_dates.emplace_back(base::scrub_utf8(u));
        return {{"driver", driver},
                {"kinds", std::move(kinds)},
                {"texts", std::move(texts)},
                {"extents", std::move(extents_)},
                {"times", std::move(times_)},
                {"unplaced", unplaced_ || extents_.empty()},
                {"unread", std::move(unread)},
                {"unread_dates", std::move(unread_dates)}};
    }

private:
    void add(group g, bool values = false) { groups_.emplace_back(values, std::move(g)); }
    void add_name(const char* what, std::string_view in, std::string_view name) {
        group g{what, std::string{in}};
        std::string text{name};
        // Names of subdatasets may hold the path of the file, which is no content of it.
        for (auto at = text.find(folder_); at != std::string::npos; at = text.find(folder_))
            text.erase(at, folder_.size());
        g.add(base::shortened(base::scrub_utf8(text), max_name), max_name);
        add(std::move(g));
    }

    void add_titles(GDALMajorObject& of, std::string_view in) {
        constexpr std::array known{"title",
                                   "summary",
                                   "description",
                                   "keywords",
                                   "subject",
                                   "identifier",
                                   "abstract",
                                   "long_name",
                                   "standard_name",
                                   "spacecraft_id",
                                   "sensor_id",
                                   "tifftag_imagedescription",
                                   "tifftag_documentname",
                                   "satelliteid",
                                   "sensor"};
        const CPLStringList items{CSLDuplicate(of.GetMetadata())};
        for (int i = 0; i < items.size(); ++i) {
            const std::string_view entry{items[i]};
            auto key = base::lower_ascii(entry.substr(0, entry.find('=')));
            const auto value = entry.substr(std::min(key.size() + 1, entry.size()));
            key = key.substr(key.find('#') == std::string::npos ? 0 : key.find('#') + 1);
            if (std::find(known.begin(), known.end(), key) != known.end()) add_name("title", in, value);
        }
    }

    void place(const OGREnvelope& box, const OGRSpatialReference* srs, std::string_view in) {
        const auto b = srs ? gdal::wgs84_bounds(box, *srs) : std::nullopt;
        if (!b) {
            unplaced_ = true;
            return;
        }
        extents_.push_back(json::object{{"in", base::scrub_utf8(in)}, {"bounds", json::array(b->begin(), b->end())}});
    }

    void add_raster(GDALDataset& d, std::string_view in) {
        kinds_.insert("raster");
        double t[6];
        if (d.GetGeoTransform(t) == CE_None) {
            OGREnvelope e;
            for (const double x : {0.0, static_cast<double>(d.GetRasterXSize())})
                for (const double y : {0.0, static_cast<double>(d.GetRasterYSize())})
                    e.Merge(t[0] + x * t[1] + y * t[2], t[3] + x * t[4] + y * t[5]);
            place(e, gdal::stated(d.GetSpatialRef()), in);
        } else if (d.GetGCPCount() > 0) {
            OGREnvelope e;
            for (int i = 0; i < d.GetGCPCount(); ++i) e.Merge(d.GetGCPs()[i].dfGCPX, d.GetGCPs()[i].dfGCPY);
            place(e, gdal::stated(d.GetGCPSpatialRef()), in);
        } else {
            unplaced_ = true;
        }
        add_axis_times(d, times_);
        add_bands(d, std::string{in});
    }

    void add_bands(GDALDataset& d, const std::string& in) {
        for (int b = 1; b <= std::min(d.GetRasterCount(), max_parts); ++b) {
            auto& band = *d.GetRasterBand(b);
            const auto name = "band " + std::to_string(b) + (in.empty() ? "" : " of " + in);
            if (*band.GetDescription()) add_name("band", name, band.GetDescription());
            add_titles(band, name);
            group classes{"category", name};
            const gdal::class_names named{band};
            for (const auto& [code, text] : named.all()) classes.add(text, max_name);
            add(std::move(classes), true);
        }
        if (d.GetRasterCount() > max_parts) unread_.push_back("bands after the first " + std::to_string(max_parts));
    }

    void add_subdatasets(GDALDataset& d) {
        kinds_.insert("raster");
        const auto names = gdal::subdataset_names(d);
        const auto paths = gdal::subdataset_paths(d);
        for (std::size_t i = 0; i < names.size() && i < static_cast<std::size_t>(max_parts); ++i) {
            add_name("variable", "", names[i]);
            const auto key = "SUBDATASET_" + std::to_string(i + 1) + "_DESC";
            if (const char* said = d.GetMetadataItem(key.c_str(), "SUBDATASETS")) add_name("title", "", said);
            if (i >= static_cast<std::size_t>(max_subdatasets)) continue;
            const gdal::dataset_ptr inner{GDALDataset::Open(paths[i].c_str(), GDAL_OF_RASTER)};
            if (inner && inner->GetRasterCount() > 0) add_raster(*inner, names[i]);
        }
        if (names.size() > static_cast<std::size_t>(max_subdatasets))
            unread_.push_back("dates and extents of variables after the first " + std::to_string(max_subdatasets));
    }

    void add_layer(GDALDataset& d, OGRLayer& layer) {
        const std::string name = layer.GetName();
        const bool geometries = layer.GetGeomType() != wkbNone;
        kinds_.insert(geometries ? "vector" : "table");
        add_name("layer", "", name);
        add_titles(layer, name);
        if (geometries) {
            OGREnvelope e;
            const bool cheap = layer.TestCapability(OLCFastGetExtent);
            const auto rows = layer.GetFeatureCount(FALSE);
            if (rows != 0) {
                if (layer.GetExtent(&e, cheap || (rows > 0 && rows <= max_measured)) == OGRERR_NONE && e.IsInit())
                    place(e, gdal::stated(layer.GetSpatialRef()), name);
                else
                    unplaced_ = true;
            }
        }
        add_fields(d, layer, name);
    }

    void add_fields(GDALDataset& d, OGRLayer& layer, const std::string& name) {
        auto& definition = *layer.GetLayerDefn();
        const int count = std::min(definition.GetFieldCount(), max_parts);
        group fields{"field", name};
        for (int i = 0; i < count; ++i) {
            const auto& f = *definition.GetFieldDefn(i);
            fields.add(f.GetNameRef(), max_name);
            if (*f.GetAlternativeNameRef()) fields.add(f.GetAlternativeNameRef(), max_name);
            if (!f.GetDomainName().empty()) add_domain(d, f, name);
        }
        if (definition.GetFieldCount() > max_parts) fields.cut();
        add(std::move(fields));
        add_values(layer, name, count);
    }

    void add_domain(GDALDataset& d, const OGRFieldDefn& f, const std::string& layer) {
        const auto* domain = d.GetFieldDomain(f.GetDomainName());
        if (!domain || domain->GetDomainType() != OFDT_CODED) return;
        group names{"category", layer + "." + f.GetNameRef()};
        const auto* codes = static_cast<const OGRCodedFieldDomain*>(domain)->GetEnumeration();
        for (const auto* c = codes; c && c->pszCode; ++c)
            if (c->pszValue) names.add(c->pszValue, max_name);
        add(std::move(names), true);
    }

    struct column {
        int at;
        bool is_year;
        span_of_days days;
    };

    static bool names_a_year(const OGRFieldDefn& f) {
        const auto name = base::lower_ascii(f.GetNameRef());
        return (f.GetType() == OFTInteger || f.GetType() == OFTInteger64 || f.GetType() == OFTString) &&
               std::find(names_of_years.begin(), names_of_years.end(), name) != names_of_years.end();
    }

    static void see(const OGRFeature& f, column& c) {
        if (!f.IsFieldSetAndNotNull(c.at)) return;
        if (c.is_year) {
            const auto year = f.GetFieldAsInteger64(c.at);
            if (year >= 1000 && year <= 2500) c.days.add(std::to_string(year));
            return;
        }
        int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, zone = 0;
        if (f.GetFieldAsDateTime(c.at, &year, &month, &day, &hour, &minute, &second, &zone) && year > 0)
            c.days.add(year * 10000 + month * 100 + day);
    }

    // Of text fields and times, in one pass over the rows.
    void add_values(OGRLayer& layer, const std::string& name, int count) {
        auto& definition = *layer.GetLayerDefn();
        std::vector<std::pair<int, group>> texts;
        std::vector<column> times;
        CPLStringList ignored;
        ignored.AddString("OGR_GEOMETRY");
        ignored.AddString("OGR_STYLE");
        for (int i = 0; i < definition.GetFieldCount(); ++i) {
            const auto& f = *definition.GetFieldDefn(i);
            const bool date = f.GetType() == OFTDate || f.GetType() == OFTDateTime;
            const bool text = f.GetType() == OFTString || f.GetType() == OFTStringList;
            if (i < count && (date || names_a_year(f))) times.push_back({i, !date, {}});
            if (i < count && text) texts.emplace_back(i, group{"value", name + "." + f.GetNameRef()});
            if (i >= count || !(date || text || names_a_year(f))) ignored.AddString(f.GetNameRef());
        }
        if (!texts.empty() || !times.empty()) {
            if (layer.TestCapability(OLCIgnoreFields)) layer.SetIgnoredFields(const_cast<const char**>(ignored.List()));
            if (!scan(layer, texts, times)) {
                for (auto& [at, g] : texts) g.cut();
                if (!times.empty()) unread_dates_.push_back("the dates of all rows of '" + name + "'");
            }
        }
        for (auto& [at, g] : texts) add(std::move(g), true);
        for (const auto& c : times)
            c.days.put(times_, "field " + name + "." + definition.GetFieldDefn(c.at)->GetNameRef());
    }

    // False: it ended before the last row.
    static bool scan(OGRLayer& layer, std::vector<std::pair<int, group>>& texts, std::vector<column>& times) {
        const auto end = std::chrono::steady_clock::now() + max_scan;
        std::int64_t rows = 0;
        layer.ResetReading();
        while (const OGRFeatureUniquePtr f{layer.GetNextFeature()}) {
            if (++rows > max_rows || (rows % 256 == 0 && std::chrono::steady_clock::now() > end)) return false;
            bool wanted = !times.empty();
            for (auto& [at, g] : texts) {
                wanted = wanted || !g.full();
                if (!f->IsFieldSetAndNotNull(at)) continue;
                if (f->GetFieldDefnRef(at)->GetType() == OFTString) {
                    g.add(f->GetFieldAsString(at), max_text);
                    continue;
                }
                for (char** one = f->GetFieldAsStringList(at); one && *one; ++one) g.add(*one, max_text);
            }
            for (auto& c : times) see(*f, c);
            if (!wanted) return false;
        }
        return true;
    }

    const std::string folder_;
    std::set<std::string> kinds_;
    std::vector<std::pair<bool, group>> groups_;  // whether it holds values
    json::array extents_, times_;
    std::vector<std::string> unread_, unread_dates_;
    bool unplaced_ = false;
};

json::object seen(const fs::path& file, const runner::request& r) {
    const gdal::quiet silence;
    const auto name = name_to_open(file, r);
    std::error_code ec;
    const auto size = fs::file_size(file, ec);
    const bool large = !ec && size > max_typed_table;
    const unsigned kinds = GDAL_OF_RASTER | GDAL_OF_VECTOR;
    const auto d = large ? gdal::open_untyped(name, kinds) : gdal::open_dataset(name, kinds);
    if (!d) return {{"driver", ""}};
    description all{file};
    all.read(*d);
    return all.told(d->GetDriverName());
}

}  // namespace

json::array contents(const runner::request& r) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds{r.budget_ms};
    json::array all;
    for (const auto& f : r.files) {
        all.push_back(seen(f, r));
        if (std::chrono::steady_clock::now() > end) break;
    }
    return all;
}

}  // namespace gdalmcp::worker
