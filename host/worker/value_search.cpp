#include "worker/value_search.hpp"

#include <cpl_string.h>
#include <gdalmcp/gdal.hpp>
#include <gdalmcp/gdal_open.hpp>
#include <gdalmcp/gdal_table_encoding.hpp>

#include <chrono>
#include <set>

#include "base/folded_words.hpp"
#include "base/text.hpp"
#include "worker/contents.hpp"

namespace gdalmcp::worker {

namespace json = base::json;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t max_told = 200;  // bytes of a value in the answer

class search {
public:
    search(const std::vector<std::string>& terms, steady_clock::time_point end) : end_{end} {
        for (const auto& t : terms) terms_.push_back(base::folded_words(t));
    }

    json::object in(GDALDataset& d) {
        json::array found;
        std::set<std::size_t> left;
        for (std::size_t i = 0; i < terms_.size(); ++i) left.insert(i);
        bool complete = true;
        for (int i = 0; i < d.GetLayerCount() && !left.empty(); ++i)
            complete = in(*d.GetLayer(i), left, found) && complete;
        return {{"found", std::move(found)}, {"complete", complete || left.empty()}};
    }

private:
    // False: time ran out before the last row.
    bool in(OGRLayer& layer, std::set<std::size_t>& left, json::array& found) const {
        auto& definition = *layer.GetLayerDefn();
        std::vector<int> columns;
        CPLStringList ignored;
        ignored.AddString("OGR_GEOMETRY");
        ignored.AddString("OGR_STYLE");
        for (int i = 0; i < definition.GetFieldCount(); ++i) {
            const auto type = definition.GetFieldDefn(i)->GetType();
            if (type == OFTString || type == OFTStringList)
                columns.push_back(i);
            else
                ignored.AddString(definition.GetFieldDefn(i)->GetNameRef());
        }
        if (columns.empty()) return true;
        if (layer.TestCapability(OLCIgnoreFields)) layer.SetIgnoredFields(const_cast<const char**>(ignored.List()));
        layer.ResetReading();
        std::size_t rows = 0;
        while (const OGRFeatureUniquePtr f{layer.GetNextFeature()}) {
            if (++rows % 256 == 0 && steady_clock::now() > end_) return false;
            for (const int at : columns)
                if (f->IsFieldSetAndNotNull(at)) see(*f, at, layer, left, found);
            if (left.empty()) return true;
        }
        return true;
    }

    void see(const OGRFeature& f, int at, OGRLayer& layer, std::set<std::size_t>& left, json::array& found) const {
        std::string text = f.GetFieldAsString(at);
        if (!CPLIsUTF8(text.data(), static_cast<int>(text.size()))) text = gdal::detail::to_utf8(text, "CP1252");
        const auto words = base::folded_words(text);
        for (auto it = left.begin(); it != left.end();) {
            if (base::like(terms_[*it], words) == base::likeness::none) {
                ++it;
                continue;
            }
            const auto in = std::string{layer.GetName()} + "." + layer.GetLayerDefn()->GetFieldDefn(at)->GetNameRef();
            found.push_back(json::object{{"term", *it},
                                         {"in", base::scrub_utf8(in)},
                                         {"text", base::shortened(base::scrub_utf8(text), max_told)}});
            it = left.erase(it);
        }
    }

    std::vector<std::vector<std::string>> terms_;
    const steady_clock::time_point end_;
};

}  // namespace

json::array search_values(const runner::request& r) {
    const auto end = steady_clock::now() + std::chrono::milliseconds{r.budget_ms};
    search terms{r.spellings, end};
    json::array all;
    for (const auto& file : r.files) {
        if (steady_clock::now() > end) break;
        const gdal::quiet silence;
        const auto d = gdal::open_untyped(name_to_open(file, r), GDAL_OF_VECTOR);
        all.push_back(d ? terms.in(*d) : json::object{{"found", json::array{}}, {"complete", false}});
    }
    return all;
}

}  // namespace gdalmcp::worker
