// gdalmcp/gdal_class_names.hpp — names of a band's class codes. Header-only; link GDAL.
#pragma once
#include <gdal_priv.h>
#include <gdal_rat.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>

namespace gdalmcp::gdal {

// GDAL's category names; codes without one by the raster attribute table, whose rows name a code or a range of codes.
class class_names {
public:
    class_names() = default;  // of a band whose values are not codes
    explicit class_names(GDALRasterBand& band) {
        char** categories = band.GetCategoryNames();
        const int n = std::min(CSLCount(categories), max_rows);
        for (int i = 0; i < n; ++i)
            if (*categories[i]) names_[i] = categories[i];
        if (const auto* table = band.GetDefaultRAT()) add(*table);
    }

    // Empty: the data has none.
    std::string of(std::int64_t code) const {
        const auto found = names_.find(code);
        return found == names_.end() ? std::string{} : found->second;
    }

    const std::map<std::int64_t, std::string>& all() const { return names_; }  // by code

    // The first code to which the legend of another dataset gives another name, as a warning; "" if there is none.
    std::string doubt(const std::string& path, const class_names& other, const std::string& other_path) const {
        for (const auto& [code, name] : names_)
            if (const auto theirs = other.of(code); !theirs.empty() && !EQUAL(theirs.c_str(), name.c_str()))
                return "the legends differ: code " + std::to_string(code) + " is '" + name + "' in " + path + " and '" +
                       theirs + "' in " + other_path + "; bring both to one legend first";
        return {};
    }

private:
    static constexpr int max_rows = 65536;

    // The column of class names: the one declared as such, else the first text column.
    static int name_column(const GDALRasterAttributeTable& t) {
        if (const int declared = t.GetColOfUsage(GFU_Name); declared >= 0) return declared;
        for (int c = 0; c < t.GetColumnCount(); ++c)
            if (t.GetTypeOfCol(c) == GFT_String) return c;
        return -1;
    }

    void add(const GDALRasterAttributeTable& t) {
        const int text = name_column(t);
        if (text < 0) return;
        const int one = t.GetColOfUsage(GFU_MinMax), low = t.GetColOfUsage(GFU_Min), high = t.GetColOfUsage(GFU_Max);
        double first = 0, step = 1;
        t.GetLinearBinning(&first, &step);  // without a value column the row number is the code
        for (int row = 0; row < std::min(t.GetRowCount(), max_rows); ++row) {
            const std::string name = t.GetValueAsString(row, text);
            double from = first + row * step, to = from;
            if (one >= 0)
                from = to = t.GetValueAsDouble(row, one);
            else if (low >= 0)
                from = t.GetValueAsDouble(row, low), to = high >= 0 ? t.GetValueAsDouble(row, high) : from;
            if (name.empty() || !(std::abs(from) < 1e15) || !(to - from <= max_rows)) continue;
            for (auto code = static_cast<std::int64_t>(std::ceil(from)); static_cast<double>(code) <= to; ++code)
                names_.emplace(code, name);
        }
    }

    std::map<std::int64_t, std::string> names_;
};

}  // namespace gdalmcp::gdal
