#include "ogr_table_head.hpp"

#include <gdalmcp/gdal.hpp>

#include <vector>

namespace gdalmcp_vector {

namespace {

struct file_closer {
    void operator()(VSILFILE* f) const { VSIFCloseL(f); }
};
using file = std::unique_ptr<VSILFILE, file_closer>;

file opened(const std::string& path, const char* mode) {
    file f{VSIFOpenL(path.c_str(), mode)};
    if (!f) gdalmcp::gdal::raise("cannot open " + path);
    return f;
}

void write(VSILFILE& to, const char* bytes, std::size_t n) {
    if (n > 0 && VSIFWriteL(bytes, 1, n, &to) != n) gdalmcp::gdal::raise("cannot copy the table");
}

}  // namespace

void copy_table(const std::string& from, const std::string& to, int row) {
    const auto source = opened(from, "rb"), target = opened(to, "wb");
    if (row == 0) {
        const auto head = gdalmcp::gdal::detail::read_csv_header(from);
        std::string names;
        for (std::size_t i = 0; i < head.names.size(); ++i)
            names += (i ? std::string{head.separator} : "") + "field_" + std::to_string(i + 1);
        names += '\n';
        write(*target, names.data(), names.size());
    }
    std::vector<char> block(1 << 20);
    int line = 1;
    for (std::size_t n; (n = VSIFReadL(block.data(), 1, block.size(), source.get())) > 0;) {
        std::size_t begin = 0;
        while (line < row && begin < n)
            if (block[begin++] == '\n') ++line;
        if (line >= row) write(*target, block.data() + begin, n - begin);
    }
    if (line < row)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "'header_row' is " + std::to_string(row) + ", but the table has " + std::to_string(line) +
                                 (line == 1 ? " line" : " lines"),
                             "give the line that holds the names of the columns, the first is 1"};
}

}  // namespace gdalmcp_vector
