#include "vector/ogr_table_head.hpp"

#include <fstream>
#include <sstream>

#include "layers.hpp"

using gdalmcp_vector::copy_table;

namespace {

std::string copied(const std::string& text, int row) {
    const temporary_folder folder;
    std::ofstream{folder / "from.csv"} << text;
    copy_table(folder / "from.csv", folder / "to.csv", row);
    std::stringstream all;
    all << std::ifstream{folder / "to.csv"}.rdbuf();
    return all.str();
}

}  // namespace

TEST_CASE("a table is copied from the line with its names on") {
    CHECK(copied("a,b\n1,2\n", 1) == "a,b\n1,2\n");
    CHECK(copied("A report\n\na,b\n1,2", 3) == "a,b\n1,2");
}

TEST_CASE("a table without names gets numbered ones, with its own separator") {
    CHECK(copied("1;x\n2;y\n", 0) == "field_1;field_2\n1;x\n2;y\n");
}

TEST_CASE("a line the table does not have is refused with the number of those it has") {
    try {
        copied("a,b\n1,2\n", 9);
        FAIL("accepted");
    } catch (const gdalmcp::error& e) {
        CHECK(e.message.find("'header_row' is 9") != std::string::npos);
    }
}
