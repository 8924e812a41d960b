// gdalmcp/gdal_handover.hpp — a dataset that the worker opened to find its files, left open for the tool that opens it
// next: the schema of a GeoPackage, or a whole GeoJSON file, is read once. Included by gdal.hpp.
//
// Both sides share a process, a thread and libgdal, but no variables of their own: the pointer is kept among libgdal's
// options of the thread.
#pragma once
#include <cpl_conv.h>
#include <cpl_string.h>
#include <gdalmcp/gdal_signed_bytes.hpp>

#include <string>

namespace gdalmcp::gdal::detail {

inline std::string handover_option(const std::string& path) { return "GDALMCP_OPENED " + path; }

// Leaves `d`, opened read-only from `path` as `kinds` (GDAL_OF_RASTER, GDAL_OF_VECTOR), for take_open(). It ends with
// the process if nobody opens the path.
inline void leave_open(dataset_ptr d, const std::string& path, unsigned kinds) {
    CPLString value;
    value.Printf("%u %p %s", kinds, static_cast<void*>(d.release()), path.c_str());
    CPLSetThreadLocalConfigOption(handover_option(path).c_str(), value.c_str());
}

// The dataset left at `path`, once, if it was opened as `kinds`; one of other kinds is closed. nullptr: none is left.
inline dataset_ptr take_open(const std::string& path, unsigned kinds) {
    const auto option = handover_option(path);
    const char* left = CPLGetThreadLocalConfigOption(option.c_str(), nullptr);
    unsigned opened_as = 0;
    void* pointer = nullptr;
    int begin = 0;  // of the path, for options ignore case
    if (!left || sscanf(left, "%u %p %n", &opened_as, &pointer, &begin) != 2 || path != left + begin) return nullptr;
    CPLSetThreadLocalConfigOption(option.c_str(), nullptr);
    dataset_ptr taken{static_cast<GDALDataset*>(pointer)};
    return opened_as == kinds ? std::move(taken) : nullptr;
}

}  // namespace gdalmcp::gdal::detail
