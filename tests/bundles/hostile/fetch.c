/* Reaching for the network through GDAL. */
#include <cpl_error.h>
#include <cpl_vsi.h>
#include <errno.h>
#include <stdio.h>

#include "hostile.h"

HOSTILE(hostile_fetch) {
    BEGIN;
    char path[4200];
    VSILFILE* file;
    snprintf(path, sizeof path, "/vsicurl/%s", string_argument(c, "/url"));
    CPLPushErrorHandler(CPLQuietErrorHandler);
    file = VSIFOpenL(path, "rb");
    CPLPopErrorHandler();
    CPLErrorReset();
    attempted(c, "vsicurl", file ? 0 : ENOENT);
    if (file) VSIFCloseL(file);
    return report(c);
}
