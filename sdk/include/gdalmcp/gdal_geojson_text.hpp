// gdalmcp/gdal_geojson_text.hpp — what GDAL drops from GeoJSON without an error: coordinates nested otherwise than
// their type, and the CRS that a file states. Used by gdal_open.hpp.
#pragma once
#include <cpl_string.h>
#include <cpl_vsi.h>
#include <gdalmcp/gdal_undeclared.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gdalmcp::gdal::detail {

// The types of RFC 7946; `last` is none of them.
enum class json_geometry : unsigned char {
    point,
    multi_point,
    line_string,
    multi_line_string,
    polygon,
    multi_polygon,
    collection,
    last
};

inline constexpr std::array<const char*, 7> json_geometry_names{
    "Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon", "GeometryCollection"};

// Why GDAL makes nothing, or less than is written, of a geometry.
enum class geojson_fault : unsigned char {
    none,
    nesting,
    not_numbers,
    no_coordinates,
    unknown_type,
    no_object,
    no_feature
};

struct geojson_verdict {
    geojson_fault fault = geojson_fault::none;
    json_geometry type = json_geometry::last;
    bool whole = true;  // nothing of the geometry is left: it is a fault only where GDAL gives none

    std::string text() const {
        const std::string name = type == json_geometry::last ? "geometry" : json_geometry_names[std::size_t(type)];
        switch (fault) {
            case geojson_fault::nesting:
                return "the coordinates of a " + name + " are not nested as those of a " + name +
                       " are, or are no pairs of numbers";
            case geojson_fault::not_numbers:
                return "Invalid coordinate of a " + name + ": it is not a number";
            case geojson_fault::no_coordinates:
                return "Invalid " + name + " object. Missing '" +
                       (type == json_geometry::collection ? "geometries" : "coordinates") + "' member.";
            case geojson_fault::unknown_type:
                return "its geometry is of an unknown type";
            case geojson_fault::no_object:
                return "its geometry is not an object";
            case geojson_fault::no_feature:
                return "a " + name + " stands in the place of a feature";
            default:
                return {};
        }
    }
    // Of GDAL, too, which names the coordinate.
    bool told_by_gdal() const { return fault == geojson_fault::not_numbers; }
};

// What an array of coordinates can be read as. Nothing is lost of one without numbers, whatever its nesting.
struct geojson_nesting {
    bool position = false, line = true, lines = true, polygon = true, polygons = true;
    bool empty = true;         // holds arrays only
    bool only_numbers = true;  // no texts, true or false

    bool fits(json_geometry type) const {
        switch (type) {
            case json_geometry::point:
                return empty || position;
            case json_geometry::multi_point:
            case json_geometry::line_string:
                return empty || line;
            case json_geometry::multi_line_string:
                return empty || lines;
            case json_geometry::polygon:
                return empty || polygon;
            case json_geometry::multi_polygon:
                return empty || polygons;
            default:
                return true;
        }
    }
    void scalar() { empty = line = lines = polygon = polygons = false; }
    // shell_is_empty: of the members before. GDAL drops the holes of such a polygon.
    void add(const geojson_nesting& member, bool shell_is_empty) {
        line = line && member.position;
        lines = lines && (member.line || member.empty);
        polygon = polygon && (member.empty || (member.line && !shell_is_empty));
        polygons = polygons && (member.polygon || member.empty);
        empty = empty && member.empty;
        only_numbers = only_numbers && member.only_numbers;
    }
};

// Reads GeoJSON once, in blocks, and keeps nothing but the faulty features and the 'crs' member.
class geojson_text {
public:
    std::vector<std::pair<std::int64_t, geojson_verdict>> faulty;  // by the number of the feature, from 0
    std::int64_t features = 0;
    std::optional<std::string> crs;  // the JSON of the file's 'crs' member

    // sequence: of records, each a feature or a geometry.
    geojson_text(const std::string& path, bool sequence) : json_{path}, sequence_{sequence} {
        if (!json_.handle) return;
        if (peek() == 0xEF && size_ >= 3) at_ += 3;  // byte order mark
        do {
            if (peek() == '{')
                read_root();
            else
                skip();
        } while (sequence && !failed_ && peek() != end);
    }

private:
    enum class place : unsigned char { root, feature, geometry };
    struct object_read {
        json_geometry type = json_geometry::last;
        std::string type_name;
        std::optional<geojson_nesting> coordinates;
        bool has_geometries = false, has_geometry = false, has_coordinates = false;
        geojson_verdict of_members, of_geometry;  // of a collection; of a feature
    };
    static constexpr int end = -1, deepest = 200;

    int byte() {  // the next, which stays
        if (at_ == size_) {
            if (block_.empty()) block_.resize(1 << 20);
            size_ = VSIFReadL(block_.data(), 1, block_.size(), json_.handle.get());
            at_ = 0;
            ++blocks_;
            if (size_ == 0) return end;
        }
        return static_cast<unsigned char>(block_[at_]);
    }
    int peek() {  // the same after white space and separators of records
        int c = byte();
        while (c != end && (c <= ' ')) {
            ++at_;
            c = byte();
        }
        return c;
    }
    // At most `most` bytes of it, as they are written; past the quote at its end.
    std::string text(std::size_t most) {
        std::string read;
        ++at_;
        for (int c; (c = byte()) != end; ++at_) {
            if (c == '"') {
                ++at_;
                return read;
            }
            if (read.size() < most) read += static_cast<char>(c);
            if (c != '\\') continue;
            ++at_;
            if (byte() == end) break;
            if (read.size() < most) read += block_[at_];
        }
        failed_ = true;
        return read;
    }
    // Past a value; `into`: its text, but for a long one.
    void skip(std::string* into = nullptr) {
        constexpr std::size_t longest = 1 << 16;
        const auto keep = [&](const std::string& s) {
            if (into && into->size() < longest) *into += s;
        };
        int depth = 0;
        do {
            const int c = peek();
            if (c == end) {
                failed_ = depth > 0;
                return;
            }
            if (c == '"') {
                const auto t = text(into ? longest : 0);
                if (into) keep('"' + t + '"');
            } else if (c == '{' || c == '[' || c == '}' || c == ']' || c == ',' || c == ':') {
                ++at_;
                if (into) keep(std::string(1, static_cast<char>(c)));
                depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
            } else {
                if (into)
                    keep(scalar_text());
                else
                    skip_scalar();
            }
        } while (depth > 0);
    }
    static bool ends_scalar(int c) {
        return c <= ' ' || c == ',' || c == ']' || c == '}' || c == ':' || c == '"' || c == '[' || c == '{';
    }
    void skip_scalar() {
        while (!ends_scalar(byte())) {
            while (at_ < size_ && !ends_scalar(static_cast<unsigned char>(block_[at_]))) ++at_;
        }
    }
    std::string scalar_text() {
        std::string read;
        for (int c; !ends_scalar(c = byte()); ++at_)
            if (read.size() < 64) read += static_cast<char>(c);
        return read;
    }
    // each() reads a member at peek(), of an array or of an object whose bracket is next.
    template <class Each>
    void members(int closing, const Each& each) {
        ++at_;
        for (int c = peek(); !failed_ && c != closing; c = peek()) {
            const auto before = std::pair{blocks_, at_};
            if (c == end) {
                failed_ = true;
            } else if (c == ',') {
                ++at_;
            } else {
                each(c);
                failed_ = failed_ || (before == std::pair{blocks_, at_} && byte() != end && ends_scalar(byte()));
            }
        }
        if (!failed_) ++at_;
    }

    // An array of numbers alone that the block holds to its end, as nearly all of a file are; false: read otherwise.
    bool plain_position(geojson_nesting& all) {
        const char *at = block_.data() + at_ + 1, *const stop = block_.data() + size_;
        std::int64_t numbers = 0;
        for (bool within = false; at < stop && *at != ']'; ++at) {
            const char c = *at;
            const bool digit = (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '+' || (c | 0x20) == 'e';
            if (!digit && c != ',' && c != ' ' && c != '\n' && c != '\r' && c != '\t') return false;
            numbers += digit && !within;
            within = digit;
        }
        if (at >= stop) return false;
        at_ = static_cast<std::size_t>(at - block_.data()) + 1;
        if (numbers > 0) all.scalar();
        all.position = numbers >= 2;
        return true;
    }
    geojson_nesting coordinates(int depth) {
        geojson_nesting all;
        if (plain_position(all)) return all;
        std::int64_t numbers = 0, others = 0;
        bool shell_is_empty = false;
        failed_ = failed_ || depth > deepest;
        if (failed_) return all;
        members(']', [&](int c) {
            if (c == '[') {
                const auto one = coordinates(depth + 1);
                if (others + numbers == 0) shell_is_empty = one.empty;
                all.add(one, shell_is_empty && others > 0);
                ++others;
                return;
            }
            all.scalar();
            if ((c >= '0' && c <= '9') || c == '-' || c == 'N' || c == 'I' || c == 'i') {
                ++numbers;
                skip_scalar();
                return;
            }
            ++others;
            if (c == '"' || c == '{') {
                all.only_numbers = all.only_numbers && c == '{';
                skip();
            } else {
                const auto word = scalar_text();
                all.only_numbers = all.only_numbers && (word == "null" || word == "nan");
            }
        });
        all.position = numbers >= 2 && others == 0;
        return all;
    }

    object_read object(place where, int depth) {
        object_read read;
        failed_ = failed_ || depth > deepest;
        if (failed_) return read;
        members('}', [&](int c) {
            if (c != '"') {
                failed_ = true;
                return;
            }
            const auto key = text(16);
            if (peek() != ':') {
                failed_ = true;
                return;
            }
            ++at_;
            member(read, key.c_str(), peek(), where, depth);
        });
        return read;
    }
    void member(object_read& read, const char* key, int c, place where, int depth) {
        if (c == '"' && EQUAL(key, "type")) {
            read.type_name = text(32);
            read.type = json_geometry::last;
            for (std::size_t i = 0; i < json_geometry_names.size(); ++i)
                if (EQUAL(read.type_name.c_str(), json_geometry_names[i])) read.type = static_cast<json_geometry>(i);
        } else if (EQUAL(key, "coordinates")) {
            read.has_coordinates = c != 'n';
            read.coordinates.reset();
            if (c == '[')
                read.coordinates = coordinates(depth + 1);
            else
                skip();
        } else if (c == '[' && EQUAL(key, "geometries")) {
            read.has_geometries = true;
            members(']', [&](int m) {
                geojson_verdict v{geojson_fault::no_object};
                if (m == '{')
                    v = verdict_of(object(place::geometry, depth + 1));
                else
                    skip();
                if (m != 'n' && read.of_members.fault == geojson_fault::none) read.of_members = v;
            });
            read.of_members.whole = false;
        } else if (where != place::geometry && EQUAL(key, "geometry")) {
            read.has_geometry = c != 'n';
            read.of_geometry = {};
            if (c == '{') {
                read.of_geometry = verdict_of(object(place::geometry, depth + 1));
            } else {
                if (c != 'n') read.of_geometry.fault = geojson_fault::no_object;
                skip();
            }
        } else if (where == place::root && !sequence_ && c == '[' && EQUAL(key, "features")) {
            members(']', [&](int m) {
                if (m == '{')
                    add_feature(object(place::feature, depth + 1));
                else
                    skip();
            });
        } else if (where == place::root && EQUAL(key, "crs")) {
            crs.emplace();
            skip(&*crs);
        } else {
            skip();
        }
    }
    static geojson_verdict verdict_of(const object_read& g) {
        geojson_verdict v{geojson_fault::none, g.type};
        if (g.type == json_geometry::last) {
            // {} stands for no geometry.
            if (!g.type_name.empty() || g.has_coordinates) v.fault = geojson_fault::unknown_type;
        } else if (g.type == json_geometry::collection) {
            if (g.has_geometries) return g.of_members;
            v.fault = geojson_fault::no_coordinates;
        } else if (!g.has_coordinates) {
            v.fault = geojson_fault::no_coordinates;
        } else if (!g.coordinates || !g.coordinates->fits(g.type)) {
            v.fault =
                g.coordinates && !g.coordinates->only_numbers ? geojson_fault::not_numbers : geojson_fault::nesting;
            v.whole = false;
        }
        return v;
    }
    void read_root() {
        const auto root = object(place::root, 0);
        if (EQUAL(root.type_name.c_str(), "Feature"))
            add(root.of_geometry);
        else if (root.type != json_geometry::last)
            add(verdict_of(root));
    }
    void add_feature(const object_read& f) {
        const bool geometry = f.type != json_geometry::last && !f.has_geometry;
        add(geometry ? geojson_verdict{geojson_fault::no_feature, f.type} : f.of_geometry);
    }
    void add(const geojson_verdict& v) {
        if (failed_) return;
        if (v.fault != geojson_fault::none) faulty.emplace_back(features, v);
        ++features;
    }

    json_file json_;
    bool sequence_, failed_ = false;
    std::string block_;
    std::size_t at_ = 0, size_ = 0, blocks_ = 0;
};

}  // namespace gdalmcp::gdal::detail
