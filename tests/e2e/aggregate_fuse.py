"""aggregate_fuse against totals by eye, numpy and gdalwarp, and what it refuses."""
import numpy
from osgeo import gdal, osr

import more
import rasters
import session
from session import good, problem

X, Y = 289000.0, 9121000.0  # metres in UTM zone 25S
FLOAT, BYTE = gdal.GDT_Float32, gdal.GDT_Byte
PALETTE = {1: (0, 90, 0), 2: (200, 200, 0), 3: (0, 0, 200)}


def at(cell, x=X, y=Y):
    return (x, cell, 0.0, y, 0.0, -cell)


class aggregate_fuse(more.MoreClaims):
    tool = "aggregate_fuse"

    def grid(self, name, values, cell=10.0, dtype=FLOAT, **more):
        values = numpy.array(values)
        return rasters.write(self.path(name), [values], dtype, **{"transform": at(cell), **more})

    def asked(self, uris, methods=None, **arguments):
        chosen = sorted({{"average": "mean"}.get(m, m) for m in methods or [] if m not in ("copy", "min", "max")})
        reasons = {"aggregation": [{"statistic": m, "intent": "one grid for a model", "alternatives": [{"method": "nearest", "why_not": "drops cells"}],
                                    "reason": "Each raster keeps what it states: totals of counts, levels of measurements, and the dominant class of labels.",
                                    "confidence": "high"} for m in chosen]}
        call = {"uris": uris, "output": self.output, "overwrite": True, **arguments}
        if methods is not None:
            call["methods"] = methods
        with self.session() as s:
            answer = s.call(self.tool, call)
            for _ in range(4):
                p = problem(answer) if answer.get("isError") else None
                if p is None or "store" not in p.get("hint", "") + p["message"]:
                    break
                answer = s.call(self.tool, call)
            return answer

    def fused(self, uris, methods=None, **arguments):
        return good(self.asked(uris, methods, **arguments))
