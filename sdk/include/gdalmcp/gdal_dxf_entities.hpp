// gdalmcp/gdal_dxf_entities.hpp — the kinds of entities of a DXF file that GDAL passes over (XLINE, REGION, IMAGE, …).
// Used by gdal_open.hpp.
#pragma once
#include <cpl_conv.h>
#include <cpl_error.h>
#include <ogrsf_frmts.h>

#include <string>

namespace gdalmcp::gdal::detail {

// "REGION, XLINE"; "": none. GDAL names each kind in a debug message, once, when it meets it first: the layer is read
// through.
inline std::string ignored_entities(OGRLayer& layer) {
    std::string kinds;
    const char* debug = CPLGetThreadLocalConfigOption("CPL_DEBUG", nullptr);
    const bool had_debug = debug != nullptr;
    const std::string before = had_debug ? debug : "";
    CPLSetThreadLocalConfigOption("CPL_DEBUG", "DXF");
    CPLPushErrorHandlerEx(
        [](CPLErr level, CPLErrorNum, const char* message) {
            const std::string text = message;
            const auto from = text.find("entity '"), begin = from + 8;
            if (level != CE_Debug || text.find("Ignoring one or more of ") == text.npos || from == text.npos) return;
            auto& all = *static_cast<std::string*>(CPLGetErrorHandlerUserData());
            all += (all.empty() ? "" : ", ") + text.substr(begin, text.find('\'', begin) - begin);
        },
        &kinds);
    layer.ResetReading();
    while (OGRFeatureUniquePtr{layer.GetNextFeature()}) {}
    layer.ResetReading();
    CPLPopErrorHandler();
    CPLSetThreadLocalConfigOption("CPL_DEBUG", had_debug ? before.c_str() : nullptr);
    CPLErrorReset();  // the tool reads it again
    return kinds;
}

}  // namespace gdalmcp::gdal::detail
