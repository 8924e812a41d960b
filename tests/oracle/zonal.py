#!/usr/bin/python3
"""An independent opinion about zonal statistics: python3 zonal.py <gdal-mcp>.

Coverage is computed by clipping each polygon to each cell in exact rational arithmetic (Sutherland & Hodgman 1974), so
that its fractions carry no rounding at all; the statistics are their plain definitions.
"""
import csv
import json
import math
import os
import sys
import tempfile
from fractions import Fraction

import numpy
from osgeo import gdal, ogr, osr

from session import Problem, Session, expect

gdal.UseExceptions()
ogr.UseExceptions()

HEIGHT, WIDTH, CELL, WEST, NORTH, NODATA = 12, 15, 10, 500000, 4000000, -1
STATS = ["count", "sum", "mean", "min", "max", "stdev", "median", "majority", "minority", "variety"]


def clip(ring, inside, cross):
    """The part of the ring on one side of a line."""
    kept = []
    for p, q in zip(ring, ring[1:] + ring[:1]):
        if inside(p):
            kept.append(p)
        if inside(p) != inside(q):
            kept.append(cross(p, q))
    return kept


def clip_to_cell(ring, row, column):
    def at_x(x):
        return lambda p, q: (Fraction(x), p[1] + (q[1] - p[1]) * (x - p[0]) / (q[0] - p[0]))

    def at_y(y):
        return lambda p, q: (p[0] + (q[0] - p[0]) * (y - p[1]) / (q[1] - p[1]), Fraction(y))

    ring = clip(ring, lambda p: p[0] >= column, at_x(column))
    ring = clip(ring, lambda p: p[0] <= column + 1, at_x(column + 1))
    ring = clip(ring, lambda p: p[1] >= row, at_y(row))
    return clip(ring, lambda p: p[1] <= row + 1, at_y(row + 1))


def area(ring):
    return abs(sum(p[0] * q[1] - q[0] * p[1] for p, q in zip(ring, ring[1:] + ring[:1]))) / 2


def share(rings, row, column):
    exterior, *holes = [area(clip_to_cell(r, row, column)) for r in rings]
    return exterior - sum(holes)


def star(random, x, y, low, high, vertices):
    """A ring in grid coordinates, rational with a denominator of 64: exact as doubles, on the map too."""
    points = []
    for i in range(vertices):
        angle, reach = 2 * math.pi * i / vertices, low + (high - low) * random.rand()
        points.append((Fraction(round(64 * (x + reach * math.cos(angle))), 64),
                       Fraction(round(64 * (y + reach * math.sin(angle))), 64)))
    return points


def quantile(cells, q):
    """Of n cells by value, then by share w, cell i stands at i w + (n - 1) (the shares before it); linear between them."""
    cells, before, places = sorted(cells), 0, []
    for i, (_, w) in enumerate(cells):
        places.append(i * w + (len(cells) - 1) * before)
        before += w
    wanted = q * (len(cells) - 1) * before
    for i, (value, _) in enumerate(cells):
        if places[i] >= wanted:
            if i == 0 or places[i] == wanted:
                return Fraction(value)
            below = Fraction(cells[i - 1][0])
            return below + (Fraction(value) - below) * (wanted - places[i - 1]) / (places[i] - places[i - 1])


def expected(values, shares):
    cells = [(float(v), s) for v, s in zip(values.ravel(), shares.ravel()) if s > 0 and v != NODATA]
    count = sum(s for _, s in cells)
    if not cells:
        return {"count": 0.0, "variety": 0}
    total = sum(Fraction(v) * s for v, s in cells)
    mean = total / count
    by_value = {}
    for v, s in cells:
        by_value[v] = by_value.get(v, 0) + s
    return {
        "count": count, "sum": total, "mean": mean, "min": min(by_value), "max": max(by_value),
        "stdev": math.sqrt(sum(s * (Fraction(v) - mean) ** 2 for v, s in cells) / count),
        "median": quantile(cells, Fraction(1, 2)), "variety": len(by_value),
        "majority": min(by_value, key=lambda v: (-by_value[v], v)),
        "minority": min(by_value, key=lambda v: (by_value[v], v)),
        "frac": by_value, "cells": cells,
    }


def authalic(lat):
    """q of Snyder (1987), 3-12, on WGS 84: half the cells' area between two parallels is a^2/2 q per radian."""
    e2 = 0.0066943799901413165
    e, s = math.sqrt(e2), math.sin(math.radians(lat))
    return (1 - e2) * (s / (1 - e2 * s * s) + math.atanh(e * s) / e)


def write(path, values, transform, epsg, nodata, options=()):
    file = gdal.GetDriverByName("GTiff").Create(path, values.shape[1], values.shape[0], 1, gdal.GDT_Int16, list(options))
    srs = osr.SpatialReference()
    srs.ImportFromEPSG(epsg)
    file.SetProjection(srs.ExportToWkt())
    file.SetGeoTransform(transform)
    file.GetRasterBand(1).SetNoDataValue(nodata)
    file.GetRasterBand(1).WriteArray(values)


def check_classes(session, folder, values, collection, rows, zones):
    """frac of each zone against exact coverage; in every layout of the file the same table, byte for byte."""
    tables = []
    for name, options in (("strips", ["BLOCKYSIZE=1"]), ("one", [f"BLOCKYSIZE={HEIGHT}"]), ("tiles", ["TILED=YES", "BLOCKXSIZE=16",
                                                                                                "BLOCKYSIZE=16"])):
        write(f"{folder}/{name}.tif", values, (WEST, CELL, 0, NORTH, 0, -CELL), 32633, NODATA, options)
        result = session.call("aggregate_zonal", raster=f"{name}.tif", zones=collection, zones_crs="EPSG:32633", zone_id="name",
                              stats=["frac", "mean", "stdev", "median"], output=f"{name}.csv", limit=3)
        expect(len(result["rows"]) == 3 and result["truncated"] and result["matched_total"] == len(zones), "3 rows of all")
        tables.append(open(f"{folder}/{name}.csv", encoding="utf-8").read())
    expect(tables[0] == tables[1] == tables[2], "the table is the same however the file is stored")
    for i, row in enumerate(csv.DictReader(tables[0].splitlines())):
        exact = rows[i]
        for value in range(12):
            share = exact["frac"].get(float(value), 0) / exact["count"]
            expect(math.isclose(float(row[f"frac_{value}"]), share, rel_tol=1e-9, abs_tol=1e-9), f"zone {i} frac_{value}")
        of_classes = sum(float(row[f"area_m2_{value}"]) for value in range(12))
        expect(math.isclose(of_classes, float(row["area_m2"]) * float(row["data_share"]), rel_tol=1e-5),
               f"zone {i}: classes cover {of_classes} of {row['area_m2']} m2")


def check_lists_and_places(session, folder, values, collection, exact, shares):
    """Quantiles, the cells of the extremes, and deviations with weights, each by its definition in rational numbers."""
    weights = numpy.arange(HEIGHT * WIDTH).reshape(HEIGHT, WIDTH) % 7
    write(f"{folder}/weights.tif", weights, (WEST, CELL, 0, NORTH, 0, -CELL), 32633, NODATA)
    quantiles = [0.125, 0.5, 0.875]
    result = session.call("aggregate_zonal", raster="values.tif", zones=collection, zones_crs="EPSG:32633", zone_id="name",
                          weights="weights.tif", quantiles=quantiles, output="lists.csv",
                          stats=["quantile", "variance", "min_location", "max_location", "weighted_mean", "weighted_stdev"])
    with open(f"{folder}/lists.csv", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    for i, row in enumerate(result["rows"]):
        found = [quantile(exact[i]["cells"], Fraction(q)) for q in quantiles]
        expect(numpy.allclose(row["quantiles"], [float(v) for v in found], rtol=1e-9, atol=1e-9), f"zone {i}: {row['quantiles']}")
        listed = [float(table[i][f"quantile_{q}"]) for q in quantiles]  # CSV has 15 digits
        expect(numpy.allclose(listed, row["quantiles"], rtol=1e-14, atol=0), f"zone {i}: the table's quantiles")
        expect(math.isclose(row["variance"], exact[i]["stdev"] ** 2, rel_tol=1e-9), f"zone {i}: variance")
        inside = [(r, c) for r in range(HEIGHT) for c in range(WIDTH) if shares[i][r, c] > 0 and values[r, c] != NODATA]
        for name, extreme, axes in (("min_location", min, ("min_x", "min_y")), ("max_location", max, ("max_x", "max_y"))):
            value = extreme(values[cell] for cell in inside)
            r, c = next(cell for cell in inside if values[cell] == value)
            place = [WEST + CELL * (c + 0.5), NORTH - CELL * (r + 0.5)]
            expect(row[name] == place and [float(table[i][a]) for a in axes] == place, f"zone {i} {name}: {row[name]}, not {place}")
        both = [(Fraction(int(values[cell])), shares[i][cell] * int(weights[cell])) for cell in inside]
        total = sum(w for _, w in both)
        mean = sum(v * w for v, w in both) / total
        expect(math.isclose(row["weighted_mean"], mean, rel_tol=1e-9, abs_tol=1e-9), f"zone {i}: weighted mean")
        deviation = math.sqrt(sum(w * (v - mean) ** 2 for v, w in both) / total)
        expect(math.isclose(row["weighted_stdev"], deviation, rel_tol=1e-9), f"zone {i}: {row['weighted_stdev']}, not {deviation}")


def check_invalid(session, folder, values):
    """A bow-tie of two triangles, each as large as a cell, beside a square of one cell."""
    def ring(*corners):
        return {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [
            [[WEST + CELL * x, NORTH - CELL * y] for x, y in corners]]}}
    zones = {"type": "FeatureCollection", "features": [ring((0, 0), (2, 2), (2, 0), (0, 2), (0, 0)), ring((4, 4), (5, 4), (5, 5), (4, 5), (4, 4))]}
    asked = {"raster": "values.tif", "zones": zones, "zones_crs": "EPSG:32633", "stats": ["count", "sum"]}
    listed = session.call("aggregate_zonal", **asked)
    expect(len(listed["rows"]) == 1 and "Self-intersection" in listed["zones_with_problems"][0]["reason"], "the bow-tie is listed")
    made = session.call("aggregate_zonal", invalid_zones="repair", **asked)
    expect(made["zones_with_problems"] == [] and len(made["rows"]) == 2, "both zones have statistics")
    upper = values[:2, :2]
    expect(math.isclose(made["rows"][0]["count"], (upper != NODATA).sum() / 2), f"half of each cell: {made['rows'][0]}")
    expect(math.isclose(made["rows"][0]["sum"], upper[upper != NODATA].sum() / 2), "half of each value")
    expect(any("were repaired" in w for w in made["warnings"]), "the repair is told")
    try:
        session.call("aggregate_zonal", invalid_zones="refuse", **asked)
    except Problem as e:
        expect("is invalid: Self-intersection" in str(e), f"{e}")
    else:
        expect(False, "the bow-tie is refused")


def check_areas(session, folder):
    """On a geographic grid a class has the area between its parallels and meridians on the ellipsoid."""
    values = numpy.repeat([[1], [2], [1], [3]], 5, axis=1)
    write(f"{folder}/degrees.tif", values, (10, 1, 0, 62, 0, -1), 4326, NODATA)
    box = {"type": "Polygon", "coordinates": [[[11, 58], [13.5, 58], [13.5, 62], [11, 62], [11, 58]]]}
    found = session.call("aggregate_zonal", raster="degrees.tif", zones=box, stats=["frac"])["rows"][0]["frac"]
    expect([c["value"] for c in found] == [1, 2, 3], f"the largest class first: {found}")
    for c in found:
        area = sum(6378137 ** 2 / 2 * math.radians(2.5) * (authalic(62 - r) - authalic(61 - r))
                   for r in range(4) if values[r, 0] == c["value"])
        expect(math.isclose(c["area_m2"], area, rel_tol=1e-8), f"class {c['value']}: {c['area_m2']}, not {area} m2")
        expect(math.isclose(c["area_ha"], area / 1e4, rel_tol=1e-5), "hectares")
    expect([c["count"] for c in found] == [5, 2.5, 2.5] and found[0]["share"] == 0.5, f"counts and shares: {found}")


def check_refusals(session, folder):
    write(f"{folder}/many.tif", numpy.arange(100).reshape(10, 10), (10, 1, 0, 62, 0, -1), 4326, NODATA)
    box = {"type": "Polygon", "coordinates": [[[10, 52], [20, 52], [20, 62], [10, 62], [10, 52]]]}
    for arguments, words in (({"stats": ["frac"]}, ["at most 64", "100 different values"]),
                             ({"stats": ["frac"], "output": "t.xlsx"}, [".xlsx", ".csv"]),
                             ({"stats": ["quantile"]}, ["'quantiles' does not say which"]),
                             ({"stats": ["count"], "quantiles": [0.5]}, ["stats does not name quantile"])):
        try:
            session.call("aggregate_zonal", raster="many.tif", zones=box, **arguments)
        except Problem as e:
            expect(all(w in str(e) for w in words), f"{words} in {e}")
        else:
            expect(False, f"{arguments} is refused")


def check_many_zones(session, folder):
    """Rows in the result are few however many zones there are, and all are in the table."""
    write(f"{folder}/plain.tif", numpy.arange(2500).reshape(50, 50) % 5, (WEST, CELL, 0, NORTH, 0, -CELL), 32633, NODATA)
    squares = [{"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": [[
        [WEST + 10 * c + dx, NORTH - 10 * r - dy] for dx, dy in ((1, 1), (9, 1), (9, 9), (1, 9), (1, 1))]]}}
        for r in range(50) for c in range(50)]
    with open(f"{folder}/squares.geojson", "w", encoding="utf-8") as file:
        json.dump({"type": "FeatureCollection", "features": squares,
                   "crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::32633"}}}, file)
    result = session.call("aggregate_zonal", raster="plain.tif", zones="squares.geojson", stats=["majority", "frac"], output="many.gpkg")
    expect(len(result["rows"]) == 20 and result["truncated"] and result["matched_total"] == 2500, "20 of 2500 rows")
    expect(len(json.dumps(result)) < 12000, f"{len(json.dumps(result))} bytes for 2500 zones")
    file = ogr.Open(f"{folder}/many.gpkg")
    layer = file.GetLayer(0)
    expect(layer.GetFeatureCount() == 2500, "every zone has its row")
    for n, row in enumerate(layer):
        expect(row["majority"] == n % 5 and row[f"frac_{n % 5}"] == 1 and row[f"frac_{(n + 1) % 5}"] == 0, f"zone {n}")
        expect(abs(row.GetGeometryRef().Area() - 64) < 1e-6, f"the outline of zone {n}")


def main():
    random = numpy.random.RandomState(7)
    with tempfile.TemporaryDirectory() as folder:
        session = Session(os.path.abspath(sys.argv[1]), folder)
        values = random.randint(0, 12, (HEIGHT, WIDTH))
        values[random.rand(HEIGHT, WIDTH) < 0.1] = NODATA
        write(f"{folder}/values.tif", values, (WEST, CELL, 0, NORTH, 0, -CELL), 32633, NODATA)

        zones, features = [], []
        for i in range(12):
            x, y, reach = WIDTH * random.rand(), HEIGHT * random.rand(), 0.5 + 6 * random.rand()
            rings = [star(random, x, y, reach * 0.6, reach, 5 + i), star(random, x, y, reach * 0.1, reach * 0.3, 5)]
            zones.append(rings)
            on_map = [[[WEST + CELL * float(px), NORTH - CELL * float(py)] for px, py in r + r[:1]] for r in rings]
            features.append({"type": "Feature", "properties": {"name": f"{i:03}"},
                             "geometry": {"type": "Polygon", "coordinates": on_map}})
        collection = {"type": "FeatureCollection", "features": features}
        result = session.call("aggregate_zonal", raster="values.tif", zones=collection, zones_crs="EPSG:32633",
                              zone_id="name", stats=STATS, output="zones.csv")
        rows = {row["zone"]: row for row in result["rows"]}
        exact, covered = [], []
        for i, rings in enumerate(zones):
            shares = numpy.array([[share(rings, r, c) for c in range(WIDTH)] for r in range(HEIGHT)], dtype=object)
            exact.append(expected(values, shares))
            covered.append(shares)
            for name in STATS:
                found, value = rows[f"{i:03}"][name], exact[-1][name]
                expect(math.isclose(found, value, rel_tol=1e-9, abs_tol=1e-9), f"zone {i} {name}: {found}, not {value}")
        check_classes(session, folder, values, collection, exact, zones)
        check_lists_and_places(session, folder, values, collection, exact, covered)
        check_invalid(session, folder, values)
        check_areas(session, folder)
        check_refusals(session, folder)
        check_many_zones(session, folder)
    print(f"zonal: {len(zones)} zones, {len(STATS)} statistics and classes equal exact rational coverage")


main()
