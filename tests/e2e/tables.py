"""Tables as people send them: what vector_info says of them, what the tools compute of them, what they refuse."""
import base64
import json
import os
import random
import sqlite3
import struct
import time
import unittest

from osgeo import gdal, ogr

from session import Claims, Session, good, problem
from workbook import write_workbook

gdal.UseExceptions()
BANK = ('"Data Source","World Development Indicators",\n\n"Last Updated Date","2024-06-28",\n\n'
        '"Country Name","Country Code","Indicator Name","2000","2001",\n'
        '"Aruba","ABW","Population, total","90588","91439",\n"Namibia","NAM","Population, total","1819141","",\n"Chad","TCD","Population, total","8259137","8567190.5",\n')


class tables(Claims):
    def setUp(self):
        super().setUp()
        self.session = Session(workspace=self.workspace)
        self.addCleanup(self.session.close)

    def write(self, name, text, encoding="utf-8"):
        with open(self.path(name), "wb") as f:
            f.write(text.encode(encoding))
        return name

    def call(self, tool, **arguments):
        return good(self.session.call(tool, arguments))

    def refused(self, tool, **arguments):
        return problem(self.session.call(tool, arguments))

    def info(self, name):
        (layer, ) = self.call("vector_info", uri=name)["layers"]
        return {f["name"]: f["type"] for f in layer["fields"]}, layer.get("recognised", ""), layer

    def test_a_preamble_and_years_for_names(self):
        fields, said, _ = self.info(self.write("API_SP.POP.TOTL.csv", BANK))
        self.assertEqual(fields, {"Country Name": "String", "Country Code": "String", "Indicator Name": "String", "2000": "Integer", "2001": "Real"})
        self.assertIn("4 lines before the names left out", said)
        told = self.call("vector_stats", uri="API_SP.POP.TOTL.csv", fields=["2000", "2001"], statistics=["sum", "max"])
        self.assertEqual([(g["figures"], g["nulls"], g["max_name"]) for g in told["groups"]],
                         [({"sum": 10168866, "max": 8259137}, 0, "Chad"), ({"sum": 8658629.5, "max": 8567190.5}, 1, "Chad")])
        grown = self.call("vector_calc", uri="API_SP.POP.TOTL.csv", fields={"growth": "\"2001\" - \"2000\""}, output="g.gpkg")
        self.assertEqual((grown["fields"][0]["nulls"], grown["fields"][0]["min"], grown["fields"][0]["max"]), (1, 851, 308053.5))

    def test_numbers_for_names(self):
        for text, names in (("ort,2018\nA,500\nB,600\n", ["ort", "2018"]), ("state\t2018\nAlabama\tR+27\nAlaska\tR+15\n", ["state", "2018"]),
                            ("ort;2018;Summe\nA;1;2\n", ["ort", "2018", "Summe"]), ("team,0,1,2\nBOS,0.5,0.75,1\n", ["team", "0", "1", "2"]),
                            ("region,-5,0,5\nA,1,2,9\n", ["region", "-5", "0", "5"]), ('"ort","7"\nA,6\n', ["ort", "7"])):
            fields, said, layer = self.info(self.write("n.csv", text))
            self.assertEqual((list(fields), layer["feature_count"]), (names, text.count("\n") - 1))
            self.assertIn(f"the first row, '{', '.join(names)}', taken for names", said)
            self.assertIn("is taken for names of columns", " ".join(self.call("vector_query", uri="n.csv", show=0)["warnings"]))
        self.write("ort.csv", "ort,2018\nA,500\nB,600\n")
        self.assertEqual(self.call("vector_stats", uri="ort.csv", fields=["2018"], statistics=["sum"])["groups"][0]["figures"], {"sum": 1100})

    def test_a_first_row_that_may_hold_names_is_named(self):
        for text, row in (("code,1,2\n001,5,6\n", "code, 1, 2"), ("place,12345\nA,1\n", "place, 12345"), ("ort,2018\nA,1990\n", "ort, 2018"),
                          ("A,1,2,3,4\nB,4,5,6,7\n", "A, 1, 2, 3, …")):
            self.write("m.csv", text)
            told = self.call("vector_stats", uri="m.csv", fields=["field_2"])
            self.assertIn(f"the first row '{row}' counts as data: if it holds names of columns, vector_convert with header_row: 1", str(told["warnings"]))
            self.assertNotIn("counts as data", str(self.call("vector_convert", uri="m.csv", header_row=1, output="m.gpkg", overwrite=True)["warnings"]))
        for text in ("Oslo,10.75\nBergen,5.3\n", "2020-01-01,1950\n2020-01-02,2500\n", "a,1\na,2\nb,3\n"):
            self.assertNotIn("counts as data", str(self.call("vector_query", uri=self.write("d.csv", text))["warnings"]))

    def test_a_german_table_in_an_old_encoding(self):
        self.write("de.csv", "Gemeinde;Fläche;Einwohner;Anteil\nDüren;85,02;91.814;12,5\nKöln;405,02;1.087.863;k.A.\n", "cp1252")
        fields, said, _ = self.info("de.csv")
        self.assertEqual(fields, {"Gemeinde": "String", "Fläche": "Real", "Einwohner": "Integer", "Anteil": "String"})
        self.assertIn("read as CP1252", said)
        told = self.call("vector_stats", uri="de.csv", fields=["Einwohner"], statistics=["sum"], by="Gemeinde")
        self.assertEqual([(g["group"], g["figures"]["sum"]) for g in told["groups"]], [(["Düren"], 91814), (["Köln"], 1087863)])

    def test_utf16_of_a_spreadsheet_program(self):
        self.write("excel.csv", "name\tvalue\nÅre\t1\nŁódź\t2\n", "utf-16")
        fields, said, _ = self.info("excel.csv")
        self.assertEqual(fields, {"name": "String", "value": "Integer"})
        self.assertIn("read as UTF-16LE", said)
        self.call("vector_convert", uri="excel.csv", output="excel.gpkg")
        layer = ogr.Open(self.path("excel.gpkg"))
        self.assertEqual([f["name"] for f in layer.GetLayer()], ["Åre", "Łódź"])

    def test_units_and_marks_are_told(self):
        _, said, _ = self.info(self.write("q.csv", "station,flow\n,m3/s\nA,2.5\nB,NA\nC,3\nD,4\n"))
        self.assertIn("a row of units left out: flow m3/s", said)
        self.assertIn("'flow': 1 values such as 'NA' read as null", said)
        self.assertEqual(self.call("vector_stats", uri="q.csv", fields=["flow"], statistics=["mean"])["groups"][0]["figures"], {"mean": 3.16666666667})

    def test_the_header_row_of_a_sheet(self):
        book = ogr.GetDriverByName("XLSX").CreateDataSource(self.path("book.xlsx"))
        sheet = book.CreateLayer("Data")
        for name in ("Report of 2024", "b", "c"):
            sheet.CreateField(ogr.FieldDefn(name))
        for row in (["by the office"], ["town", "pop", "share"], ["Ahaus", "39000", "0.5"], ["Borken", "n/a", "0.25"]):
            f = ogr.Feature(sheet.GetLayerDefn())
            for i, v in enumerate(row):
                f[i] = v
            sheet.CreateFeature(f)
        book = sheet = None
        self.assertIn("vector_convert with header_row", str(self.call("vector_info", uri="book.xlsx")["warnings"]))
        table = self.write("codes.csv", "code\nAhaus\n")
        lost = self.refused("vector_join", target=table, join="book.xlsx", keys={"code": "town"})
        self.assertIn("no field 'town'", lost["message"])
        self.assertIn("vector_convert with header_row", lost["hint"])
        result = self.session.call("vector_convert", {"uri": "book.xlsx", "header_row": 3, "output": "towns.csv"})
        told = good(result)
        self.assertIn("'pop': 1 values such as 'n/a' read as null", str(result["content"]))
        self.assertNotIn("header_row", str(told["warnings"]))
        self.assertEqual([(f["name"], f["type"]) for f in told["fields"]], [("town", "String"), ("pop", "Integer"), ("share", "Real")])
        self.assertEqual(told["feature_count"], 2)
        self.assertIn("has 5 rows", self.refused("vector_convert", uri="book.xlsx", header_row=9, output="no.csv")["message"])

    def test_the_first_row_of_a_sheet_as_its_header(self):
        """A sheet whose names GDAL finds by itself."""
        for driver in ("XLSX", "ODS"):
            name = "plain." + driver.lower()
            book = ogr.GetDriverByName(driver).CreateDataSource(self.path(name))
            sheet = book.CreateLayer("Data")
            sheet.CreateField(ogr.FieldDefn("name"))
            sheet.CreateField(ogr.FieldDefn("pop", ogr.OFTInteger))
            for row in (("A", 10), ("B", 20), ("C", 30)):
                f = ogr.Feature(sheet.GetLayerDefn())
                f["name"], f["pop"] = row
                sheet.CreateFeature(f)
            book = sheet = None
            for more, names, count in (({}, ["name", "pop"], 3), ({"header_row": 1}, ["name", "pop"], 3), ({"header_row": 2}, ["A", "10"], 2),
                                       ({"header_row": 0}, ["field_1", "field_2"], 4)):
                told = self.call("vector_convert", uri=name, output="plain.gpkg", overwrite=True, **more)
                self.assertEqual(([f["name"] for f in told["fields"]], told["feature_count"]), (names, count), (driver, more))

    def test_an_order_takes_names_in_the_double_quotes_that_where_needs(self):
        self.write("income.csv", 'name,Income (mio.),rank desc\nA,1,8\nB,3,7\nC,2,9\n')
        for name, first in (('"Income (mio.)" desc', "B"), ("Income (mio.) desc", "B"), ("Income (mio.) descending", "B"), ("Income (mio.) ascending", "A"), ('"Income (mio.)"', "A"), ('"rank desc"', "B"), ('"rank desc" desc', "C")):
            self.call("vector_query", uri="income.csv", where='"Income (mio.)" > 0', order=[name], limit=1, output="first.gpkg", overwrite=True)
            file = ogr.Open(self.path("first.gpkg"))
            self.assertEqual([f["name"] for f in file.GetLayer()], [first], name)
        self.assertIn("no field 'x'", self.refused("vector_query", uri="income.csv", order=['"x"'], output="no.gpkg")["message"])

    def test_a_condition_in_another_language_is_refused_with_the_way_in_this_one(self):
        self.write("days.csv", "day,name\n2024-01-31,A\n")
        for where, way in (("year(day) = 2024", "vector_calc: make a field with one first"), ("name == 'A'", "equal is a single =")):
            self.assertIn(way, self.refused("vector_query", uri="days.csv", where=where, output="no.gpkg")["hint"])

    def test_points_of_degrees_minutes_and_seconds(self):
        self.write("dms.csv", "n,lat,lon\na,\"52°30'00\"\"N\",\"13°24'18\"\"E\"\nb,33 51 31 S,151 12 51 E\n")
        self.call("vector_convert", uri="dms.csv", x="lon", y="lat", crs="EPSG:4326", output="p.gpkg")
        data = ogr.Open(self.path("p.gpkg"))
        self.assertEqual([(round(f.GetGeometryRef().GetX(), 9), round(f.GetGeometryRef().GetY(), 9)) for f in data.GetLayer()],
                         [(round(13 + 24 / 60 + 18 / 3600, 9), 52.5), (round(151 + 12 / 60 + 51 / 3600, 9), -round(33 + 51 / 60 + 31 / 3600, 9))])
        p = self.refused("vector_convert", uri="dms.csv", x="lat", y="lon", crs="EPSG:4326", output="no.gpkg")
        self.assertIn("2 of 2 rows have north or south in 'lat'", p["message"])

    def test_swapped_and_impossible_axes_are_refused_with_their_number(self):
        self.write("s.csv", "n,a,b\n1,52.5,113.4\n2,48,111\n")
        p = self.refused("vector_convert", uri="s.csv", x="a", y="b", crs="EPSG:4326", output="no.gpkg")
        self.assertIn("2 of 2 rows have no longitude within 180 in 'a' and latitude within 90 degrees in 'b'", p["message"])
        self.assertIn('give {"x": "b", "y": "a"}', p["hint"])
        self.write("m.csv", "n,e,h\n1,500000,5500000\n")
        self.assertIn("give the 'crs' of these numbers if they are metres", self.refused("vector_convert", uri="m.csv", x="e", y="h", crs="EPSG:4326", output="no.gpkg")["hint"])
        self.call("vector_convert", uri="m.csv", x="e", y="h", crs="EPSG:32632", output="m.gpkg")
        self.write("dms.csv", "n,e,h\n1,5°10'E,91°10'N\n")
        self.assertIn("correct these values", self.refused("vector_convert", uri="dms.csv", x="e", y="h", crs="EPSG:4326", output="no.gpkg")["hint"])
        self.assertFalse(os.path.exists(self.path("no.gpkg")))

    def test_whole_numbers_become_plain_digits(self):
        self.write("c.csv", "id,code\n1,100000\n2,5000000\n")
        self.call("vector_calc", uri="c.csv", fields={"t": "text(code)", "k": "concat('K', code)", "b": "text(code * 4000)"}, output="t.csv")
        with open(self.path("t.csv")) as f:
            rows = [line.replace('"', "").strip().split(",")[1:] for line in f][1:]
        self.assertEqual([r[-3:] for r in rows], [["100000", "K100000", "400000000"], ["5000000", "K5000000", "20000000000"]])

    def test_sqlite_keeps_whole_numbers_of_64_bits_and_mixed_values(self):
        base = sqlite3.connect(self.path("e.db"))
        base.execute("create table ev(eid integer, ms integer, mixed)")
        base.executemany("insert into ev values (?, ?, ?)", [(1, 1700000000000, 1), (2, 1700000001000, "txt"), (3, 3, 2.5)])
        base.commit()
        base.close()
        fields, _, layer = self.info("e.db")
        self.assertEqual(fields, {"eid": "Integer", "ms": "Integer64", "mixed": "String"})
        told = self.call("vector_stats", uri="e.db", fields=["ms"], statistics=["max", "min"])
        self.assertEqual(told["groups"][0]["figures"], {"max": 1700000001000, "min": 3})
        warned = self.call("vector_query", uri="e.db", show=3, output="q.gpkg")
        self.assertEqual([f["properties"]["mixed"] for f in warned["features"]["features"]], ["1", "txt", "2.5"])
        self.assertEqual([w for w in warned["warnings"] if "holds numbers and text in 'mixed'" in w][1:], [])

    def test_columns_of_one_name_are_told_apart_in_every_tool(self):
        self.write("d.csv", "id,value,value\n1,10,5\n2,11,6\n")
        told = self.call("vector_stats", uri="d.csv", fields=["value", "value_2"], statistics=["sum"])
        self.assertEqual([g["figures"]["sum"] for g in told["groups"]], [21, 11])
        self.assertIn("column 3 'value' is 'value_2' here", str(told["warnings"]))
        self.assertEqual(self.call("vector_query", uri="d.csv", where="value_2 = 6", output="o.gpkg")["matched_total"], 1)

    def test_columns_that_case_tells_apart_are_both_renamed(self):
        self.write("c.csv", "n,N,E\n3,5180000,1570000\n")
        told = self.call("vector_stats", uri="c.csv", fields=["n_1", "N_2"], statistics=["sum"])
        self.assertEqual([g["figures"]["sum"] for g in told["groups"]], [3, 5180000])
        p = problem(self.session.call("vector_convert", {"uri": "c.csv", "x": "E", "y": "N", "crs": "EPSG:2193", "output": "c.gpkg"}))
        self.assertIn("N_2", p["message"] + p["hint"])

    def test_a_condition_tells_where_it_ignores_case(self):
        self.write("k.csv", "code,v\na,1\nA,2\nb,3\n")
        for where, n in (("code = 'a'", 2), ("code in ('a', 'x')", 2), ("code <> 'a'", 1)):
            told = self.call("vector_query", uri="k.csv", where=where, output="k.gpkg", overwrite=True)
            self.assertEqual(told["matched_total"], n)
            self.assertIn("'a' stands for 'A' of feature 2 as well; LIKE 'a' tells them apart", str(told["warnings"]))
        exact = self.call("vector_query", uri="k.csv", where="code LIKE 'a'", output="k.gpkg", overwrite=True)
        self.assertEqual((exact["matched_total"], "ignore the case" in str(exact.get("warnings"))), (1, False))

    def test_an_order_tells_where_it_ignores_case(self):
        self.write("s.csv", "code,v\na,1\nB,2\nApple,3\n")
        for where, n, value in (("code BETWEEN 'a' AND 'c'", 3, "'B' of feature 2 is greater than 'a'"), ("code < 'a_b'", 1, "'B' of feature 2 is greater than 'a_b'"),
                                ("code >= 'b'", 1, "'B' of feature 2 is equal to 'b'")):
            told = self.call("vector_query", uri="s.csv", where=where, output="s.gpkg", overwrite=True)
            self.assertEqual((told["matched_total"], len(told["warnings"])), (n, 1))
            self.assertIn(f"<, > and BETWEEN ignore the case of ASCII letters, by which {value}", told["warnings"][0])
        self.assertEqual(self.call("vector_query", uri="s.csv", where="code > '!' AND v = 2", output="s.gpkg", overwrite=True)["warnings"], [])

    def test_numbers_of_a_dbf_that_are_not_read_are_counted(self):
        rows = [(" ", "1.50", "9007199254740993"), (" ", "*****", "12345678901234567890"), ("*", "*****", "1")]
        body = b"".join((flag + v.rjust(5) + id.rjust(20)).encode() for flag, v, id in rows)
        head = struct.pack("<BBBBIHH20x", 3, 124, 1, 1, len(rows), 32 + 32 * 2 + 1, 26)
        head += b"".join(n.encode().ljust(11, b"\0") + b"N" + struct.pack("<4xBB14x", w, d) for n, w, d in (("VAL", 5, 2), ("ID", 20, 0))) + b"\r"
        with open(self.path("n.dbf"), "wb") as f:
            f.write(head + body + b"\x1a")
        told = " ".join(self.call("vector_query", uri="n.dbf", output="n.gpkg")["warnings"])
        self.assertIn("'VAL': 1 number is '*', a null or too long for its field: it is read as null", told)
        self.assertIn("'ID' holds numbers of more digits than a decimal number keeps, the first in feature 0", told)

    def test_whole_numbers_beside_decimals_of_geojson_are_rounded_aloud(self):
        told = self.call("vector_query", uri=self.geojson("w.geojson", 9007199254740993, 1.5), output="w.gpkg")
        self.assertIn("'a' holds numbers of more digits than a decimal number keeps, the first in feature 0", " ".join(told["warnings"]))
        self.assertEqual(self.call("vector_query", uri=self.geojson("x.geojson", 900719925474099, 1.5), output="x.gpkg")["warnings"], [])

    def geojson(self, name, *values):
        return self.write(name, json.dumps({"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"a": v}, "geometry": None} for v in values]}))

    def test_keys_that_only_look_alike_are_told_by_their_characters(self):
        for a, b, characters in (("Café", "Cafe\u0301", "U+00E9 and U+0065"), ("New York", "New\u00a0York", "U+0020 and U+00A0")):
            self.write("a.csv", f"k,a\n{a},1\n")
            self.write("b.csv", f"k,b\n{b},1\n")
            told = self.call("vector_join", target="a.csv", join="b.csv", keys={"k": "k"}, output="j.gpkg", overwrite=True)
            self.assertIn(f"differ in the characters {characters}: vector_calc's replace makes them the same", " ".join(told["warnings"]))

    def test_a_day_beside_its_digits_is_joined_by_the_step_that_is_named(self):
        self.write("d.csv", "d,a\n2024-01-31,1\n")
        self.write("n.csv", "k,b\n20240131,2\n")
        hint = self.refused("vector_join", target="d.csv", join="n.csv", keys={"d": "k"}, output="j.gpkg")["hint"]
        made = "year(d) * 10000 + month(d) * 100 + day(d)"
        self.assertIn(made, hint)
        self.call("vector_calc", uri="d.csv", fields={"n": made}, output="dn.gpkg")
        self.assertEqual(self.call("vector_join", target="dn.gpkg", join="n.csv", keys={"n": "k"}, output="j.gpkg")["matched"], 1)

    def test_a_table_of_2100_columns_is_read_whole_and_a_geopackage_of_it_refused(self):
        self.write("wide.csv", ",".join(f"c{i}" for i in range(2100)) + "\n" + ",".join(str(i) for i in range(2100)) + "\n")
        self.assertEqual(self.call("vector_stats", uri="wide.csv", fields=["c2099"], statistics=["max"])["groups"][0]["figures"], {"max": 2099})
        refused = self.refused("vector_convert", uri="wide.csv", output="wide.gpkg")
        self.assertEqual((refused["message"], refused["hint"]), ("the result has 2100 fields, and a GeoPackage holds 1998",
                                                                 "choose fields with 'attributes' of vector_query, or write to .csv"))
        self.assertIn(" and 1900 more", self.refused("vector_stats", uri="wide.csv", fields=["d"])["hint"])

    def test_a_dbf_without_a_declared_encoding(self):
        for encoding in ("cp1252", "cp437", "utf-8"):
            rows = [("1", "Café", "Größe"), ("2", "Ñandú", "x")]
            body = b"".join(b" " + a.encode().ljust(4) + b.encode(encoding).ljust(12) + c.encode(encoding).ljust(12) for a, b, c in rows)
            head = struct.pack("<BBBBIHH20x", 3, 124, 1, 1, len(rows), 32 + 32 * 3 + 1, 29)
            head += b"".join(n.encode().ljust(11, b"\0") + b"C" + struct.pack("<4xBB14x", w, 0) for n, w in (("ID", 4), ("NAME", 12), ("B", 12))) + b"\r"
            with open(self.path(encoding + ".dbf"), "wb") as f:
                f.write(head + body + b"\x1a")
            name = encoding + ".dbf"
            self.assertEqual(self.call("vector_query", uri=name, where="NAME = 'Café'", output="n.gpkg", overwrite=True)["matched_total"], 1, encoding)
            told = self.call("vector_stats", uri=name, fields=["NAME"], by="B", statistics=["min"])
            self.assertEqual([g["figures"]["min"] for g in told["groups"]], ["Café", "Ñandú"])

    def test_deleted_rows_of_a_dbf_are_none(self):
        driver = ogr.GetDriverByName("ESRI Shapefile")
        data = driver.CreateDataSource(self.path("x.dbf"))
        layer = data.CreateLayer("x", geom_type=ogr.wkbNone)
        layer.CreateField(ogr.FieldDefn("v", ogr.OFTInteger))
        for v in range(3):
            f = ogr.Feature(layer.GetLayerDefn())
            f["v"] = v
            layer.CreateFeature(f)
        data = layer = None
        with open(self.path("x.dbf"), "r+b") as f:  # marked, not yet packed: GDAL packs on its own
            f.seek(8)
            head, row = struct.unpack("<HH", f.read(4))
            f.seek(head + row)
            f.write(b"*")
        self.assertEqual(self.info("x.dbf")[2]["feature_count"], 2)
        told = self.call("vector_query", uri="x.dbf", output="x.gpkg")
        self.assertEqual((told["feature_count"], "damaged" in str(told.get("warnings"))), (2, False))

    def test_times_of_several_zones_are_ordered_by_moment(self):
        self.write("tz.csv", "id,t\n1,2024-01-01T10:00:00+05:00\n2,2024-01-01T08:00:00Z\n3,2024-01-01T09:30:00+02:00\n")
        told = self.call("vector_stats", uri="tz.csv", fields=["t"], statistics=["min", "max"])
        self.assertEqual(told["groups"][0]["figures"], {"min": "2024-01-01T10:00:00+05:00", "max": "2024-01-01T08:00:00Z"})

    def workbook(self, name, *arguments, **parts):
        return write_workbook(self.path(name), *arguments, **parts)

    def test_dates_of_a_workbook(self):
        names = "".join(f'<c r="{c}1" t="inlineStr"><is><t>{n}</t></is></c>' for c, n in zip("ABCD", ("moment", "day", "long", "sum")))
        row = '<c r="A2" s="1"><v>45383.5625</v></c><c r="B2" s="2"><v>45383</v></c><c r="C2" s="3"><v>1.25</v></c><c r="D2"><f>A2+B2</f></c>'
        book = self.workbook("b.xlsx", ("yyyy-mm-dd h:mm:ss", "d-mmm-yyyy", "[h]:mm:ss"), [names, row])
        fields, _, _ = self.info(book)
        self.assertEqual({n: fields[n] for n in ("moment", "day", "long")}, {"moment": "DateTime", "day": "Date", "long": "Real"})
        told = self.call("vector_query", uri=book, output="b.gpkg")
        shown = told["features"]["features"][0]["properties"]
        self.assertEqual([shown["moment"][:19].replace(" ", "T").replace("/", "-"), shown["day"].replace("/", "-"), shown["long"], shown["sum"]], ["2024-04-01T13:30:00", "2024-04-01", 1.25, None])
        self.assertIn("durations of sheet 'S' are read as numbers of days", str(told["warnings"]))
        self.assertIn("1 cell of sheet 'S' holds a formula without a result", str(told["warnings"]))
        old = self.workbook("o.xlsx", ("yyyy-mm-dd",), [names, '<c r="A2" s="1"><v>43921</v></c>'], '<workbookPr date1904="1"/>')
        shown = self.call("vector_query", uri=old, output="o.gpkg")["features"]["features"][0]["properties"]
        self.assertEqual(shown["moment"].replace("/", "-"), "2024-04-01")

    def test_a_text_that_is_no_geometry_is_named(self):
        self.write("w.csv", "id,WKT\n1,POINT (1 2)\n2,POINT (3\n3,\n4,POINT (5 6)\n")
        for tool, how in (("vector_info", {}), ("vector_query", {"output": "w.gpkg"})):
            told = self.call(tool, uri="w.csv", **how)
            self.assertIn("1 feature has no geometry, because 'WKT' cannot be read as one: feature 2 has 'POINT (3'", told["warnings"], tool)

    def test_the_recipe_for_geometries_with_their_srid_fits_the_column(self):
        self.write("e.csv", "id,shape\n1,SRID=4326;POINT(5 6)\n2,SRID=4326;POINT(7 8)\n")
        self.assertIn('{"WKT": "replace(shape, ', " ".join(self.call("vector_info", uri="e.csv")["warnings"]))
        self.call("vector_calc", uri="e.csv", fields={"WKT": "replace(shape, 'SRID=4326;', '')"}, output="e2.csv")
        self.assertEqual(self.info("e2.csv")[2]["geometry_types"], [{"type": "Point", "count": 2}])
        self.write("e.csv", "id,wkt\n1,SRID=4326;POINT(5 6)\n2,SRID=4326;POINT(7 8)\n")
        self.assertIn("take 'SRID=…;' out of the file", " ".join(self.call("vector_info", uri="e.csv")["warnings"]))

    def test_merged_cells_over_several_rows_are_named(self):
        def text(place, words):
            return f'<c r="{place}" t="inlineStr"><is><t>{words}</t></is></c>'
        rows = [text("A1", "region") + text("B1", "v"), text("A2", "north") + '<c r="B2"><v>1</v></c>', '<c r="A3"/><c r="B3"><v>2</v></c>', text("A4", "south") + '<c r="B4"><v>3</v></c>']
        told = self.call("vector_stats", uri=self.workbook("m.xlsx", (), rows, merged=("A2:A3", "C1:D1")), fields=["v"], by=["region"], statistics=["sum"])
        self.assertEqual(len(told["groups"]), 3)
        self.assertIn("1 area of merged cells of sheet 'S' spans several rows, the first A2:A3: its value is read in its first cell, the others are null", str(told["warnings"]))
        self.assertIn("A2:A3", str(self.call("vector_convert", uri="m.xlsx", header_row=1, output="m.csv")["warnings"]))
        self.assertNotIn("merged", str(self.call("vector_stats", uri=self.workbook("t.xlsx", (), rows, merged=("C1:D1",)), fields=["v"])["warnings"]))

    def test_only_the_sheet_in_use_is_warned_of_by_its_name(self):
        def text(place, words):
            return f'<c r="{place}" t="inlineStr"><is><t>{words}</t></is></c>'
        sums = [text("A1", "k") + text("B1", "v"), '<c r="A2"><v>1</v></c><c r="B2"><f>A2*2</f></c>', '<c r="A3"/><c r="B3"><v>2</v></c>']
        plain = [text("A1", "code") + text("B1", "n"), text("A2", "x") + '<c r="B2"><v>1</v></c>']
        self.workbook("two.xlsx", (), sums, merged=("A2:A3",), second=plain)
        formula, merged = "1 cell of sheet 'S' holds a formula without a result", "1 area of merged cells of sheet 'S' spans several rows"
        for layer, said in (("S", 1), ("T & U", 0)):
            warned = " ".join(self.call("vector_stats", uri="two.xlsx", layer=layer, fields=["v" if said else "n"])["warnings"])
            self.assertEqual((warned.count(formula), warned.count(merged)), (said, said), warned)
            warned = " ".join(self.call("vector_convert", uri="two.xlsx", sheet=layer, header_row=1, output=f"{said}.csv")["warnings"])
            self.assertEqual((warned.count(formula), warned.count(merged)), (said, said), warned)
        warned = " ".join(self.call("vector_info", uri="two.xlsx")["warnings"])
        self.assertEqual((warned.count(formula), warned.count(merged)), (1, 1), warned)

    def test_types_string_keeps_the_text_of_the_file(self):
        self.write("t.csv", "id,a,b,c\n1,\"8,336,817\",NA,555 123\n2,\"1,000\",5,1\n")
        self.call("vector_convert", uri="t.csv", types={"a": "String", "b": "String", "c": "String"}, output="t.gpkg")
        data = ogr.Open(self.path("t.gpkg"))
        self.assertEqual([(f["a"], f["b"], f["c"]) for f in data.GetLayer()], [("8,336,817", "NA", "555 123"), ("1,000", "5", "1")])
        self.write("big.csv", "id,v\n1,9007199254740993\n")
        self.assertIn("which would round it", self.refused("vector_convert", uri="big.csv", types={"v": "Real"}, output="no.gpkg")["message"])

    def test_one_row_beyond_the_axes_is_named_and_nothing_is_swapped(self):
        self.write("c.csv", "n,lat,lon\n" + "".join(f"p{i},{47 + i / 1000},{8 + i / 1000}\n" for i in range(99)) + "bad,95,8\n")
        p = self.refused("vector_convert", uri="c.csv", x="lon", y="lat", crs="EPSG:4326", output="no.gpkg")
        self.assertIn("feature 100 of layer 'c' cannot be used: its lat is '95", p["message"])
        self.assertNotIn("swapped", p["hint"])
        told = self.call("vector_convert", uri="c.csv", x="lon", y="lat", crs="EPSG:4326", skip_failed=True, output="c.gpkg")
        self.assertEqual((told["feature_count"], told["failed_ids"]), (99, [100]))

    def test_header_row_is_obeyed(self):
        self.write("h.csv", "id,name\n1,Bern\n2,Basel\n")
        told = self.call("vector_convert", uri="h.csv", header_row=2, output="h.gpkg")
        self.assertEqual([f["name"] for f in told["fields"]], ["1", "Bern"])

    def test_encodings_a_caller_gives_reach_the_names(self):
        self.write("r.csv", "город,v\nМосква,1\n", "cp1251")
        told = self.call("vector_convert", uri="r.csv", encoding="CP1251", output="r.gpkg")
        self.assertEqual([f["name"] for f in told["fields"]], ["город", "v"])
        self.write("j.csv", "都市,人口\n東京,5\n大阪,3\n", "cp932")
        found = self.call("data_find", terms=["東京"])
        self.assertIn("j.csv", str(found))

    def test_a_table_without_geometry_becomes_geojson(self):
        self.write("g.csv", "id,name\n1,Bern\n")
        self.assertEqual(self.call("vector_convert", uri="g.csv", output="g.geojson")["feature_count"], 1)

    def test_charts_of_nearly_equal_and_huge_numbers(self):
        self.write("n.csv", "id,v,h\n1,0.3,1.7e308\n2,0.30000000000000004,-1.7e308\n3,0.3,0\n")
        for kind in ({"kind": "histogram", "field": "v"}, {"kind": "line", "x": "id", "y": "v"}, {"kind": "scatter", "x": "id", "y": "v"}):
            self.assertEqual(self.call("chart_preview", uri="n.csv", **kind)["drawn_count"], 3)
        self.assertIn("beyond the 1e300", self.refused("chart_preview", uri="n.csv", kind="line", x="id", y="h")["message"])

    def test_numbers_kept_as_text_are_named(self):
        self.write("w.csv", "id,v\n1,12.5%\n2,9\n3,10\n4,1\n")
        told = self.call("vector_stats", uri="w.csv", fields=["v"])
        self.assertIn("3 of 4 values are numbers; feature 1 has '12.5%'", " ".join(told["warnings"]))
        told = self.call("vector_calc", uri="w.csv", fields={"n": "number(v)"}, output="w.gpkg")
        self.assertIn("feature 1 has v '12.5%'", str(told["warnings"]))

    def test_numbers_that_are_all_text_are_named_where_their_order_counts(self):
        """As sheets have them. 100 is the greatest number and the least text."""
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("t.gpkg"))
        layer = file.CreateLayer("t", None, ogr.wkbNone)
        for name in ("v", "zip", "odd name"):
            layer.CreateField(ogr.FieldDefn(name, ogr.OFTString))
        for v, code in (("9", "01067"), ("10", "9"), ("100", "10115"), ("7", "80331")):
            f = ogr.Feature(layer.GetLayerDefn())
            f["v"], f["zip"], f["odd name"] = v, code, v
            layer.CreateFeature(f)
        del f, layer, file
        said = lambda told: [w for w in told["warnings"] if "is text" in w]
        advice = 'vector_calc with {"v": "number(v)"} makes numbers of it'
        warning, = said(self.call("vector_stats", uri="t.gpkg", fields=["v", "zip"]))
        self.assertIn("'v' is text, of which all values are numbers: min and max are those of text ('10' before '9'); " + advice, warning)
        warning, = said(self.call("vector_query", uri="t.gpkg", order=["v desc"], limit=2))
        self.assertIn("'v' is text, and its numbers are ordered as text ('10' before '9'); " + advice, warning)
        warning, = said(self.call("vector_query", uri="t.gpkg", where="v > '50' AND zip <> '9'"))
        self.assertIn("by which '9' of feature 1 is not less than '50': " + advice, warning)
        self.assertEqual(len(said(self.call("vector_stats", uri="t.gpkg", fields=["zip"], where="v NOT BETWEEN '20' AND '30'"))), 1)
        for quiet in ({"order": ["zip"]}, {"where": "v = '9'"}, {"where": "v IN ('9', '10')"}, {"where": "zip > '01000'"}, {"where": "v > 'a'"}):
            self.assertEqual(said(self.call("vector_query", uri="t.gpkg", **quiet)), [])
        hint = self.refused("vector_query", uri="t.gpkg", where="v > 50")["hint"]
        self.assertIn("make numbers of those kept as text first, with vector_calc and its number()", hint)
        self.call("vector_calc", uri="t.gpkg", fields={"v": "number(v)"}, output="n.gpkg")
        self.assertEqual(self.call("vector_query", uri="n.gpkg", where="v > 50")["matched_total"], 1)
        self.call("vector_calc", uri="t.gpkg", fields={"odd name": 'number("odd name")'}, output="o.gpkg")
        self.assertIn('vector_calc with {"odd name": "number(\\"odd name\\")"}', str(self.call("vector_query", uri="t.gpkg", order=["odd name"])["warnings"][0]))

    def test_a_second_table_below_or_above_is_left_out_and_named(self):
        legend = "the 4 lines below the rows from 'Code, Meaning' on are a second table"
        for rows in (3, 8, 300):
            self.write("two.csv", "Region,Value,Flag\n" + "".join(f"r{i},{i},a\n" for i in range(rows)) + "\nCode,Meaning\n1,good\n2,bad\n3,ugly\n")
            fields, _, layer = self.info("two.csv")
            self.assertEqual((fields, layer["feature_count"]), ({"Region": "String", "Value": "Integer", "Flag": "String"}, rows))
            told = self.call("vector_stats", uri="two.csv", fields=["Value"], statistics=["sum"])
            self.assertEqual(told["groups"][0]["figures"]["sum"], rows * (rows - 1) // 2)
            self.assertIn(legend, " ".join(told["warnings"]))
        self.write("un.csv", '"Country or Area","Year","Value"\n"Chad","2001","5.5"\n"Mali","2002","6.5"\n"footnoteSeqID","Footnote"\n"1","Projected"\n"2","Estimate"\n')
        self.assertEqual(self.info("un.csv")[2]["feature_count"], 2)
        # Rows that end early, and go on, are rows.
        self.write("rows.csv", "a,b,c\n1,2,3\n\nx,y\n4,5,6\n")
        self.assertEqual(self.info("rows.csv")[2]["feature_count"], 3)
        self.write("met.csv", "Station,Lat,Lon\nOslo,59.9,10.7\n\nDate,Value\n" + "".join(f"2001-01-0{i},5\n" for i in range(1, 7)))
        self.assertEqual(self.info("met.csv")[0], {"Date": "Date", "Value": "Integer"})
        told = " ".join(self.call("vector_query", uri="met.csv")["warnings"])
        self.assertIn("'Station, Lat, Lon' on look like another table and are left out: vector_convert with header_row: 1 reads it", told)
        self.assertEqual(self.call("vector_convert", uri="met.csv", header_row=1, output="m.csv")["feature_count"], 1)

    def test_lines_of_formats_and_rules_are_no_rows(self):
        self.write("rdb.tsv", "agency_cd\tsite_no\tdatetime\tflow\n5s\t15s\t20d\t14n\nUSGS\t0100\t2020-01-01\t5.5\nUSGS\t0100\t2020-01-02\t6.5\n")
        self.assertEqual(self.info("rdb.tsv")[0], {"agency_cd": "String", "site_no": "String", "datetime": "Date", "flow": "Real"})
        self.write("durations.csv", "first,second\n10s,15s\n11s,16s\n")
        self.assertEqual(self.info("durations.csv")[2]["feature_count"], 2)
        self.write("rule.csv", "Datum;Wert;Art\n2020-01-01;5;a\n2020-01-02;6;b\n__________\nDie Werte sind vorlaeufig.\n")
        fields, said, layer = self.info("rule.csv")
        self.assertEqual((fields, layer["feature_count"]), ({"Datum": "Date", "Wert": "Integer", "Art": "String"}, 2))
        self.assertIn("2 lines below the rows left out", said)

    def test_errors_of_spreadsheets_are_null(self):
        self.write("e.csv", "id,v\n1,0.1\n2,\n3,#N/A\n4,#DIV/0!\n5,--\n")
        told = self.call("vector_stats", uri="e.csv", fields=["v"], statistics=["sum", "count"])["groups"][0]
        self.assertEqual((told["figures"], told["nulls"]), ({"sum": 0.1, "count": 1}, 4))

    def test_points_that_are_no_degrees_take_away_the_crs_with_a_word(self):
        self.write("p.csv", "n,lat,lon\n" + "".join(f"p{i},{47 + i / 100},{8 + i / 100}\n" for i in range(99)) + "bad,145.7,8\n")
        self.assertIn("1 of 100 points, the first in row 100, lie beyond", " ".join(self.call("vector_query", uri="p.csv", show=0)["warnings"]))
        self.assertEqual(self.call("vector_convert", uri="p.csv", x="lon", y="lat", crs="EPSG:4326", skip_failed=True, output="p.gpkg")["feature_count"], 99)

    def test_like_on_days_is_refused_with_what_selects_them(self):
        self.write("d.csv", "day,n\n2015-01-04,1\n2015-01-05,2\n2015-01-06,3\n")
        hint = self.refused("vector_query", uri="d.csv", where="day LIKE '2015-01-05%'")["hint"]
        self.assertNotIn("number()", hint)
        condition = hint.split("such as ")[1].split(";")[0]
        self.assertEqual(self.call("vector_query", uri="d.csv", where=condition)["matched_total"], 1)

    def test_records_in_json_are_refused_with_what_to_do(self):
        self.write("r.json", '[{"a": 1}]')
        self.assertIn("write records", self.refused("vector_info", uri="r.json")["hint"])

    def test_a_total_and_empty_rows_below_a_sheet_are_named(self):
        file = ogr.GetDriverByName("ODS").CreateDataSource(self.path("s.ods"))
        for sheet, last in (("a", 2), ("b", 0)):
            layer = file.CreateLayer(sheet)
            layer.CreateField(ogr.FieldDefn("region", ogr.OFTString))
            layer.CreateField(ogr.FieldDefn("pop", ogr.OFTInteger))
            for region, pop in [("North", 100), ("South", 50), ("West", 7), ("Total", 157), *[(None, None)] * last]:
                f = ogr.Feature(layer.GetLayerDefn())
                if region:
                    f["region"], f["pop"] = region, pop
                layer.CreateFeature(f)
        del f, layer, file
        told = self.call("vector_stats", uri="s.ods", layer="b", fields=["pop"], statistics=["sum"])
        self.assertIn("the last row of sheet 'b' is 'Total' and counts as a row: if it sums up those above, leave it out with 'where'", told["warnings"])
        told = self.call("vector_stats", uri="s.ods", layer="b", fields=["pop"], statistics=["sum"], where="region <> 'Total'")
        self.assertEqual((told["groups"][0]["figures"]["sum"], told["warnings"]), (157, []))
        total = "the last row of sheet 'b' is 'Total'"
        for tool, more in (("vector_query", {}), ("vector_calc", {"fields": {"k": "pop / 1000"}})):
            told = self.call(tool, uri="s.ods", layer="b", output=tool + ".csv", **more)
            self.assertIn(total, " ".join(told["warnings"]))
            told = self.call(tool, uri="s.ods", layer="b", output=tool + "2.csv", where="region <> 'Total'", **more)
            self.assertNotIn(total, " ".join(told["warnings"]))
        self.assertIn(total, " ".join(self.call("vector_query", uri="s.ods", layer="b", where="pop > 60", output="p.csv")["warnings"]))

    def test_empty_texts_are_named_where_null_is_asked_for(self):
        self.write("s.csv", "n,sex\n1,f\n2,\n3,\n")
        told = " ".join(self.call("vector_query", uri="s.csv", where="sex IS NULL")["warnings"])
        self.assertIn("'sex' has 2 empty texts, not null: sex = '' selects them", told)
        self.assertEqual(self.call("vector_query", uri="s.csv", where="sex = ''")["matched_total"], 2)

    def test_columns_that_stay_text_alike_are_named_together(self):
        self.write("p.csv", "id,a,b,n\nx,37%,4%,1\ny,5%,6%,2\n")
        told = self.call("vector_stats", uri="p.csv", fields=["n"])["warnings"]
        self.assertEqual([w for w in told if "percentages" in w],
                         ["'a', 'b' stay text: '37%' and the like are percentages; vector_calc's replace and number make numbers of them"])

    def test_days_with_short_years_are_named_with_what_reads_them(self):
        for days, words, first in ((["6/9/17", "12/15/00"], "are days with years of two digits, the month first", "2017-06-09"),
                                   (["31.12.21", "01.02.21"], "are days with years of two digits, the day first", "2021-12-31")):
            self.write("d.csv", "d,n\n" + "".join(f"{d},1\n" for d in days))
            told = " ".join(self.call("vector_query", uri="d.csv")["warnings"])
            self.assertIn(words, told)
            recipe = told.split("reads them with ")[1].split(", of years")[0]
            self.call("vector_calc", uri="d.csv", fields={"day": recipe}, output="d.gpkg", overwrite=True)
            self.assertEqual(self.call("vector_query", uri="d.gpkg")["features"]["features"][0]["properties"]["day"], first)

    def test_a_column_of_numbers_and_marks_in_a_sheet_is_named_with_the_way_to_read_it(self):
        file = ogr.GetDriverByName("ODS").CreateDataSource(self.path("m.ods"))
        layer = file.CreateLayer("m")
        for name in ("id", "v", "w"):
            layer.CreateField(ogr.FieldDefn(name, ogr.OFTString))
        for row in (("a", "1"), ("b", "NA"), ("c", "3"), ("d", "10"), ("e", "n/a")):
            f = ogr.Feature(layer.GetLayerDefn())
            f["id"], f["v"], f["w"] = *row, row[1]
            layer.CreateFeature(f)
        del f, layer, file
        hint, = [h for h in self.info("m.ods")[2]["hints"] if "'v'" in h]
        self.assertIn("'v', 'w' are text, and 3 of 5 values checked of 'v' are numbers", hint)
        self.assertIn("vector_convert with header_row: 1 as well", hint)
        self.call("vector_convert", uri="m.ods", header_row=1, output="m.gpkg")
        told = self.call("vector_stats", uri="m.gpkg", fields=["v"], statistics=["count", "max"])
        self.assertEqual((told["groups"][0]["figures"], told["groups"][0]["nulls"]), ({"count": 3, "max": 10}, 2))

    def test_conditions_select_the_rows_that_sqlite_selects(self):
        """80 conditions by chance over fields of which a third is null."""
        chance = random.Random(5)
        file = ogr.GetDriverByName("GPKG").CreateDataSource(self.path("c.gpkg"))
        layer = file.CreateLayer("c", None, ogr.wkbNone)
        for name, kind in (("a", ogr.OFTInteger), ("b", ogr.OFTReal), ("s", ogr.OFTString)):
            layer.CreateField(ogr.FieldDefn(name, kind))
        for _ in range(300):
            f = ogr.Feature(layer.GetLayerDefn())
            for name, value in (("a", chance.randint(0, 9)), ("b", chance.randint(0, 90) / 10), ("s", chance.choice("pqrst"))):
                if chance.random() < .7:
                    f[name] = value
            layer.CreateFeature(f)
        del f, layer, file

        def condition(depth):
            if depth == 0 or chance.random() < .15:
                return chance.choice(("a {0} {1}", "b {0} a", "a + b {0} {1}", "a IN ({1}, {2})", "a NOT IN ({1}, {2})", "b BETWEEN {1} AND {2}",
                                      "b NOT BETWEEN {1} AND {2}", "s LIKE '{3}%'", "s NOT LIKE '{3}'", "{4} IS NULL", "{4} IS NOT NULL")).format(
                                          chance.choice(("<", ">", "<=", ">=", "=", "<>")), chance.randint(0, 9), chance.randint(0, 9), chance.choice("pqr"), chance.choice("abs"))
            if chance.random() < .35:
                return f"NOT ({condition(depth - 1)})"
            return f"({condition(depth - 1)} {chance.choice(('AND', 'OR'))} {condition(depth - 1)})"

        with sqlite3.connect(self.path("c.gpkg")) as sqlite:
            for _ in range(80):
                where = condition(chance.randint(1, 4))
                with self.subTest(where=where):
                    expected, = sqlite.execute("SELECT count(*) FROM c WHERE " + where).fetchone()
                    self.assertEqual(self.call("vector_query", uri="c.gpkg", where=where, show=0)["matched_total"], expected)

    def selects(self, uri, where):
        return sorted(f["properties"]["n"] for f in self.call("vector_query", uri=uri, where=where)["features"]["features"])

    def test_quotients_keep_fractions_and_what_is_divided_by_0_is_null(self):
        self.write("z.csv", "n,a,b\n1,5,0\n2,6,2\n3,-7,0\n4,3,4\n")
        with sqlite3.connect(self.path("z.gpkg")) as made:
            made.execute("CREATE TABLE z (n INTEGER, a INTEGER, b INTEGER)")
            made.executemany("INSERT INTO z VALUES (?, ?, ?)", [(1, 5, 0), (2, 6, 2), (3, -7, 0), (4, 3, 4)])
            for where, sql in (("a/b > 2", "a*1.0/b > 2"), ("a/b < 0.8", "a*1.0/b < 0.8"), ("NOT a/b > 2", "NOT a*1.0/b > 2"), ("a/b IS NULL", "a*1.0/b IS NULL"),
                               ("a/b IS NOT NULL", "a*1.0/b IS NOT NULL"), ("a/b <> 3", "a*1.0/b <> 3"), ("100*a/b BETWEEN 70 AND 80", "100.0*a/b BETWEEN 70 AND 80"),
                               ("(b-a)/b >= 0.2", "(b-a)*1.0/b >= 0.2"), ("a/b IN (3, 0.75)", "a*1.0/b IN (3, 0.75)"), ("a/b > 2 OR n = 1", "a*1.0/b > 2 OR n = 1"), ("a % b = 0", "a % b = 0")):
                expected = [n for n, in made.execute("SELECT n FROM z WHERE " + sql + " ORDER BY n")]
                self.assertEqual(self.selects("z.csv", where), expected, where)

    def test_moments_are_compared_as_such_and_a_letter_may_have_several_bytes(self):
        self.write("t.geojson", json.dumps({"type": "FeatureCollection", "features": [
            {"type": "Feature", "geometry": None, "properties": {"n": n, "day": day, "t": t, "name": name}} for n, day, t, name in (
                (0, "2023-06-01", "2024-01-01T04:30:00+02:00", "Fåvang"), (1, "2023-06-02", "2024-01-01T03:30:00Z", "Fxvang"),
                (2, None, "2024-01-01T01:00:00-05:00", "F_vang"), (3, "2023-07-01", None, None))]}))
        for where, expected in (("day <> '2023-06-01'", [1, 3]), ("day != '2023/06/01'", [1, 3]), ("NOT day = '2023-06-01'", [1, 3]), ("day NOT IN ('2023-06-01', '2023-07-01')", [1]),
                                ("day IN ('2023-06-01', '2023-07-01')", [0, 3]), ("day BETWEEN '2023-06-02' AND '2023-06-30'", [1]), ("day NOT BETWEEN '2023-06-02' AND '2023-06-30'", [0, 3]),
                                ("t < '2024-01-01T03:00:00Z'", [0]), ("t > '2024-01-01T05:00:00+00:00'", [2]), ("t > '2024-01-01T05:00:00+02:00'", [1, 2]),
                                ("t < '2024-01-01T02:00:00'", [2]),  # by the clock as written
                                ("t >= day", [0, 1]), ("t IS NULL", [3]), ("NOT (t < '2024-01-01T03:00:00Z' OR n = 1)", [2]),
                                ("name LIKE 'F_vang'", [0, 1, 2]), ("name NOT LIKE 'F_vang'", []), ("name ILIKE 'f_v%'", [0, 1, 2]), ("name LIKE 'F!_vang' ESCAPE '!'", [2]), ("name LIKE '______'", [0, 1, 2]),
                                ("name LIKE '_____'", [])):
            self.assertEqual(self.selects("t.geojson", where), expected, where)
        for text in ("2023", "1.6.2023", "June 2023"):
            self.assertIn("is no date, and the field 'day' holds dates", self.refused("vector_query", uri="t.geojson", where=f"n = 1 OR day < '{text}'")["message"])

    def test_names_that_are_numbers_stand_in_quotes(self):
        self.write("y.csv", "k,1990,2000\na,1,5\nb,3,7\n")
        for where in ("1990 > 2", '1990 > "2000"', "k = 'a' AND 1990 > 2"):
            self.assertIn("1990 is the number, and '1990' is a field, too", self.refused("vector_query", uri="y.csv", where=where)["message"])
        for expression in ("2000 - 1990", '1990/"2000"', "where(k == 'a', 1990, 0)"):
            self.assertIn('stands in double quotes: "', self.refused("vector_calc", uri="y.csv", fields={"d": expression}, output="d.gpkg")["hint"])
        self.assertEqual(self.call("vector_query", uri="y.csv", where="\"1990\" < 1990.0 AND k <> '1990'")["matched_total"], 2)
        self.assertEqual(self.call("vector_query", uri="y.csv", where='"1990" > 2')["matched_total"], 1)
        self.assertEqual(self.call("vector_query", uri="y.csv", where="1 = 1")["matched_total"], 2)
        self.assertEqual(self.call("vector_calc", uri="y.csv", fields={"d": '"2000" - "1990"', "of": "'1990'"}, output="d.gpkg")["fields"][0]["min"], 4)

    def test_a_line_of_100_000_points_is_drawn_at_once_and_keeps_its_spikes(self):
        """What takes half a minute to stroke point by point; the one spike is the highest row of ink."""
        self.write("flat.csv", "t,q\n" + "".join(f"{i},{i % 7}\n" for i in range(100_000)))
        self.write("spike.csv", "t,q\n" + "".join(f"{i},{100 if i == 54321 else i % 7}\n" for i in range(100_000)))
        begin = time.monotonic()
        told = self.call("chart_preview", uri="spike.csv", kind="line", x="t", y="q")
        self.assertLess(time.monotonic() - begin, 8)
        self.assertEqual((told["drawn_count"], told["series"][0]["max"]), (100_000, 100))
        pictures = []
        for name in ("flat.csv", "spike.csv"):
            result = self.session.call("chart_preview", {"uri": name, "kind": "line", "x": "t", "y": "q"})
            image, = [c for c in result["content"] if c["type"] == "image"]
            gdal.FileFromMemBuffer("/vsimem/chart.png", base64.b64decode(image["data"]))
            file = gdal.Open("/vsimem/chart.png")
            shown = gdal.Translate("", file, format="MEM", **({"rgbExpand": "rgb"} if file.RasterCount == 1 else {}))
            pictures.append(shown.ReadAsArray()[:3].astype(int))
        blue = lambda p: ((p[2] - p[0]) > 60)
        self.assertGreater(blue(pictures[0]).any(axis=1).sum(), 200)  # 0 to 6 fills the height
        spike = blue(pictures[1])
        self.assertEqual(spike.any(axis=1).sum() > 200, True)
        self.assertLess((spike.sum(axis=1) > 20).sum(), 60)  # but for the one line it lies at the bottom

    def test_a_million_rows(self):
        with open(self.path("big.csv"), "w") as f:
            f.write("k;v\n" + "".join(f"{i % 7};{i // 1000}.{i % 1000:03},5\n" for i in range(1000, 1000000)))
        told = self.call("vector_stats", uri="big.csv", fields=["v"], by="k", statistics=["count", "min", "max"])
        self.assertEqual(sum(g["figures"]["count"] for g in told["groups"]), 999000)
        self.assertEqual(max(g["figures"]["max"] for g in told["groups"]), 999999.5)


if __name__ == "__main__":
    unittest.main()
