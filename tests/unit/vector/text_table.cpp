#include "read_as.hpp"

namespace {

std::string utf16(const std::string& ascii, bool little, bool mark) {
    std::string out = mark ? (little ? "\xFF\xFE" : "\xFE\xFF") : "";
    for (const char c : ascii) {
        const bool accent = c == '~';  // ü
        const char low = accent ? '\xFC' : c;
        out += little ? std::string{low, '\0'} : std::string{'\0', low};
    }
    return out;
}

}  // namespace

TEST_CASE("lines before the names are left out") {
    // The World Bank's: four lines, and an end of a separator in every line.
    const read_as bank{
        "\"Data Source\",\"World Development Indicators\",\n\n\"Last Updated Date\",\"2024-06-28\",\n\n"
        "\"Country Name\",\"Country Code\",\"Indicator\",\"1960\",\"1961\",\n"
        "\"Aruba\",\"ABW\",\"Population, total\",\"54608\",\"\",\n\"Chad\",\"TCD\",\"Population, "
        "total\",\"3001609\",\"3059390.5\",\n"};
    CHECK(bank.rows == lines{"Country Name:s|Country Code:s|Indicator:s|1960:i|1961:r",
                             "Aruba|ABW|Population, total|54608|null", "Chad|TCD|Population, total|3001609|3059390.5"});
    CHECK(says(bank, "4 lines before the names left out"));

    CHECK(read_as{"Gauges of the river\nsource: survey\n\nid,flow\n1,2.5\n2,3.5\n3,1\n"}.rows[0] == "id:i|flow:r");
    CHECK(read_as{"# made by x\n# version 2\nid,flow,name\n1,2.5,a\n2,3.5,b\n"}.rows ==
          lines{"id:i|flow:r|name:s", "1|2.5|a", "2|3.5|b"});
    // A short first line is no title where the second holds data.
    CHECK(read_as{"a,b\n1,2,3\n4,5,6\n4,8,9\n"}.rows[0] == "a:i|b:i");
    CHECK(warns(read_as{"a,b\n1,2,3\n4,5,6\n4,8,9\n"}, "3 rows have values beyond the last column"));
}

TEST_CASE("blanks between words and commas in few lines separate nothing") {
    CHECK(read_as{"full name\nAnn Lee\nBob Ray\n"}.rows == lines{"full name:s|row:i", "Ann Lee|1", "Bob Ray|2"});
    CHECK(read_as{"Name des Ortes\nBad Ems\nBad Soden\nMainz\n"}.rows.size() == 4);
    CHECK(read_as{"Anteil (%)\n12.5\n13.5\n"}.rows == lines{"Anteil (%):r|row:i", "12.5|1", "13.5|2"});
    CHECK(read_as{"place\nOslo\nBergen\nVik, Sogn\nMoss\nBodo\n"}.rows.size() == 6);
    CHECK(read_as{"a b c\n1 2 3\n4 5 6\n"}.rows == lines{"a:i|b:i|c:i", "1|2|3", "4|5|6"});
}

TEST_CASE("years name columns, other numbers do not") {
    CHECK(read_as{"name,2019,2020\na,1,2\nb,3,4\n"}.rows[0] == "name:s|2019:i|2020:i");
    CHECK(read_as{"a,2019,2020\nb,2020,2021\n"}.rows[0] == "field_1:s|field_2:i|field_3:i");
    CHECK(read_as{"1,2\n3,4\n"}.rows == lines{"field_1:i|field_2:i", "1|2", "3|4"});
}

TEST_CASE("a line of names for all columns but the first, as R writes it, names those after it") {
    const read_as r{"a\tb\n1\t5\t6\n2\t7\t8\n", "t.tsv"};
    CHECK(r.rows == lines{"field_1:i|a:i|b:i", "1|5|6", "2|7|8"});
    CHECK(warns(r, "the line of names has 2 for 3 columns: they are those after the first, which names the rows"));
    CHECK(read_as{"\"x\"\n\"RDA1\",820.1\n\"RDA2\",399.2\n"}.rows ==
          lines{"field_1:s|x:r", "RDA1|820.1", "RDA2|399.2"});
    CHECK(read_as{"id,v\n1,2,\n3,4,\n"}.rows == lines{"id:i|v:i", "1|2", "3|4"});
    CHECK(read_as{"Report\nname,v\nA,5\nB,6\n"}.rows == lines{"name:s|v:i", "A|5", "B|6"});
}

TEST_CASE("a table without names has as many rows as lines, also where it is read from a copy") {
    CHECK(read_as{"10 1\n20 2\n"}.rows == lines{"field_1:i|field_2:i", "10|1", "20|2"});
    CHECK(read_as{"1|a\n2|b\n"}.rows == lines{"field_1:i|field_2:s", "1|a", "2|b"});
    CHECK(read_as{"1;1,5\n2;2,5\n"}.rows == lines{"field_1:i|field_2:r", "1|1.5", "2|2.5"});
    CHECK(read_as{"1,2\n3,n/a\n"}.rows == lines{"field_1:i|field_2:i", "1|2", "3|null"});
    CHECK(read_as{"1.5\n2.5\n"}.rows == lines{"field_1:r|row:i", "1.5|1", "2.5|2"});
    CHECK(read_as{"A1;10,5\nB2;6,5\n"}.rows == lines{"field_1:s|field_2:r", "A1|10.5", "B2|6.5"});
    const read_as titled{"Report\nOslo;10,5;A\nBergen;6,5;B\n"};
    CHECK(titled.rows == lines{"field_1:s|field_2:r|field_3:s", "Oslo|10.5|A", "Bergen|6.5|B"});
    CHECK(says(titled, "1 line before the rows left out"));
}

TEST_CASE("numbers of any notation, days, percentages and truths above their like are none of the names") {
    CHECK(read_as{"Oslo;10,5;A\nBergen;6,5;B\n"}.rows.size() == 3);
    CHECK(read_as{"Oslo;1 000;A\nBergen;2 000;B\n"}.rows[1] == "Oslo|1000|A");
    CHECK(read_as{"Oslo,\"1,000\",A\nBergen,\"2,000\",B\n"}.rows[1] == "Oslo|1000|A");
    CHECK(read_as{"2024-01-01,Oslo\n2024-01-02,Bergen\n"}.rows[1] == "2024/01/01|Oslo");
    CHECK(read_as{"true,Oslo\nfalse,Bergen\n"}.rows[1] == "1|Oslo");
    CHECK(read_as{"Oslo,12%\nBergen,13%\n"}.rows[1] == "Oslo|12%");
    CHECK(read_as{"site,2024-01-01\nA,1\nB,3\n"}.rows[0] == "site:s|2024-01-01:i");
    CHECK(read_as{"class,True,False\nTrue,5,3\nFalse,1,4\n"}.rows[0] == "class:b|True:i|False:i");
}

TEST_CASE("a second column without a name is read") {
    CHECK(read_as{"5,\n6,7\n8,9\n"}.rows == lines{"field_1:i|field_2:i", "5|null", "6|7", "8|9"});
    CHECK(read_as{"id;\n6;7\n8;9\n"}.rows == lines{"id:i|field_2:i", "6|7", "8|9"});
    const read_as series{",0\na,5\nb,6\n"};
    CHECK(series.rows == lines{"field_1:s|0:i", "a|5", "b|6"});
    CHECK(warns(series, "the first row ', 0' is taken for names of columns"));
}

TEST_CASE("names may end in a separator where the rows do not") {
    CHECK(read_as{"A: b\nid,year,v,\n1,2000,3\n2,2001,4\n"}.rows == lines{"id:i|year:i|v:i", "1|2000|3", "2|2001|4"});
}

TEST_CASE("the separator leaves no other in most values") {
    CHECK(read_as{"freq,unit,geo\t2020\t2021\nA,EUR,AT\t1.5\t2.5\n", "t.tsv"}.rows ==
          lines{"freq,unit,geo:s|2020:r|2021:r", "A,EUR,AT|1.5|2.5"});
    CHECK(read_as{"Report 2024, final\nid;v\n1;2,5\n3;4,5\n"}.rows == lines{"id:i|v:r", "1|2.5", "3|4.5"});
    CHECK(read_as{"Source: office\nof 2024\n\nOrt;x1\n26,863;22,893\n372;12,338\n36,847;48,315\n"}.rows[0] ==
          "Ort:r|x1:r");
    CHECK(read_as{"Source: office\ncode;v\n9 081.93;40 653\n16 144.852;42 241\n-3 875.0;29 844\n"}.rows[0] ==
          "code:r|v:i");
    CHECK(read_as{"taxon,n\nk__A|p__B,1\nk__C|p__D,2\n"}.rows == lines{"taxon:s|n:i", "k__A|p__B|1", "k__C|p__D|2"});
}

TEST_CASE("a value of blanks in quotes is none among numbers") {
    const read_as blanks{"a,b\n1,2\n2,\" \"\n"};
    CHECK(blanks.rows == lines{"a:i|b:i", "1|2", "2|null"});
    CHECK(says(blanks, "'b': 1 values such as ' ' read as null"));
}

TEST_CASE("a row of units is none of the data") {
    const read_as t{
        "station,date,flow,temp\n,yyyy-mm-dd,m3/s,°C\nA,2020-01-01,2.5,7\nB,2020-01-02,3.5,8\nC,2020-01-03,1,9\n"};
    CHECK(t.rows ==
          lines{"station:s|date:d|flow:r|temp:i", "A|2020/01/01|2.5|7", "B|2020/01/02|3.5|8", "C|2020/01/03|1|9"});
    CHECK(says(t, "a row of units left out: date yyyy-mm-dd, flow m3/s, temp °C"));
    CHECK(read_as{"s,v\n(id),[mm]\na,1\nb,2\nc,3\n"}.rows.size() == 4);
    // The first row of data has no number: it is no unit.
    CHECK(read_as{"city,pop\nBerlin,unknown\nBonn,2\nKiel,3\nUlm,4\n"}.rows[1] == "Berlin|unknown");
    CHECK(read_as{"city,pop\nBerlin,NA\nBonn,2\nKiel,3\nUlm,4\n"}.rows[1] == "Berlin|null");
    CHECK(read_as{"city,pop\nm,1\nb,2\nc,3\nd,4\n"}.rows.size() == 5);
}

TEST_CASE("columns of numbers and days that stay text are named, codes are not") {
    const read_as mixed{"city;people\nLagos;12.325.232\nLima;9 751 717\n"};
    CHECK(mixed.rows[0] == "city:s|people:s");
    CHECK(mixed.warned ==
          "'people' stays text: '12.325.232' and '9 751 717' are numbers that share no notation; vector_calc's replace "
          "and number make numbers of them\n");
    CHECK(warns(read_as{"k;v\na;-1.234,50\nb;\u22122,5\nc;(3,25)\nd;1\u2019234,5\ne;- \n"},
                "'v' stays text: '-1.234,50'"));
    CHECK(warns(read_as{"a,b\n1,7\n2,12.5%\n"}, "'b' stays text: '12.5%' and the like are percentages;"));
    CHECK(warns(read_as{"a,b\n1,12.5%\n2,n/a\n"}, "are percentages"));
    CHECK(warns(read_as{"a;b\n1;$1,234.50\n2;($2,000.50)\n"}, "'b' stays text: '$1,234.50'"));
    CHECK(warns(read_as{"a;b\n1;12,50 \u20AC\n2;3,00 \u20AC\n"}, "'b' stays text: '12,50 \u20AC'"));
    CHECK(warns(read_as{"a,b\n1,-3.5%\n2,(1.2%)\n"}, "'b' stays text: '-3.5%' and the like are percentages"));
    CHECK(warns(read_as{"a,b\n1,12/31/21\n2,1/2/21\n"},
                "'b' stays text: '12/31/21' and the like are days with years of two digits, the month first; "
                "vector_calc reads them with date(concat('20', right(b, 2), '-', left(b, length(b) - 3)))"));
    CHECK(warns(read_as{"a;b\n1;31.12.21\n2;01.02.21\n"}, "are days"));
    for (const char* codes : {"007\n012", "10.0.0.1\n10.0.0.2", "1.2.3\n1.10.0", "1E5\n2E7", "A1\nB2", "12 a\n13 b",
                              "1234567890123456789012\n1", "12%\nunknown", "12/31/2021\nlater", "2021-12-31\n12%",
                              "1 2\n3 4", "49 30 123456\n49 89 1234"}) {
        CAPTURE(codes);
        CHECK_FALSE(
            warns(read_as{"a|b\nx|" + std::string{codes}.replace(std::string{codes}.find('\n'), 1, "\ny|") + "\n"},
                  "stays text"));
    }
    CHECK(read_as{"a,b\n50%,1\n60%,2\n", "t.csv", {.as_text = {"a"}}}.warned.empty());
}

TEST_CASE("separators of thousands and decimal commas") {
    CHECK(read_as{"n,v\na,\"1,234,567\"\nb,\"1,000\"\nc,12\n"}.rows == lines{"n:s|v:i", "a|1234567", "b|1000", "c|12"});
    CHECK(read_as{"n,v\na,\"1,234.5\"\nb,7\n"}.rows == lines{"n:s|v:r", "a|1234.5", "b|7"});
    CHECK(read_as{"n;v\na;1.234,5\nb;1.234\n"}.rows == lines{"n:s|v:r", "a|1234.5", "b|1234"});
    CHECK(read_as{"n;v\na;1.234.567\nb;1.234\n"}.rows == lines{"n:s|v:i", "a|1234567", "b|1234"});
    CHECK(read_as{"n\tv\na\t1 234\nb\t1 234 567\n", "t.tsv"}.rows == lines{"n:s|v:i", "a|1234", "b|1234567"});
    CHECK(read_as{"n;v\na;1\xC2\xA0"
                  "234,5\nb;-2\n"}
              .rows == lines{"n:s|v:r", "a|1234.5", "b|-2"});
    CHECK(read_as{"n\tv\na\t1'234.50\nb\t2\n", "t.tsv"}.rows == lines{"n:s|v:r", "a|1234.5", "b|2"});
    CHECK(read_as{"n\tv\na\t1,5\nb\t2,25\n", "t.tsv"}.rows == lines{"n:s|v:r", "a|1.5", "b|2.25"});
    // 1,234 in a table that blanks or tabs separate may be a decimal: it stays text.
    CHECK(read_as{"n\tv\na\t1,234\nb\t2,345\n", "t.tsv"}.rows[0] == "n:s|v:s");
    CHECK(warns(read_as{"n\tv\na\t1,234\nb\t2,345\n", "t.tsv"},
                "'1,234' and the like are numbers whose mark may stand before decimals or between thousands"));
    CHECK(says(read_as{"n;v\na;1.234,5\nb;2\n"}, "'v': numbers with a decimal comma read"));
    CHECK(read_as{"n,v\na,12 34\nb,5\n"}.rows[0] == "n:s|v:s");
    CHECK(read_as{"n,v\na,007 123\nb,5\n"}.rows[0] == "n:s|v:s");
}

TEST_CASE("points and commas in one column tell which of them separates thousands, by every separator") {
    for (const std::string separator : {";", "\t", "|", "; "}) {
        CAPTURE(separator);
        const auto table = [&](const std::vector<std::string>& values) {
            std::string text = "n" + separator + "v\n";
            for (const auto& v : values) text += "a" + separator + v + "\n";
            return read_as{text};
        };
        CHECK(table({"58,2", "1.234", "703,5"}).rows == lines{"n:s|v:r", "a|58.2", "a|1234", "a|703.5"});
        CHECK(table({"1,234", "12.5"}).rows == lines{"n:s|v:r", "a|1234", "a|12.5"});
        CHECK(table({"-1.234", "0,5", "NA"}).rows == lines{"n:s|v:r", "a|-1234", "a|0.5", "a|null"});
        CHECK(warns(table({"12.5", "3,75"}), "'v' stays text: '12.5' and '3,75' are numbers that share no notation"));
        CHECK(warns(table({"1.234", "5,678"}), "'v' stays text: '1.234' and the like are numbers whose mark may"));
    }
    CHECK(read_as{"n,v\na,\"58,2\"\nb,1.234\n"}.rows[2] == "b|1234");
    CHECK(read_as{"n,v\na,\"1,234\"\nb,12.5\n"}.rows[1] == "a|1234");
    // Another column tells it as well.
    CHECK(read_as{"v;w\n1.234;0,5\n5,678;1,5\n"}.rows == lines{"v:r|w:r", "1234|0.5", "5.678|1.5"});
    // An exponent has decimals before it, and one mark alone is one.
    CHECK(read_as{"n;v\na;12,5\nb;1.5e3\n"}.rows == lines{"n:s|v:r", "a|12.5", "b|1500"});
}

TEST_CASE("blanks around values are none of them, blanks in quotes are") {
    const read_as t{"key; name ; NO2\n a; \"  x\" ;1,5\nb ; y z; \n c;;  3,25 \n"};
    CHECK(t.rows == lines{"key:s|name:s|NO2:r", "a|  x|1.5", "b|y z|null", "c||3.25"});
    CHECK(says(t, "blanks around values left out: 'key', 'name'"));
    CHECK(t.warned == "");
    CHECK(read_as{"a, b\n1, n/a\n2, 3\n"}.rows == lines{"a:i|b:i", "1|null", "2|3"});
    CHECK(read_as{"a, b\n1, 2\n"}.said == "types recognised from the values");
    // Of the names GDAL leaves them out itself.
    CHECK(read_as{"a, b \n1,2\n3,4\n"}.rows == lines{"a:i|b:i", "1|2", "3|4"});
    CHECK(says(read_as{"id, lon, lat\n1, 10.5, 50.25\n"}, "geometry from columns lon, lat"));
    CHECK(says(read_as{"id, lon, lat\n1,10.5,50.25\n"}, "geometry from columns lon, lat"));
    // The separator may be one.
    CHECK(read_as{"sep= \na b\n1 2\n"}.rows == lines{"a:i|b:i", "1|2"});
}

TEST_CASE("marks of missing values among numbers are null, among text they are text") {
    const read_as t{"c,v\nNA,..\nDE,5\nFR,NA\n"};
    CHECK(t.rows == lines{"c:s|v:i", "NA|null", "DE|5", "FR|null"});
    CHECK(says(t, "'v': 2 values such as '..' read as null"));
    CHECK(read_as{"c,v\na,NA\nb,NA\n"}.rows == lines{"c:s|v:s", "a|NA", "b|NA"});
    CHECK(read_as{"c,v\na,NA\nb,\"1,234\"\n"}.rows == lines{"c:s|v:i", "a|null", "b|1234"});
}

TEST_CASE("encodings are found") {
    const lines wanted{"name:s|v:i", "Düren|1"};
    CHECK(read_as{"name,v\nDüren,1\n"}.rows == wanted);
    CHECK(read_as{"\xEF\xBB\xBFname,v\nDüren,1\n"}.rows == wanted);
    CHECK(read_as{"name,v\nD\xFCren,1\n"}.rows == wanted);
    for (const bool little : {true, false})
        for (const bool mark : {true, false}) CHECK(read_as{utf16("name,v\nD~ren,1\n", little, mark)}.rows == wanted);
    CHECK(read_as{"name;v\r\nD\xFCren;1\r\n"}.rows == wanted);
    CHECK(says(read_as{utf16("name,v\nD~ren,1\n", true, true)}, "read as UTF-16LE"));
    CHECK(read_as{"name,v\n\x80 5,1\n"}.rows[1] == "€ 5|1");
}

TEST_CASE("quotes, line ends and ragged rows") {
    CHECK(read_as{"a,b\n\"x, \"\"y\"\"\",1\n\"two\nlines\",2\n"}.rows ==
          lines{"a:s|b:i", "x, \"y\"|1", "two\nlines|2"});
    CHECK(read_as{"a,b\r\n1,x\r\n2,y\r\n"}.rows == lines{"a:i|b:s", "1|x", "2|y"});
    CHECK(read_as{"a,b,c\n1,2\n3,4,5\n6,7,8\n"}.rows == lines{"a:i|b:i|c:i", "1|2|null", "3|4|5", "6|7|8"});
    CHECK(read_as{"a|b\n1|x\n2|y\n"}.rows == lines{"a:i|b:s", "1|x", "2|y"});
    CHECK(read_as{"a\tb\n1\tx\n", "t.csv"}.rows == lines{"a:i|b:s", "1|x"});
}

TEST_CASE("a table of one column gets the numbers of its rows") {
    CHECK(read_as{"v\n5\n7\n"}.rows == lines{"v:i|row:i", "5|1", "7|2"});
    CHECK(says(read_as{"v\n5\n7\n"}, "a column 'row' added to the only one"));
}

TEST_CASE("text that may be a number or a date in several ways stays text") {
    CHECK(read_as{"a,b,c\n03/04/2020,1E5,0123\n05/06/2020,2E5,4567\n"}.rows[0] == "a:s|b:s|c:s");
    CHECK(read_as{"a,b\n50%,1\n60%,2\n"}.rows[0] == "a:s|b:i");
}

TEST_CASE("a last line without its end and with fewer values than columns is named") {
    CHECK(warns(read_as{"a,b,c\n1,2,3\n4,"},
                "the last line, 3, has 2 values of 3 and no line end: the file may be cut off there"));
    CHECK(warns(read_as{"a,b,c\n1,2,3\n4"}, "has 1 value of 3"));
    for (const char* whole : {"a,b,c\n1,2,3\n4,5,6", "a,b,c\n1,2,3\n4\n", "a,b,c\n1,2\n4,5,6"}) {
        CAPTURE(whole);
        CHECK_FALSE(warns(read_as{whole}, "cut off"));
    }
}

TEST_CASE("a day beyond 12 settles the order of day and month for its column") {
    const read_as european{"d;v\n01/02/2024;1\n28/02/2024;2\nNA;3\n"};
    CHECK(european.rows == lines{"d:d|v:i", "2024/02/01|1", "2024/02/28|2", "null|3"});
    CHECK(says(european, "'d': days such as '01/02/2024' read, the day first"));
    CHECK(read_as{"d,v\n1/2/2024,1\n2/28/2024,2\n"}.rows == lines{"d:d|v:i", "2024/01/02|1", "2024/02/28|2"});
    CHECK(read_as{"d;v\n1.2.2024;1\n31.12.2023;2\n"}.rows == lines{"d:d|v:i", "2024/02/01|1", "2023/12/31|2"});
    // Neither order, both of them, a day that no calendar has, years of two digits.
    struct {
        const char *days, *said, *recipe;
    } const doubtful[] = {
        {"01/02/2024\n03/04/2024", "order of day and month is not stated", "substr(d, 7, 4), '-', substr(d, 4, 2)"},
        {"28/02/2024\n02/28/2024", "are days in no one order", ""},
        {"28/02/2024\n31/02/2024", "days, the day first", "substr(d, 7, 4), '-', substr(d, 4, 2)"},
        {"28.02.24\n01.02.24", "years of two digits, the day first", "'20', substr(d, 7, 2), '-', substr(d, 4, 2)"},
        {"28/02/24\n01/02/24", "order of year, month and day is not stated; where the year stands first, vector_calc",
         "date(concat('20', d)), where the day does, with date(concat('20', substr(d, 7, 2)"},
        {"24-01-05\n99-12-31", "the year first", "date(concat(where(left(d, 2) < '30', '20', '19'), d))"},
        {"25/11/63\n1/12/63", "the day first; vector_calc reads them with",
         "date(concat(where(right(d, 2) < '30', '20', '19'), right(d, 2), '-', substr(d, where(substr(d, 2, 1) == '/', "
         "1, 2) + 2, length(d) - where(substr(d, 2, 1) == '/', 1, 2) - 4), '-', left(d, where(substr(d, 2, 1) == '/', "
         "1, 2))))"},
        {"01/02/2024 10:30\n03/04/2024 11:30", "vector_calc reads their days with", "substr(d, 7, 4)"},
        {"1/2/2024 10:30\n3/4/2024 11:30", "written with the year and two digits each, 2024-01-31 10:00", "are read"},
        {"6/9/17\n12/15/00", "years of two digits, the month first", "'20', right(d, 2), '-', left(d, length(d) - 3)"}};
    for (const auto& one : doubtful) {
        CAPTURE(one.days);
        const read_as t{"k;d\n1;" + std::string{one.days}.replace(std::string{one.days}.find('\n'), 1, "\n2;") + "\n"};
        CHECK(t.rows[0] == "k:i|d:s");
        CHECK(warns(t, one.said));
        CHECK(warns(t, one.recipe));
    }
}

TEST_CASE("marks of missing values stand among dates and truth values as among numbers") {
    CHECK(read_as{"d,t\n2024-01-01,TRUE\nNA,-\n2024-02-01,FALSE\n"}.rows ==
          lines{"d:d|t:b", "2024/01/01|1", "null|null", "2024/02/01|0"});
    CHECK(read_as{"d,t\n2024-01-01,a\nx,NA\n"}.rows[0] == "d:s|t:s");
}

TEST_CASE("a row of a date alone is a row below an empty line, and a word left out there is named") {
    CHECK(read_as{"date,rain\n2024-01-01,1\n\n2024-01-04\n2024-01-05\n"}.rows.size() == 4);
    const read_as word{"k,v\nA,1\nB,2\n\nC\n"};
    CHECK(word.rows.size() == 3);
    CHECK(warns(word, "the line 'C' below the rows is left out as a note"));
    CHECK(read_as{"k,v\nA,1\n\nSource: x\nAll values are provisional\n"}.warned.empty());
}

TEST_CASE("a telephone number is none to compute with") {
    const read_as called{"n,t\n1,+4930123456\n2,+49891234567\n"};
    CHECK(called.rows[0] == "n:i|t:s");
    CHECK(called.warned.empty());
    CHECK(read_as{"n,t\n1,+49\n2,-3\n"}.rows == lines{"n:i|t:i", "1|49", "2|-3"});
}

TEST_CASE("a column of WKT is the geometry, whatever its name") {
    GDALAllRegister();
    const temporary_folder folder;
    std::ofstream{folder / "g.csv"}
        << "id,geom,note\n1,POINT (1 2),\"POINT to it\"\n2,,\n3,\"MULTIPOINT Z (1 2 3,4 5 6)\",\n";
    const auto dataset = sdk::open_dataset(folder / "g.csv", GDAL_OF_VECTOR);
    auto& layer = *dataset->GetLayer(0);
    const OGRFeatureUniquePtr one{layer.GetNextFeature()}, two{layer.GetNextFeature()}, three{layer.GetNextFeature()};
    CHECK(one->GetGeometryRef()->toPoint()->getY() == 2);
    CHECK_FALSE(two->GetGeometryRef());
    CHECK(three->GetGeometryRef()->toMultiPoint()->getNumGeometries() == 2);
}

TEST_CASE("an empty table has no rows") {
    CHECK(read_as{"a,b\n"}.rows == lines{"a:s|b:s"});
    // GDAL 3.10 opens it, as a table without columns; 3.6 does not.
    for (const char* nothing : {"", "\n\n"}) {
        CAPTURE(nothing);
        const auto rows = read_as{nothing}.rows;
        CHECK((rows.empty() || rows == lines{""}));
    }
}

TEST_CASE("points of a rewritten table have their CRS") {
    GDALAllRegister();
    const temporary_folder folder;
    std::ofstream{folder / "p.csv"} << "Stations\n\nid,lon,lat\n1,10.5,50.25\n2,11,51\n";
    const auto dataset = sdk::open_dataset(folder / "p.csv", GDAL_OF_VECTOR);
    auto& layer = *dataset->GetLayer(0);
    CHECK(std::string{layer.GetName()} == "p");
    CHECK(sdk::crs_text(sdk::stated_crs(layer.GetSpatialRef())) == "OGC:CRS84");
    const OGRFeatureUniquePtr f{layer.GetNextFeature()};
    CHECK(f->GetGeometryRef()->toPoint()->getX() == 10.5);
}

TEST_CASE("coordinates in degrees, minutes and seconds stay text") {
    const read_as t{"n,lat,lon\na,52 30 0 N,13 24 0 E\nb,48.5,11.5\n"};
    CHECK(t.rows == lines{"n:s|lat:s|lon:s", "a|52 30 0 N|13 24 0 E", "b|48.5|11.5"});
    CHECK_FALSE(says(t, "geometry"));
    CHECK(says(read_as{"n;lat;lon\na;52,5;13,4\n"}, "geometry from columns lon, lat (OGC:CRS84)"));
}

TEST_CASE("a packed file is no table") {
    CHECK(read_as{"\x1F\x8B\x08\x08\xD3\xA4\x06k\x02\xFFt.csv", "t.csv.gz"}.rows.empty());
}
