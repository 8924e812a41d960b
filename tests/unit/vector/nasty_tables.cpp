// Text tables that other programs read wrongly, or that this one did: each in its literal text.
#include "read_as.hpp"

TEST_CASE("columns of the same name are told apart") {
    const read_as same{"id,value,value,,\n1,10,5,,\n2,11,6,,\n"};
    CHECK(same.rows == lines{"id:i|value:i|value_2:i|field_4:s|field_5:s", "1|10|5||", "2|11|6||"});
    CHECK(warns(same, "column 3 'value' is 'value_2' here"));
    CHECK(read_as{"ID,id,Name,name\n1,2,a,b\n"}.rows == lines{"ID_1:i|id_2:i|Name_1:s|name_2:s", "1|2|a|b"});
    CHECK(read_as{"a,a,a_2\n1,2,3\n"}.rows[0] == "a:i|a_3:i|a_2:i");
}

TEST_CASE("a line break in a name of a column is a blank") {
    CHECK(read_as{"id,\"Pop\n2022\",area,code\n1,5,2.5,x\n"}.rows ==
          lines{"id:i|Pop 2022:i|area:r|code:s", "1|5|2.5|x"});
}

TEST_CASE("a stray quote does not merge rows") {
    const read_as unclosed{"id,t,n\n1,\"abc,10\n2,def,20\n3,ghi,30\n"};
    CHECK(unclosed.rows == lines{"id:i|t:s|n:i", "1|\"abc|10", "2|def|20", "3|ghi|30"});
    CHECK(warns(unclosed, "1 row has a quote that neither opens nor closes a value"));
    CHECK(read_as{"id,t,n\n1,\"abc,10\n2,\"def\",20\n"}.rows == lines{"id:i|t:s|n:i", "1|\"abc|10", "2|def|20"});
    CHECK(read_as{"n\tpart\tv\n1\t5\" pipe\t10\n2\telbow\t20\n", "t.tsv"}.rows ==
          lines{"n:i|part:s|v:i", "1|5\" pipe|10", "2|elbow|20"});
    CHECK(read_as{"n,lat,lon\na,52°30'00\"N,13°24'18\"E\nb,1,2\n"}.rows ==
          lines{"n:s|lat:s|lon:s", "a|52°30'00\"N|13°24'18\"E", "b|1|2"});
    CHECK(read_as{"a,b\n\"x \"y\" z\",1\n"}.rows[1] == "x y\" z\"|1");
    CHECK(read_as{"id,t\n1,\"a;b;c;d\"\n2,\"e;f;g;h\"\n"}.rows == lines{"id:i|t:s", "1|a;b;c;d", "2|e;f;g;h"});
    // None of these is stray.
    const read_as right{"a,b\n \"x, y\",1\n\"two\r\nlines\" ,2\n\"\",3\n"};
    CHECK(right.rows == lines{"a:s|b:i", "x, y|1", "two\nlines|2", "|3"});
    CHECK(right.warned == "");
}

TEST_CASE("the line of names tells the separator where values hold others, and quotes") {
    CHECK(
        read_as{"code;name;wkt\n0;;GEOGCS[\"a\",UNIT[\"b\",1]]\n1;x;GEOGCS[\"c\",D[\"d\",UNIT[\"e\",2]]]\n"}.rows[0] ==
        "code:i|name:s|wkt:s");
}

TEST_CASE("points between thousands are told by a decimal comma in the table") {
    CHECK(read_as{"ort;einwohner;umsatz\nA;1.234;1,50\nB;5.678;2,25\n"}.rows ==
          lines{"ort:s|einwohner:i|umsatz:r", "A|1234|1.5", "B|5678|2.25"});
    CHECK(read_as{"c;v;w\nA;1,234;1.5\nB;5,678;2.25\n"}.rows == lines{"c:s|v:i|w:r", "A|1234|1.5", "B|5678|2.25"});
    CHECK(read_as{"c;v;w\nA;1,234;1,5\nB;5,678;2,25\n"}.rows == lines{"c:s|v:r|w:r", "A|1.234|1.5", "B|5.678|2.25"});
    const read_as doubtful{"id;v\n1;1.234\n2;5.678\n"};
    CHECK(doubtful.rows[1] == "1|1.234");
    CHECK(warns(doubtful, "'v': '1.234' is read with three decimals"));
    CHECK(warns(read_as{"id;v\n1;1,234\n2;5,678\n"}, "'v': '1,234' is read with three decimals"));
    for (const char* sure : {"id;v\n1;0.234\n2;5.678\n", "id;v\n1;1.234\n2;5.67\n", "id,v\n1,1.234\n", "id;v\n1;12\n"})
        CHECK(read_as{sure}.warned.empty());
    CHECK(says(read_as{"n;v\na;12.345.678\nb;1.000\n"}, "'v': numbers with points between thousands read"));
}

TEST_CASE("text that is not UTF-8 far below is found, and read as CP1252") {
    std::string text = "id,name\n";
    for (int i = 0; i < 40'000; ++i) text += std::to_string(i) + ",Köln\n";
    const read_as late{text + "40000,Caf\xE9\n"};
    CHECK(late.rows.back() == "40000|Café");
    CHECK(late.rows[1] == "0|Köln");
    CHECK(warns(late, "1 value is not in UTF-8 as 40000 others are, and read as CP1252"));
    CHECK(read_as{"id,name\n1,Z\xFCrich\n2,Genève\n"}.rows == lines{"id:i|name:s", "1|Zürich", "2|Genève"});
}

TEST_CASE("Japanese in Shift-JIS, and the encoding a caller gives") {
    const std::string shift_jis = "\x93\x73\x8E\x73,\x90\x6C\x8C\xFB\n\x93\x8C\x8B\x9E,5\n";  // 都市,人口 / 東京,5
    CHECK(read_as{shift_jis}.rows == lines{"都市:s|人口:i", "東京|5"});
    CHECK(says(read_as{shift_jis}, "read as CP932"));
    CHECK(read_as{"\xE3\xEE\xF0\xEE\xE4,v\n\xCC\xEE\xF1\xEA\xE2\xE0,1\n", "t.csv", {.encoding = "CP1251"}}.rows ==
          lines{"город:s|v:i", "Москва|1"});
    CHECK(says(read_as{"a,b\n\x93quoted\x94 text,1\nna\xEFve,2\n"}, "read as CP1252"));
}

TEST_CASE("letters of DOS and of the Macintosh are not Japanese") {
    // München, Köln, Straße, Genève, Córdoba
    const read_as dos{"name;v\nM\x81nchen;1\nK\x94ln;2\n"}, mac{"name;v\nM\x9Fnchen;1\nK\x9Aln;2\nGen\x8Fve;3\n"};
    CHECK(dos.rows == lines{"name:s|v:i", "München|1", "Köln|2"});
    CHECK(mac.rows == lines{"name:s|v:i", "München|1", "Köln|2", "Genève|3"});
    CHECK(warns(dos, "its letters are read as CP850, which is not declared: check the accents"));
    CHECK(warns(mac, "its letters are read as MACINTOSH"));
    // Quotes, dashes and Slavic letters of CP1252.
    const read_as windows{"name;v\nC\xF4te d\x92Ivoire;1\nKo\x9Aice;2\nBystrica \x96 Bansk\xE1;3\n"};
    CHECK(windows.rows == lines{"name:s|v:i", "Côte d’Ivoire|1", "Košice|2", "Bystrica – Banská|3"});
    CHECK(windows.warned.empty());
    CHECK(read_as{"name;v\nKo\x9Aice;2\n\x8Eilina;3\n"}.rows == lines{"name:s|v:i", "Košice|2", "Žilina|3"});
}

TEST_CASE("lines below the rows are none of them, a total is named") {
    const read_as notes{
        "region,pop\nNorth,100\nSouth,200\nTotal,300\n\nSource: Statistics Office\nNote: provisional\n"};
    CHECK(notes.rows == lines{"region:s|pop:i", "North|100", "South|200", "Total|300"});
    CHECK(says(notes, "2 lines below the rows left out: 'Source: Statistics Office'"));
    CHECK(warns(notes, "the last row is 'Total' and counts as a row"));
    CHECK_FALSE(warns(read_as{"station,brand,price\nA,Shell,1.8\nB,Esso,1.9\nC,Total,1.7\n"}, "last row"));
    CHECK(warns(read_as{"iso,name,n\nA,Aa,1\nB,Bb,2\n,Total,3\n"}, "the last row is 'Total'"));
    CHECK(read_as{"Kanton;Einwohner;Fläche\nZH;1564662;1728,9\nBE;1047473;5959,1\n\nQuelle: BFS\n"}.rows.size() == 3);
    CHECK(read_as{"a,b\nx,1\n,\n\"Data from database: WDI\",\n"}.rows == lines{"a:s|b:i", "x|1"});
    // A row whose value is missing is a row, in the middle and at the end.
    CHECK(read_as{"a,b\nx,1\ny,\n"}.rows.size() == 3);
    CHECK(read_as{"a,b\nx,1\n\nnote: y\nz,2\n"}.rows.size() == 4);
    CHECK(read_as{"a,b,c\nx,1,2\n\ny,,\n"}.rows.size() == 3);
}

TEST_CASE("bytes that are no text are left out and named") {
    const read_as t{std::string{"a,b\nx\0y,1\nz,2\n", 14}};
    CHECK(t.rows == lines{"a:s|b:i", "xy|1", "z|2"});
    CHECK(warns(t, "1 value holds a NUL byte"));
}

TEST_CASE("a day that no calendar has is text") {
    CHECK(read_as{"a,b\n2023-02-30,1\n"}.rows[0] == "a:s|b:i");
    CHECK(read_as{"a,b\n2024-02-29,1\n"}.rows[0] == "a:d|b:i");
}

TEST_CASE("numbers as other programs write them") {
    CHECK(read_as{"id,v\n1,0.30000000000000004\n2,0.1\n"}.rows == lines{"id:i|v:r", "1|0.3", "2|0.1"});
    CHECK(read_as{"id,v\n1,1e5\n2,1e300\n"}.rows[0] == "id:i|v:r");
    CHECK(read_as{"id,v\n1,1E5\n2,2.5\n"}.rows[0] == "id:i|v:r");
    CHECK(read_as{"id,v\n1,3.14159265358979323846\n"}.rows[0] == "id:i|v:r");
    CHECK(read_as{"id,v\n1,12345678901234567890\n"}.rows[0] == "id:i|v:s");
}

TEST_CASE("lines before the names, of spreadsheet programs and instruments") {
    CHECK(read_as{"sep=;\nid;v\n1;1,5\n2;2,5\n"}.rows == lines{"id:i|v:r", "1|1.5", "2|2.5"});
    CHECK(read_as{"# sensor 12\n# lat,lon WGS84\nid,v\n1,10\n2,20\n"}.rows == lines{"id:i|v:i", "1|10", "2|20"});
    CHECK(read_as{"#id,v\n1,10\n2,20\n"}.rows[0] == "#id:i|v:i");
    CHECK(read_as{"Report title,,\nCreated,2023-01-05,\n,,\nid,v,w\n1,10,x\n2,20,y\n"}.rows ==
          lines{"id:i|v:i|w:s", "1|10|x", "2|20|y"});
    std::string many;
    for (int i = 0; i < 60; ++i) many += "# line " + std::to_string(i) + "\n";
    CHECK(read_as{many + "id,v\n1,10\n"}.rows == lines{"id:i|v:i", "1|10"});
    CHECK(read_as{"id,temp,wind\n(-),(°C),(m/s)\n1,12.5,3\n2,11,4\n"}.rows[0] == "id:i|temp:r|wind:i");
    CHECK(read_as{"DATE,TMAX,TMIN\nYYYYMMDD,degC,degC\n20200101,5.1,-1\n20200102,6.1,0\n"}.rows[0] ==
          "DATE:i|TMAX:r|TMIN:i");
}

TEST_CASE("a caller names the line of names, and columns that stay text") {
    CHECK(read_as{"1,2\n3,4\n", "t.csv", {.names_first = true}}.rows == lines{"1:i|2:i", "3|4"});
    CHECK(read_as{"a,b\n\"1,234\",NA\n\"5,678\",5\n", "t.csv", {.as_text = {"a", "b"}}}.rows ==
          lines{"a:s|b:s", "1,234|NA", "5,678|5"});
}

TEST_CASE("geometries with their SRID are named") {
    CHECK(warns(read_as{"id,geom\n1,SRID=4326;POINT(8 47)\n"}, "'geom' holds geometries with their SRID"));
}
