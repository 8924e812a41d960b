#include "read_as.hpp"

namespace {

// The type and the rows of a column of these values.
lines moments(const lines& values) {
    std::string text = "id,d\n";
    for (const auto& v : values) text += "1,\"" + v + "\"\n";
    auto rows = read_as{text}.rows;
    for (auto& row : rows) row = row.substr(row.find('|') + 1);
    return rows;
}

}  // namespace

TEST_CASE("times before and after noon are read by the clock of 24 hours") {
    CHECK(moments({"2024-01-01 10:00 PM", "2024-07-01 1:00 am"}) ==
          lines{"d:t", "2024/01/01 22:00:00", "2024/07/01 01:00:00"});
    CHECK(moments({"2024-01-01 12:00 AM", "2024-01-01 12:30:15 p.m."}) ==
          lines{"d:t", "2024/01/01 00:00:00", "2024/01/01 12:30:15"});
    CHECK(moments({"02/13/2024 01:30 PM", "2/1/2024 9:00 AM"}) ==
          lines{"d:t", "2024/02/13 13:30:00", "2024/02/01 09:00:00"});
    CHECK(moments({"28.02.2024", "01.02.2024 12:30"}) == lines{"d:t", "2024/02/28 00:00:00", "2024/02/01 12:30:00"});
}

TEST_CASE("what is no part of a time keeps its column text") {
    for (const char* value :
         {"2024-01-01T10:00:00 PST", "2024-01-01 10:00:00 foo", "2024-01-01 10:00:00[Europe/Berlin]",
          "2024-01-01 10:00 - 11:00", "2024-01-01T10:00:00/2024-01-06T10:00:00", "2024-01-01 10:00?",
          "2024-01-01 10:00 +1 day", "2024-01-01 10:00:00.5.5", "2024-01-01 10:00Z+02", "2024-01-01 13:00 PM",
          "2024-01-01 10:00+99:00", "2024-01-01 10:00+00:53", "2024-01-01 24:30", "2024-01-01 10:61"}) {
        CAPTURE(value);
        CHECK(moments({value, "2024-01-02 10:00:00"}) == lines{"d:s", value, "2024-01-02 10:00:00"});
    }
}

TEST_CASE("offsets and fractions of seconds are read as they are written") {
    CHECK(moments({"2024-01-01 10:00:00 UTC", "2024-01-01T10:00:00Z", "2024-01-01 10:00+0530",
                   "2024-01-01 10:00-03"}) == lines{"d:t", "2024/01/01 10:00:00+00", "2024/01/01 10:00:00+00",
                                                    "2024/01/01 10:00:00+0530", "2024/01/01 10:00:00-03"});
    CHECK(moments({"2024-06-01 10:00:00,5", "2024-06-01 23:59:59.9996"}) ==
          lines{"d:t", "2024/06/01 10:00:00.500", "2024/06/01 23:59:59.999"});
    CHECK(says(read_as{"id,d\n1,2024-06-01 10:00:00.123456\n"}, "'d': seconds read to milliseconds"));
    CHECK_FALSE(says(read_as{"id,d\n1,2024-06-01 10:00:00.123000\n"}, "milliseconds"));
}

TEST_CASE("numbers above a column of row names are names") {
    const read_as quoted{"\"\",\"142.24\",\"144.78\"\n\"9.4\",0,1\n\"9.5\",2,3\n"};
    CHECK(quoted.rows == lines{"field_1:r|142.24:i|144.78:i", "9.4|0|1", "9.5|2|3"});
    CHECK(quoted.warned.empty());
    const read_as plain{",0,1\n0,1.5,2.5\n1,3.5,4.5\n"};
    CHECK(plain.rows[0] == "field_1:i|0:r|1:r");
    CHECK(warns(plain, "the first row ', 0, 1' is taken for names of columns: if it is data"));
    // A first value is missing, and others are as well.
    CHECK(read_as{",5,1\n0,1.5,2.5\n,3.5,4.5\n"}.rows.size() == 4);
}

TEST_CASE("a name with a comma does not cut values with decimal commas") {
    for (const char* separator : {"\t", ";", "|"}) {
        std::string text = "date;value, mm\n2024-01-01;2,5\n2024-01-02;3,5\n";
        std::replace(text.begin(), text.end(), ';', *separator);
        CAPTURE(text);
        CHECK(read_as{text}.rows == lines{"date:d|value, mm:r", "2024/01/01|2.5", "2024/01/02|3.5"});
    }
    CHECK(read_as{"id\tcity, country\n1\tOslo, Norway\n"}.rows == lines{"id:i|city, country:s", "1|Oslo, Norway"});
}

TEST_CASE("several blanks separate columns as one does") {
    const lines rows{"a:i|b:i|c:i", "1|2|3", "10|20|30"};
    CHECK(read_as{"a b c\n1 2 3\n10 20 30\n"}.rows == rows);
    CHECK(read_as{"a   b    c\n1   2    3\n10  20   30\n"}.rows == rows);
    CHECK(read_as{"  a  b  c \n  1  2  3\n 10 20 30  \n"}.rows == rows);
}

TEST_CASE("a row of units and an encoding that is not the file's are warned of") {
    CHECK(warns(read_as{"station,temp,rain\n-,degC,mm\na,1.5,2\nb,2.5,3\n"},
                "a row of units left out: station -, temp degC, rain mm"));
    CHECK(warns(read_as{"id,a\n1,\xE4\n", "t.csv", {.encoding = "UTF-8"}},
                "1 value is not in UTF-8, which 'encoding' gives, and read as CP1252"));
}
