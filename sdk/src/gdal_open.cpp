// Compiles what opens datasets once, for the bundles and workers of this project.
#include <gdalmcp/gdal_open_source.hpp>
