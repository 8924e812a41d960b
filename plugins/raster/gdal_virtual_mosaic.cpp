#include "gdal_virtual_mosaic.hpp"

#include <cpl_minixml.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "datasets/gdal_flow_tags.hpp"
#include "datasets/gdal_programs.hpp"
#include "gdal_common_window.hpp"

namespace gdalmcp_raster {

using gdalmcp::error;
namespace gdal = gdalmcp::gdal;
namespace fs = std::filesystem;

namespace {

constexpr const char* other_mode = R"(give "mode": "merge", which writes the cells)";

std::string shown(const std::optional<double>& nodata) {
    if (!nodata) return "none";
    return std::isnan(*nodata) ? "NaN" : gdal::number_text(*nodata);
}

void require_alike(const mosaic_source& a, GDALRasterBand& first, const mosaic_source& b, GDALRasterBand& other) {
    const auto refuse = [&](const std::string& what, const std::string& one, const std::string& two) {
        throw error{GDALMCP_INVALID_ARGUMENT,
                    what + " differ: " + a.path + " has " + one + ", " + b.path + " has " + two,
                    std::string{other_mode} + ", or convert one of them with raster_convert"};
    };
    if (first.GetRasterDataType() != other.GetRasterDataType())
        refuse("data types", dtype_name(first.GetRasterDataType()), dtype_name(other.GetRasterDataType()));
    if (const auto n = nodata_of(first), m = nodata_of(other); !same_value(n, m))
        refuse("nodata values", shown(n), shown(m));
}

// An output is written two folders below the one it is published in, a hidden one and that of the tool, called out. A
// managed result stays in its folder, which lies apart from the data; empty: names are absolute there.
fs::path published_folder(const std::string& path) {
    const auto own = fs::path{path}.parent_path();
    return own.filename() == "out" ? own.parent_path().parent_path() : fs::path{};
}

// gdalbuildvrt computes the places of rasters in floating point, and names what lies elsewhere by absolute paths.
void settle(CPLXMLNode* node, const fs::path& folder, bool whole_cells) {
    for (; node; node = node->psNext) {
        if (node->eType == CXT_Element && EQUAL(node->pszValue, "SourceFilename")) {
            const fs::path named{CPLGetXMLValue(node, "", "")};
            if (folder.empty()) continue;
            CPLSetXMLValue(node, "", named.lexically_relative(folder).c_str());
            CPLSetXMLValue(node, "#relativeToVRT", "1");
        } else if (whole_cells && node->eType == CXT_Element && EQUAL(node->pszValue, "DstRect")) {
            for (const char* side : {"xOff", "yOff", "xSize", "ySize"})
                CPLSetXMLValue(node, (std::string{"#"} + side).c_str(),
                               std::to_string(std::llround(CPLAtof(CPLGetXMLValue(node, side, "0")))).c_str());
        } else {
            settle(node->psChild, folder, whole_cells);
        }
    }
}

}  // namespace

void require_virtual(const virtual_mosaic& m) {
    const auto& first = m.sources.front();
    for (std::size_t k = 0; k < m.sources.size(); ++k) {
        const auto& s = m.sources[k];
        if (!m.resampled && !m.layout.places[k].aligned)
            throw error{GDALMCP_INVALID_ARGUMENT, "the cells of " + s.path + " do not coincide with those of the VRT",
                        other_mode};
        if (s.south_up())
            throw error{GDALMCP_UNSUPPORTED, "the rows of " + s.path + " go from south to north", other_mode};
        if (std::error_code none; !fs::is_regular_file(s.path, none))
            throw error{GDALMCP_UNSUPPORTED, s.path + " is not a file by itself, so a VRT cannot name it",
                        std::string{other_mode} + ", or convert it to a GeoTIFF first"};
        if (m.stacked && s.dataset->GetRasterCount() != 1)  // gdalbuildvrt takes no other
            throw error{GDALMCP_UNSUPPORTED, s.path + " has several bands; a VRT stacks rasters of one band",
                        other_mode};
        for (std::size_t i = 0; i < s.bands.size(); ++i) require_alike(first, first.band(i), s, s.band(i));
    }
}

void write_virtual(const virtual_mosaic& m, const std::string& path,
                   const std::function<void(GDALDataset&)>& describe) {
    const auto& t = m.on.geotransform;
    const auto number = [](double v) { return gdal::number_text(v); };
    gdal::words words{"-strict", "-q"};
    if (m.resampled) {
        words.add("-resolution", m.resampled->resolution, "-r", m.resampled->method);
    } else {
        words.add("-te", number(t[0]), number(t[3] + m.on.height * t[5]), number(t[0] + m.on.width * t[1]),
                  number(t[3]));
        words.add("-tr", number(t[1]), number(-t[5]));
    }
    if (m.stacked) words.add("-separate");
    if (!m.stacked)
        for (const int b : m.sources.front().bands) words.add("-b", std::to_string(b));
    if (m.meaning.nodata) words.add("-vrtnodata", shown(m.meaning.nodata));
    std::vector<GDALDataset*> sources;
    for (const auto& s : m.sources) sources.push_back(s.dataset.get());
    if (!m.last && !m.stacked) std::reverse(sources.begin(), sources.end());  // later ones cover earlier ones
    const auto made = build_vrt(sources, std::move(words));
    if (!made) gdal::raise("cannot describe the mosaic as a VRT", other_mode);
    for (const auto& s : m.sources)
        if (m.resampled && declares_directions(*s.dataset) && !on_same_cells(s.on, grid_of(*made))) {
            disown_directions(s.path, *made);
            break;
        }
    describe(*made);
    char** text = made->GetMetadata("xml:VRT");
    if (!text || !*text) gdal::raise("cannot describe the mosaic as a VRT", other_mode);
    const std::unique_ptr<CPLXMLNode, decltype(&CPLDestroyXMLNode)> tree{CPLParseXMLString(*text), &CPLDestroyXMLNode};
    if (!tree) gdal::raise("cannot describe the mosaic as a VRT", other_mode);
    settle(tree.get(), published_folder(path), !m.resampled);
    if (!CPLSerializeXMLTreeToFile(tree.get(), path.c_str())) gdal::raise("cannot write " + path);
}

gdal::dataset_ptr open_virtual(const std::string& path) {
    gdal::words options;
    if (const auto folder = published_folder(path); !folder.empty()) options.add("ROOT_PATH=" + folder.string());
    gdal::dataset_ptr d{
        GDALDataset::Open(path.c_str(), GDAL_OF_RASTER | GDAL_OF_VERBOSE_ERROR, nullptr, options.get())};
    if (!d) gdal::raise("cannot open " + path);
    return d;
}

}  // namespace gdalmcp_raster
