#include "worker/cut_files.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <string_view>

#include "base/text.hpp"

namespace gdalmcp::worker {

namespace fs = std::filesystem;

namespace {

// The header of a netCDF file of a classic format (CDF-1, -2, -5; big-endian):
// https://docs.unidata.ucar.edu/nug/current/file_format_specifications.html
class netcdf_header {
public:
    netcdf_header(std::ifstream& file, char version)
        : file_{file}, wide_counts_{version == 5}, wide_offsets_{version != 1} {}

    // Where the last value ends; nothing: the header cannot be read, or the records are not counted.
    std::optional<std::uint64_t> end_of_values() {
        const auto records = count();
        const auto uncounted = wide_counts_ ? ~std::uint64_t{0} : 0xffffffffU;
        std::vector<std::uint64_t> lengths;
        for (auto n = list(); n > 0 && file_; --n) {
            name();
            lengths.push_back(count());
        }
        attributes();
        std::uint64_t end = 0, record_size = 0;
        std::vector<variable> of_records;
        for (auto n = list(); n > 0 && file_; --n) {
            const auto v = next_variable(lengths);
            if (v.in_records) {
                record_size += padded(v.size);
                of_records.push_back(v);
            } else {
                end = std::max(end, v.begin + v.size);
            }
        }
        if (!file_ || records == uncounted) return std::nullopt;
        if (of_records.size() == 1) record_size = of_records.front().size;
        for (const auto& v : of_records)
            if (records > 0) end = std::max(end, v.begin + (records - 1) * record_size + v.size);
        return end;
    }

private:
    struct variable {
        std::uint64_t begin = 0, size = 0;  // bytes; of one record
        bool in_records = false;
    };
    static constexpr std::uint64_t padded(std::uint64_t bytes) { return (bytes + 3) / 4 * 4; }

    std::uint64_t number(std::size_t bytes) {
        std::array<unsigned char, 8> b{};
        file_.read(reinterpret_cast<char*>(b.data()), static_cast<std::streamsize>(bytes));
        std::uint64_t v = 0;
        for (std::size_t i = 0; i < bytes; ++i) v = v << 8 | b[i];
        return v;
    }
    std::uint64_t count() { return number(wide_counts_ ? 8 : 4); }
    void pass(std::uint64_t bytes) {
        constexpr std::uint64_t longest = 1 << 26;  // of an attribute
        if (bytes > longest)
            file_.setstate(std::ios::failbit);
        else
            file_.ignore(static_cast<std::streamsize>(padded(bytes)));
    }
    void name() { pass(count()); }
    // Its tag, and how many members it has.
    std::uint64_t list() {
        number(4);
        return count();
    }
    std::uint64_t size_of_type() {
        constexpr std::array<std::uint64_t, 12> bytes{0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};
        const auto type = number(4);
        if (type == 0 || type >= bytes.size()) file_.setstate(std::ios::failbit);
        return file_ ? bytes[type] : 0;
    }
    void attributes() {
        for (auto n = list(); n > 0 && file_; --n) {
            name();
            const auto a_value = size_of_type();
            pass(count() * a_value);
        }
    }
    variable next_variable(const std::vector<std::uint64_t>& lengths) {
        variable v;
        name();
        std::uint64_t values = 1;
        const auto dimensions = count();
        for (std::uint64_t i = 0; i < dimensions && file_; ++i) {
            const auto d = count();
            if (d >= lengths.size()) file_.setstate(std::ios::failbit);
            if (!file_) break;
            if (i == 0 && lengths[d] == 0)
                v.in_records = true;
            else
                values *= lengths[d];
        }
        attributes();
        v.size = values * size_of_type();
        count();  // the size, which is cut where it is too large
        v.begin = number(wide_offsets_ ? 8 : 4);
        return v;
    }

    std::ifstream& file_;
    bool wide_counts_, wide_offsets_;
};

std::uint64_t whole_number(std::string_view text) {
    const auto first = text.find_first_not_of(" \t{");
    std::uint64_t n = 0;
    if (first != std::string_view::npos) std::from_chars(text.data() + first, text.data() + text.size(), n);
    return n;
}

// What the values of an ENVI file take, by its header; nothing: it is another's header, or its file is compressed.
std::optional<std::uint64_t> size_by_envi(const fs::path& header) {
    std::ifstream file{header, std::ios::binary};
    std::string line;
    if (!std::getline(file, line) || !line.starts_with("ENVI")) return std::nullopt;
    std::uint64_t samples = 0, lines = 0, bands = 1, offset = 0, type = 0;
    while (std::getline(file, line)) {
        const auto equals = line.find('=');
        if (equals == std::string::npos) continue;
        auto key = base::lower_ascii(line.substr(0, equals));
        key.erase(key.find_last_not_of(" \t") + 1);
        const auto value = whole_number(std::string_view{line}.substr(equals + 1));
        if (key == "samples") samples = value;
        if (key == "lines") lines = value;
        if (key == "bands") bands = value;
        if (key == "header offset") offset = value;
        if (key == "data type") type = value;
        if (key == "file compression" && value != 0) return std::nullopt;
    }
    constexpr std::array<std::uint64_t, 16> bytes{0, 1, 2, 4, 4, 8, 8, 0, 0, 16, 0, 0, 2, 4, 8, 8};
    if (type >= bytes.size() || bytes[type] == 0) return std::nullopt;
    return offset + samples * lines * bands * bytes[type];
}

// Whether a header that is named `header` is that of the file: "a.hdr" of "a.img" or "a", "a.img.hdr" of "a.img".
bool is_header_of(const fs::path& header, const fs::path& file) {
    const auto extension = base::lower_ascii(file.extension().string());
    if (header == file || extension == ".hdr" || extension == ".xml" || extension == ".prj" || extension == ".sta")
        return false;
    const auto bare = fs::path{header}.replace_extension();
    return bare == file || bare == fs::path{file}.replace_extension();
}

std::optional<std::uint64_t> size_by_start(const fs::path& path, bool& damaged) {
    std::ifstream file{path, std::ios::binary};
    std::array<char, 368> head{};
    file.read(head.data(), 4);
    const std::string_view start{head.data(), head.size()};
    if (file && start.starts_with("CDF") && (head[3] == 1 || head[3] == 2 || head[3] == 5)) {
        damaged = true;
        return netcdf_header{file, head[3]}.end_of_values();
    }
    if (!file || !start.starts_with("PCID")) return std::nullopt;
    file.read(head.data() + 4, static_cast<std::streamsize>(head.size() - 4));
    constexpr std::uint64_t block = 512;  // of which bytes 17 to 32 tell how many there are
    // Those of tiles, which may be compressed, are counted as if they were not.
    const bool tiled = start.substr(360, 4) == "FILE";
    return file && start.starts_with("PCIDSK  ") && !tiled ? std::optional{whole_number(start.substr(16, 16)) * block}
                                                           : std::nullopt;
}

}  // namespace

std::optional<cut_file> first_cut(const std::vector<fs::path>& files) {
    const auto cut = [](const fs::path& path, const std::optional<std::uint64_t>& declared, bool damaged) {
        std::error_code ec;
        const auto present = fs::file_size(path, ec);
        return !ec && declared && present < *declared ? std::optional{cut_file{path, *declared, present, damaged}}
                                                      : std::nullopt;
    };
    for (const auto& path : files) {
        if (base::lower_ascii(path.extension().string()) == ".hdr") {
            const auto declared = size_by_envi(path);
            for (const auto& file : files)
                if (declared && is_header_of(path, file))
                    if (auto found = cut(file, declared, false)) return found;
            continue;
        }
        bool damaged = false;
        const auto declared = size_by_start(path, damaged);
        if (auto found = cut(path, declared, damaged)) return found;
    }
    return std::nullopt;
}

std::string describe(const cut_file& c) {
    return c.path.string() + " has " + std::to_string(c.present) + " bytes, and its header declares " +
           std::to_string(c.declared);
}

}  // namespace gdalmcp::worker
