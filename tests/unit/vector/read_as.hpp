// A text table as it is read: its fields with types, its rows, and what is said of it.
#pragma once
#include <gdalmcp/gdal_crs.hpp>

#include <fstream>

#include "layers.hpp"

namespace sdk = gdalmcp::gdal;

// What a table of this text is read as: its fields with types, then its rows; and what is said and warned of it.
struct read_as {
    std::vector<std::string> rows;
    std::string said, driver, warned;

    explicit read_as(const std::string& text, const char* name = "t.csv", const sdk::table_reading& how = {}) {
        GDALAllRegister();
        const temporary_folder folder;
        std::ofstream{folder / name, std::ios::binary} << text;
        CPLPushErrorHandlerEx(
            [](CPLErr, CPLErrorNum number, const char* message) {
                if (number == CPLE_OpenFailed || number == CPLE_FileIO) return;  // GDAL 3.10 misses the .prj of a copy
                *static_cast<std::string*>(CPLGetErrorHandlerUserData()) += std::string{message} + "\n";
            },
            &warned);
        const auto dataset = sdk::open_dataset(folder / name, GDAL_OF_VECTOR, sdk::sql::none, how);
        if (dataset) sdk::take_layer(*dataset, *dataset->GetLayer(0));
        CPLPopErrorHandler();
        if (!dataset) return;
        driver = dataset->GetDriverName();
        auto& layer = *dataset->GetLayer(0);
        said = sdk::recognised(layer);
        auto& defn = *layer.GetLayerDefn();
        std::string head;
        for (int i = 0; i < defn.GetFieldCount(); ++i) {
            const auto& f = *defn.GetFieldDefn(i);
            const char letter = f.GetType() == OFTString      ? 's'
                                : f.GetType() == OFTInteger   ? f.GetSubType() == OFSTBoolean ? 'b' : 'i'
                                : f.GetType() == OFTInteger64 ? 'i'
                                : f.GetType() == OFTReal      ? 'r'
                                : f.GetType() == OFTDate      ? 'd'
                                                              : 't';
            head += (i ? "|" : "") + std::string{f.GetNameRef()} + ":" + letter;
        }
        rows.push_back(head);
        while (const OGRFeatureUniquePtr f{layer.GetNextFeature()}) {
            std::string row;
            for (int i = 0; i < defn.GetFieldCount(); ++i)
                row += (i ? "|" : "") + std::string{f->IsFieldSetAndNotNull(i) ? f->GetFieldAsString(i) : "null"};
            rows.push_back(row);
        }
    }
};
using lines = std::vector<std::string>;

inline bool says(const read_as& t, const std::string& text) { return t.said.find(text) != std::string::npos; }
inline bool warns(const read_as& t, const std::string& text) { return t.warned.find(text) != std::string::npos; }
