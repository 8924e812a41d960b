#!/usr/bin/python3
"""An independent opinion about zonal statistics: python3 zonal.py <gdal-mcp>.

Coverage is computed by clipping each polygon to each cell in exact rational arithmetic (Sutherland & Hodgman 1974), so
that its fractions carry no rounding at all; the statistics are their plain definitions.
"""
import math
import os
import sys
import tempfile
from fractions import Fraction

import numpy
from osgeo import gdal, osr

from session import Session, expect

gdal.UseExceptions()

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
    cumulative, median = 0, None
    for v in sorted(by_value):
        cumulative += by_value[v]
        if median is None and 2 * cumulative >= count:
            median = v
    return {
        "count": count, "sum": total, "mean": mean, "min": min(by_value), "max": max(by_value),
        "stdev": math.sqrt(sum(s * (Fraction(v) - mean) ** 2 for v, s in cells) / count),
        "median": median, "variety": len(by_value),
        "majority": min(by_value, key=lambda v: (-by_value[v], v)),
        "minority": min(by_value, key=lambda v: (by_value[v], v)),
    }


def main():
    random = numpy.random.RandomState(7)
    with tempfile.TemporaryDirectory() as folder:
        session = Session(os.path.abspath(sys.argv[1]), folder)
        values = random.randint(0, 12, (HEIGHT, WIDTH))
        values[random.rand(HEIGHT, WIDTH) < 0.1] = NODATA
        file = gdal.GetDriverByName("GTiff").Create(f"{folder}/values.tif", WIDTH, HEIGHT, 1, gdal.GDT_Int16)
        srs = osr.SpatialReference()
        srs.ImportFromEPSG(32633)
        file.SetProjection(srs.ExportToWkt())
        file.SetGeoTransform((WEST, CELL, 0, NORTH, 0, -CELL))
        file.GetRasterBand(1).SetNoDataValue(NODATA)
        file.GetRasterBand(1).WriteArray(values)
        file = None

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
        for i, rings in enumerate(zones):
            shares = numpy.array([[share(rings, r, c) for c in range(WIDTH)] for r in range(HEIGHT)], dtype=object)
            for name, value in expected(values, shares).items():
                found = rows[f"{i:03}"][name]
                expect(math.isclose(found, value, rel_tol=1e-9, abs_tol=1e-9), f"zone {i} {name}: {found}, not {value}")
    print(f"zonal: {len(zones)} zones, {len(STATS)} statistics equal exact rational coverage")


main()
