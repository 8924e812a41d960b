// The spatial index of a GeoPackage layer, written at once when all features are. GDAL before 3.7 inserts box by box.
#pragma once
#include <ogrsf_frmts.h>

#include <string>
#include <vector>

#include "packed_tree.hpp"

namespace gdalmcp_vector {

class packed_index {
public:
    // Whether this GDAL, driver and layer gain from it.
    static bool pays(const char* driver, OGRwkbGeometryType);

    // Creates the index while the layer is empty, and stops the triggers that fill it. REQUIRES: both outlive it; no
    // feature is written yet.
    packed_index(GDALDataset&, OGRLayer&);
    // Of a feature just written, with its id.
    void add(GIntBig id, const OGREnvelope&);
    // Fills the index and starts the triggers again. Throws with GDAL's reason.
    void write();

private:
    void run(const std::string& sql);
    std::vector<std::string> texts(const std::string& sql);

    GDALDataset& dataset_;
    std::string table_;  // of the index
    std::size_t node_bytes_ = 0;
    std::vector<std::string> triggers_;  // how to make them
    std::vector<tree_box> boxes_;
};

}  // namespace gdalmcp_vector
