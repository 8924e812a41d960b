// gdalmcp/gdal_open.hpp — one way to open a dataset, for plugins and the host's own workers: the same options, hence
// the same fields, types and CRS everywhere. Link GDAL.
//
// Formats that carry types and geometry are opened as they are. A CSV file carries neither: a column gets the type
// shared by all its values, and columns named as coordinates become points. recognised() reports it.
//
// Header-only, unless GDALMCP_SEPARATE_OPEN is defined: then one file of the program includes gdal_open_source.hpp, and
// the reading of tables is compiled there only.
#pragma once
#include <gdalmcp/gdal_open_functions.hpp>  // IWYU pragma: export
#ifndef GDALMCP_SEPARATE_OPEN
#include <gdalmcp/gdal_open_source.hpp>  // IWYU pragma: export
#endif
