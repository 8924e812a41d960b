#!/usr/bin/python3
"""An independent opinion about the hydrology tools: python3 hydrology.py <gdal-mcp>.

Textbook versions of the algorithms (a heap, a walk along the paths, a rule of integration), far too slow for real
terrains, are compared with the tools on small awkward ones: few heights, so that flats and nested depressions abound,
nodata margins and holes, three data types, projected and geographic grids.
"""
import heapq
import math
import os
import sys
import tempfile

import numpy
from osgeo import gdal, osr

from session import Session, expect

gdal.UseExceptions()

# Clockwise from east, as (row, column).
STEPS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
CODES = {
    "esri": [1, 2, 4, 8, 16, 32, 64, 128],
    "whitebox": [2, 4, 8, 16, 32, 64, 128, 1],
    "taudem": [1, 8, 7, 6, 5, 4, 3, 2],
    "grass": [8, 7, 6, 5, 4, 3, 2, 1],
}
NODATA = -9999


def write(path, values, kind, crs, transform):
    height, width = values.shape
    file = gdal.GetDriverByName("GTiff").Create(path, width, height, 1, kind)
    srs = osr.SpatialReference()
    srs.SetFromUserInput(crs)
    file.SetProjection(srs.ExportToWkt())
    file.SetGeoTransform(transform)
    file.GetRasterBand(1).SetNoDataValue(NODATA)
    file.GetRasterBand(1).WriteArray(values)
    file.FlushCache()


def read(path, band=1):
    file = gdal.Open(path)  # a band does not keep its dataset alive
    return file.GetRasterBand(band).ReadAsArray()


def band_of(path, ask):
    file = gdal.Open(path)
    return ask(file.GetRasterBand(1))


def random_terrain(seed, height, width):
    random = numpy.random.RandomState(seed)
    dem = random.randint(0, 3 + seed % 9, (height, width)).astype(float)
    dem[random.rand(height, width) < 0.04] = NODATA
    dem[:, : seed % 3] = NODATA
    return dem


def outside(dem, missing):
    """Nodata that water can leave into: all of it, or only what is connected to the edge."""
    nodata = dem == NODATA
    if not missing:
        return nodata
    height, width = dem.shape
    reached = numpy.zeros_like(nodata)
    open_cells = [(r, c) for r in range(height) for c in range(width)
                  if nodata[r, c] and (r in (0, height - 1) or c in (0, width - 1))]
    while open_cells:
        r, c = open_cells.pop()
        if reached[r, c]:
            continue
        reached[r, c] = True
        for dr, dc in STEPS:
            if 0 <= r + dr < height and 0 <= c + dc < width and nodata[r + dr, c + dc]:
                open_cells.append((r + dr, c + dc))
    return reached


def is_border(out, r, c):
    height, width = out.shape
    return any(not (0 <= r + dr < height and 0 <= c + dc < width) or out[r + dr, c + dc] for dr, dc in STEPS)


def fill(dem, missing):
    """Priority-flood with one heap and no shortcut."""
    out = outside(dem, missing)
    filled, heap, seen = dem.copy(), [], set()
    for r in range(dem.shape[0]):
        for c in range(dem.shape[1]):
            if dem[r, c] != NODATA and is_border(out, r, c):
                heapq.heappush(heap, (dem[r, c], r, c))
                seen.add((r, c))
    while heap:
        level, r, c = heapq.heappop(heap)
        for dr, dc in STEPS:
            n = (r + dr, c + dc)
            if not (0 <= n[0] < dem.shape[0] and 0 <= n[1] < dem.shape[1]) or n in seen or dem[n] == NODATA:
                continue
            seen.add(n)
            filled[n] = max(dem[n], level)
            heapq.heappush(heap, (filled[n], *n))
    return filled


def check_fill(session, folder, dem, seed, kind, grid):
    write(f"{folder}/dem.tif", dem, kind, *grid)
    for holes in ("outlet", "missing"):
        result = session.call("hydro_condition", uri="dem.tif", method="fill", nodata_holes=holes,
                              output="filled.tif", overwrite=True)
        expected = fill(dem, holes == "missing")
        expect((read(f"{folder}/filled.tif") == expected).all(), f"fill, seed {seed}, holes {holes}")
        expect(result["cells_raised"] == int((expected > dem).sum()), f"cells changed, seed {seed}")
        expect(band_of(f"{folder}/filled.tif", lambda band: band.DataType) == kind, "the type is kept")


def receiver(directions, codes, r, c):
    """The next cell of the path, or None where it leaves the terrain."""
    dr, dc = STEPS[codes.index(abs(int(directions[r, c])))]
    n = (r + dr, c + dc)
    inside = 0 <= n[0] < directions.shape[0] and 0 <= n[1] < directions.shape[1]
    return n if inside and directions[n] != NODATA else None


def check_directions(session, folder, dem, name, lengths):
    """lengths(row, step) in metres: the drop achieved must be the steepest there is, ties aside."""
    session.call("hydro_flow_direction", uri="filled.tif", method="d8", encoding=name, nodata_holes="outlet",
                 output="directions.tif", overwrite=True)
    raw = read(f"{folder}/directions.tif").astype(int)
    nodata = band_of(f"{folder}/directions.tif", lambda band: band.GetNoDataValue())
    directions = numpy.where(raw == nodata, NODATA, raw)
    expect(((directions == NODATA) == (dem == NODATA)).all(), f"directions where there is terrain, {name}")
    filled = read(f"{folder}/filled.tif").astype(float)
    for r in range(dem.shape[0]):
        for c in range(dem.shape[1]):
            if dem[r, c] == NODATA:
                continue
            slopes = [0.0]
            for step, (dr, dc) in enumerate(STEPS):
                n = (r + dr, c + dc)
                if 0 <= n[0] < dem.shape[0] and 0 <= n[1] < dem.shape[1] and dem[n] != NODATA:
                    slopes.append((filled[r, c] - filled[n]) / lengths(r, step))
            n = receiver(directions, CODES[name], r, c)
            step = CODES[name].index(abs(int(directions[r, c])))
            achieved = 0.0 if n is None else (filled[r, c] - filled[n]) / lengths(r, step)
            expect(math.isclose(achieved, max(slopes), rel_tol=1e-9), f"steepest drop at {r},{c}, {name}")
    return directions


def check_accumulation(session, folder, directions, name, cell_areas):
    counts, areas = numpy.zeros(directions.shape), numpy.zeros(directions.shape)
    contaminated = numpy.zeros(directions.shape, bool)
    nodata = directions == NODATA
    for r in range(directions.shape[0]):
        for c in range(directions.shape[1]):
            if nodata[r, c]:
                continue
            unsure, cell, steps = is_border(nodata, r, c), (r, c), 0
            while cell is not None:
                counts[cell] += 1
                areas[cell] += cell_areas[r][c]
                contaminated[cell] |= unsure
                cell = receiver(directions, CODES[name], *cell)
                steps += 1
                expect(steps <= directions.size, f"no circle from {r},{c}")
    session.call("hydro_flow_accumulation", uri="directions.tif", output="flow.tif", overwrite=True)
    expect((read(f"{folder}/flow.tif") == counts).all(), f"accumulation in cells, {name}")
    expect((read(f"{folder}/flow.tif", 2) == contaminated).all(), f"edge contamination, {name}")
    session.call("hydro_flow_accumulation", uri="directions.tif", unit="km2", edge_contamination="nodata",
                 output="flow.tif", overwrite=True)
    km2 = read(f"{folder}/flow.tif")
    expect((numpy.isnan(km2) == (nodata | contaminated)).all(), f"contaminated cells become nodata, {name}")
    expect(numpy.allclose(km2[~numpy.isnan(km2)] * 1e6, areas[~numpy.isnan(km2)], rtol=1e-6), f"areas in km2, {name}")
    session.call("hydro_flow_accumulation", uri="directions.tif", unit="km2", output="flow.tif", overwrite=True)
    marks = read(f"{folder}/flow.tif", 2)
    expect((numpy.isnan(marks) == ~contaminated).all() and (marks[contaminated] == 1).all(),
           f"marks have no value beside the contaminated cells, {name}")


def degree_grid(height, north, size):
    """Lengths and areas of a geographic grid on WGS 84, by Simpson's rule over each row."""
    a, f = 6378137.0, 1 / 298.257223563
    e2 = f * (2 - f)

    def radii(phi):
        w = 1 - e2 * math.sin(phi) ** 2
        return a * math.cos(phi) / math.sqrt(w), a * (1 - e2) / w**1.5

    widths, heights, areas = [], [], []
    for row in range(height):
        top, bottom = math.radians(north - row * size), math.radians(north - (row + 1) * size)
        parallel, meridian = radii((top + bottom) / 2)
        widths.append(parallel * math.radians(size))
        heights.append(meridian * (top - bottom))
        n, total = 20, 0.0
        for i in range(n + 1):
            weight = 1 if i in (0, n) else 4 if i % 2 else 2
            p, m = radii(bottom + (top - bottom) * i / n)
            total += weight * p * m
        areas.append(total * (top - bottom) / n / 3 * math.radians(size))

    def lengths(row, step):
        dr, dc = STEPS[step]
        other = min(max(row + dr, 0), height - 1)
        dx, dy = (widths[row] + widths[other]) / 2, (heights[row] + heights[other]) / 2
        return dy if dc == 0 else dx if dr == 0 else math.hypot(dx, dy)

    return lengths, areas


def areas_on_ellipsoid(height, width, crs, transform):
    """Areas of the cells of a projected grid, by their corners on an equal-area projection of the ellipsoid."""
    here, equal_area = osr.SpatialReference(), osr.SpatialReference()
    here.SetFromUserInput(crs)
    equal_area.ImportFromProj4("+proj=cea +datum=WGS84")
    to = osr.CoordinateTransformation(here, equal_area)
    x = [[to.TransformPoint(transform[0] + c * transform[1], transform[3] + r * transform[5])[:2] for c in range(width + 1)]
         for r in range(height + 1)]

    def shoelace(*corners):
        ring = [(p[0] - corners[0][0], p[1] - corners[0][1]) for p in corners]  # few digits cancel
        return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1]))) / 2
    return [[shoelace(x[r][c], x[r][c + 1], x[r + 1][c + 1], x[r + 1][c]) for c in range(width)] for r in range(height)]


def main():
    with tempfile.TemporaryDirectory() as folder:
        session = Session(os.path.abspath(sys.argv[1]), folder)
        height, width = 14, 17
        metres = ("EPSG:32633", (790000, 30, 0, 4000000, 0, -20))  # areas 1.001 x too large
        degrees = ("EPSG:4326", (10, 0.5, 0, 62, 0, -0.5))
        kinds = [gdal.GDT_Int16, gdal.GDT_Float32, gdal.GDT_Float64]
        for seed, name in enumerate(CODES):
            dem = random_terrain(seed + 1, height, width)
            grid = degrees if seed % 2 else metres
            check_fill(session, folder, dem, seed, kinds[seed % 3], grid)
            session.call("hydro_condition", uri="dem.tif", method="fill", nodata_holes="outlet", output="filled.tif",
                         overwrite=True)
            if seed % 2:
                lengths, rows = degree_grid(height, 62, 0.5)
                areas = [[area] * width for area in rows]
            else:
                def lengths(_, step):
                    return math.hypot(20 * STEPS[step][0], 30 * STEPS[step][1])
                areas = areas_on_ellipsoid(height, width, *metres)
            directions = check_directions(session, folder, dem, name, lengths)
            check_accumulation(session, folder, directions, name, areas)
    print("hydrology: fill, directions and accumulation equal the oracle in every cell")


main()
