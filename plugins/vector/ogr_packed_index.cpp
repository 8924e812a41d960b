#include "ogr_packed_index.hpp"

#include <gdalmcp/gdal.hpp>

#include <algorithm>

namespace gdalmcp_vector {

namespace {

// In the quotes of SQL.
std::string quoted(const std::string& text, char quote) {
    std::string out{quote};
    for (const char c : text) out += c == quote ? std::string(2, c) : std::string(1, c);
    return out + quote;
}

}  // namespace

bool packed_index::pays(const char* driver, OGRwkbGeometryType type) {
    return GDAL_VERSION_NUM < GDAL_COMPUTE_VERSION(3, 7, 0) && EQUAL(driver, "GPKG") && type != wkbNone;
}

void packed_index::run(const std::string& sql) {
    CPLErrorReset();
    dataset_.ReleaseResultSet(dataset_.ExecuteSQL(sql.c_str(), nullptr, nullptr));
    if (CPLGetLastErrorType() >= CE_Failure) gdalmcp::gdal::raise("cannot write the spatial index");
}

std::vector<std::string> packed_index::texts(const std::string& sql) {
    std::vector<std::string> all;
    auto* rows = dataset_.ExecuteSQL(sql.c_str(), nullptr, nullptr);
    while (rows) {
        const OGRFeatureUniquePtr row{rows->GetNextFeature()};
        if (!row) break;
        all.emplace_back(row->GetFieldAsString(0));
    }
    dataset_.ReleaseResultSet(rows);
    return all;
}

packed_index::packed_index(GDALDataset& dataset, OGRLayer& layer)
    : dataset_{dataset}, table_{"rtree_" + std::string{layer.GetName()} + "_" + layer.GetGeometryColumn()} {
    // GDAL creates the index at the end, or when it is asked for anything.
    const auto column = quoted(layer.GetName(), '\'') + "," + quoted(layer.GetGeometryColumn(), '\'') + ")";
    if (texts("SELECT HasSpatialIndex(" + column) != std::vector<std::string>{"1"})
        run("SELECT CreateSpatialIndex(" + column);
    const auto of_index = " FROM sqlite_master WHERE type = 'trigger' AND substr(name, 1, " +
                          std::to_string(table_.size() + 1) + ") = " + quoted(table_ + "_", '\'');
    triggers_ = texts("SELECT sql" + of_index);
    for (const auto& name : texts("SELECT name" + of_index)) run("DROP TRIGGER " + quoted(name, '"'));
    const auto size = texts("SELECT length(data) FROM " + quoted(table_ + "_node", '"') + " WHERE nodeno = 1");
    if (triggers_.empty() || size.size() != 1)
        throw gdalmcp::error{GDALMCP_INTERNAL,
                             "the spatial index of '" + std::string{layer.GetName()} + "' has no triggers or no root"};
    node_bytes_ = std::stoul(size.front());
}

void packed_index::add(GIntBig id, const OGREnvelope& b) {
    boxes_.push_back(outward(id, b.MinX, b.MaxX, b.MinY, b.MaxY));
}

void packed_index::write() {
    constexpr std::size_t longest = 400'000;  // of a statement, which SQLite limits to a million
    struct rows {
        packed_index& index;
        std::string head, text{};
        void add(const std::string& row) {
            text += (text.empty() ? head : ",") + row;
            if (text.size() > longest) flush();
        }
        void flush() {
            if (!text.empty()) index.run(text);
            text.clear();
        }
    };
    const auto into = [&](const char* which) {
        return "INSERT OR REPLACE INTO " + quoted(table_ + which, '"') + " VALUES ";
    };
    if (!boxes_.empty()) {
        rows nodes{*this, into("_node")}, parents{*this, into("_parent")}, ids{*this, into("_rowid")};
        std::vector<std::pair<std::int64_t, std::int64_t>> leaf_of;
        for (const auto& n : packed_tree(boxes_, node_bytes_)) {
            const auto number = std::to_string(n.number);
            char* hex = CPLBinaryToHex(static_cast<int>(n.data.size()), reinterpret_cast<const GByte*>(n.data.data()));
            nodes.add("(" + number + ",X'" + hex + "')");
            CPLFree(hex);
            if (n.parent) parents.add("(" + number + "," + std::to_string(n.parent) + ")");
            for (const auto id : n.ids)
                if (n.leaf) leaf_of.emplace_back(id, n.number);
        }
        std::sort(leaf_of.begin(), leaf_of.end());  // the order of the table
        for (const auto& [id, leaf] : leaf_of) ids.add("(" + std::to_string(id) + "," + std::to_string(leaf) + ")");
        for (auto* r : {&nodes, &parents, &ids}) r->flush();
    }
    for (const auto& sql : triggers_) run(sql);
    boxes_ = {};
}

}  // namespace gdalmcp_vector
