"""Tables as people send them: what vector_info says of them, what the tools compute of them, what they refuse."""
import os
import unittest

from osgeo import gdal, ogr

from session import Claims, Session, good, problem

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
        for row in (["by the office"], ["town", "pop", "share"], ["Ahaus", "39000", "0.5"], ["Borken", "42000", "0.25"]):
            f = ogr.Feature(sheet.GetLayerDefn())
            for i, v in enumerate(row):
                f[i] = v
            sheet.CreateFeature(f)
        book = sheet = None
        self.assertIn("vector_convert with header_row", str(self.info("book.xlsx")[2]["hints"]))
        told = self.call("vector_convert", uri="book.xlsx", header_row=3, output="towns.csv")
        self.assertEqual([(f["name"], f["type"]) for f in told["fields"]], [("town", "String"), ("pop", "Integer"), ("share", "Real")])
        self.assertEqual(told["feature_count"], 2)
        self.assertIn("has 5 rows", self.refused("vector_convert", uri="book.xlsx", header_row=9, output="no.csv")["message"])

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
        self.assertIn("give 'crs' if these are metres", self.refused("vector_convert", uri="m.csv", x="e", y="h", crs="EPSG:4326", output="no.gpkg")["hint"])
        self.call("vector_convert", uri="m.csv", x="e", y="h", crs="EPSG:32632", output="m.gpkg")
        self.assertFalse(os.path.exists(self.path("no.gpkg")))

    def test_a_million_rows(self):
        with open(self.path("big.csv"), "w") as f:
            f.write("k;v\n" + "".join(f"{i % 7};{i // 1000}.{i % 1000:03},5\n" for i in range(1000, 1000000)))
        told = self.call("vector_stats", uri="big.csv", fields=["v"], by="k", statistics=["count", "min", "max"])
        self.assertEqual(sum(g["figures"]["count"] for g in told["groups"]), 999000)
        self.assertEqual(max(g["figures"]["max"] for g in told["groups"]), 999999.5)


if __name__ == "__main__":
    unittest.main()
