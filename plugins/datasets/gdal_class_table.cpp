#include "gdal_class_table.hpp"

#include <gdal_rat.h>
#include <gdalmcp/gdal.hpp>
#include <gdalmcp/gdal_class_names.hpp>
#include <gdalmcp/gdal_kind.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace gdalmcp_datasets {

namespace {

namespace gdal = gdalmcp::gdal;

bool black(const palette_colors& all) {
    return std::all_of(all.begin(), all.end(), [](const auto& c) { return c.second == palette_colors::mapped_type{}; });
}

// Palettes are padded with black to 256 entries, which are no classes; those of black alone are.
palette_colors by_palette(const GDALColorTable& palette) {
    palette_colors all;
    for (int i = 0; i < palette.GetColorEntryCount(); ++i) {
        const auto& c = *palette.GetColorEntry(i);
        all[i] = {c.c1, c.c2, c.c3};
    }
    if (!black(all)) std::erase_if(all, [](const auto& c) { return c.second == palette_colors::mapped_type{}; });
    return all;
}

}  // namespace

palette_colors table_colors(GDALRasterBand& band) {
    const auto* t = band.GetDefaultRAT();
    if (!t) return {};
    const int code = t->GetColOfUsage(GFU_MinMax);
    const std::array<int, 3> columns{t->GetColOfUsage(GFU_Red), t->GetColOfUsage(GFU_Green),
                                     t->GetColOfUsage(GFU_Blue)};
    if (code < 0 || columns[0] < 0 || columns[1] < 0 || columns[2] < 0) return {};
    palette_colors all;
    for (int row = 0; row < t->GetRowCount(); ++row)
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const double level = t->GetValueAsDouble(row, columns[i]);
            const bool share = t->GetTypeOfCol(columns[i]) == GFT_Real;  // 0 to 1, as ERDAS writes them
            all[t->GetValueAsInt(row, code)][i] = static_cast<int>(share ? level * 255 + 0.5 : level);
        }
    return black(all) ? palette_colors{} : all;
}

void keep_classes(GDALRasterBand& from, GDALRasterBand& to) {
    if (!gdal::declares_classes(from)) return;
    const auto* palette = from.GetColorTable();
    const bool thematic = gdal::has_class_table(from);
    if (palette && !thematic && to.GetRasterDataType() == GDT_Byte && to.GetDataset()->GetRasterCount() == 1) {
        to.SetColorTable(from.GetColorTable());
        to.SetCategoryNames(from.GetCategoryNames());
        return;
    }
    const auto colors = palette ? by_palette(*palette) : thematic ? table_colors(from) : palette_colors{};
    std::map<int, std::string> classes;
    for (const auto& [code, color] : colors) classes[code];
    const gdal::class_names names{from};
    for (const auto& [code, name] : names.all())
        if (code == static_cast<int>(code)) classes[static_cast<int>(code)] = name;
    if (classes.empty()) return;

    GDALDefaultRasterAttributeTable made;
    made.CreateColumn("value", GFT_Integer, GFU_MinMax);
    made.CreateColumn("name", GFT_String, GFU_Name);
    if (!colors.empty())
        for (const auto& [name, usage] : {std::pair{"red", GFU_Red}, {"green", GFU_Green}, {"blue", GFU_Blue}})
            made.CreateColumn(name, GFT_Integer, usage);
    made.SetTableType(GRTT_THEMATIC);
    int row = 0;
    for (const auto& [code, name] : classes) {
        made.SetValue(row, 0, code);
        made.SetValue(row, 1, name.c_str());
        if (const auto color = colors.find(code); color != colors.end())
            for (int i = 0; i < 3; ++i) made.SetValue(row, 2 + i, color->second[static_cast<std::size_t>(i)]);
        ++row;
    }
    const gdal::quiet silence;  // a format without tables
    to.SetDefaultRAT(&made);
    CPLErrorReset();
}

}  // namespace gdalmcp_datasets
