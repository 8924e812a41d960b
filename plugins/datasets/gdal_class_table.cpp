#include "gdal_class_table.hpp"

#include <gdal_rat.h>
#include <gdalmcp/gdal.hpp>
#include <gdalmcp/gdal_class_names.hpp>
#include <gdalmcp/gdal_kind.hpp>

#include <array>
#include <map>
#include <string>

namespace gdalmcp_datasets {

namespace {

namespace gdal = gdalmcp::gdal;

struct class_look {
    std::string name;
    std::array<int, 3> color{};  // red, green, blue
};

// Palettes are padded with black to 256 entries, which are no classes; those of black alone are.
std::map<int, class_look> by_palette(const GDALColorTable& palette) {
    std::map<int, class_look> all, coloured;
    for (int i = 0; i < palette.GetColorEntryCount(); ++i) {
        const auto& c = *palette.GetColorEntry(i);
        all[i].color = {c.c1, c.c2, c.c3};
        if (c.c1 || c.c2 || c.c3) coloured[i] = all[i];
    }
    return coloured.empty() ? all : coloured;
}

// The colours that a table gives single codes.
void add_colors(const GDALRasterAttributeTable& t, std::map<int, class_look>& classes) {
    const int code = t.GetColOfUsage(GFU_MinMax);
    const std::array<int, 3> columns{t.GetColOfUsage(GFU_Red), t.GetColOfUsage(GFU_Green), t.GetColOfUsage(GFU_Blue)};
    if (code < 0 || columns[0] < 0 || columns[1] < 0 || columns[2] < 0) return;
    for (int row = 0; row < t.GetRowCount(); ++row)
        if (const auto known = classes.find(t.GetValueAsInt(row, code)); known != classes.end())
            for (std::size_t i = 0; i < columns.size(); ++i) {
                const double level = t.GetValueAsDouble(row, columns[i]);
                const bool share = t.GetTypeOfCol(columns[i]) == GFT_Real;  // 0 to 1, as ERDAS writes them
                known->second.color[i] = static_cast<int>(share ? level * 255 + 0.5 : level);
            }
}

}  // namespace

void keep_classes(GDALRasterBand& from, GDALRasterBand& to) {
    if (!gdal::declares_classes(from)) return;
    const auto* palette = from.GetColorTable();
    const bool thematic = gdal::has_class_table(from);
    if (palette && !thematic && to.GetRasterDataType() == GDT_Byte && to.GetDataset()->GetRasterCount() == 1) {
        to.SetColorTable(from.GetColorTable());
        to.SetCategoryNames(from.GetCategoryNames());
        return;
    }
    auto classes = palette ? by_palette(*palette) : std::map<int, class_look>{};
    const gdal::class_names names{from};
    for (const auto& [code, name] : names.all())
        if (code == static_cast<int>(code)) classes[static_cast<int>(code)].name = name;
    if (!palette && thematic) add_colors(*from.GetDefaultRAT(), classes);
    if (classes.empty()) return;

    GDALDefaultRasterAttributeTable made;
    made.CreateColumn("value", GFT_Integer, GFU_MinMax);
    made.CreateColumn("name", GFT_String, GFU_Name);
    made.CreateColumn("red", GFT_Integer, GFU_Red);
    made.CreateColumn("green", GFT_Integer, GFU_Green);
    made.CreateColumn("blue", GFT_Integer, GFU_Blue);
    made.SetTableType(GRTT_THEMATIC);
    int row = 0;
    for (const auto& [code, look] : classes) {
        made.SetValue(row, 0, code);
        made.SetValue(row, 1, look.name.c_str());
        for (std::size_t i = 0; i < look.color.size(); ++i) made.SetValue(row, 2 + static_cast<int>(i), look.color[i]);
        ++row;
    }
    const gdal::quiet silence;  // a format without tables
    to.SetDefaultRAT(&made);
    CPLErrorReset();
}

}  // namespace gdalmcp_datasets
