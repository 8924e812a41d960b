#include "gdal_faithful_clones.hpp"

#include <cpl_conv.h>
#include <cpl_error.h>

#include <cstring>

namespace gdalmcp_raster {

namespace {
constexpr const char* verification = "CHECK_WITH_INVERT_PROJ";
}

faithful_clones::faithful_clones() {
    const char* debug = CPLGetThreadLocalConfigOption("CPL_DEBUG", nullptr);
    had_debug_ = debug != nullptr;
    if (debug) debug_ = debug;
    CPLPushErrorHandlerEx(listen, this);
    CPLSetThreadLocalConfigOption("CPL_DEBUG", "ON");
}

faithful_clones::~faithful_clones() {
    CPLSetThreadLocalConfigOption("CPL_DEBUG", had_debug_ ? debug_.c_str() : nullptr);
    CPLPopErrorHandler();
    lost_.pass_on();
    // Other messages go to the previous handler; the last error is unchanged.
    const auto type = CPLGetLastErrorType();
    const auto number = CPLGetLastErrorNo();
    const std::string message = CPLGetLastErrorMsg();
    for (const auto& w : warnings_) CPLError(CE_Warning, w.number, "%s", w.message.c_str());
    CPLErrorSetState(type, number, message.c_str());
    if (set_) CPLSetConfigOption(verification, nullptr);
}

void CPL_STDCALL faithful_clones::listen(CPLErr severity, CPLErrorNum number, const char* message) {
    auto& self = *static_cast<faithful_clones*>(CPLGetErrorHandlerUserData());
    if (self.lost_.hear(severity, message)) return;
    if (severity == CE_Warning) self.warnings_.push_back({number, message});
    if (severity != CE_Debug) return;
    if (std::strstr(message, "Recompute out extent with CHECK_WITH_INVERT_PROJ"))
        self.verifies_ = true;
    else if (std::strstr(message, "Trying again with CHECK_WITH_INVERT_PROJ"))
        self.verifies_ = false;  // for one call; then the transformer is created again without it
    else if (self.verifies_ && !self.set_ && std::strstr(message, "Start chunk ")) {
        CPLSetConfigOption(verification, "YES");
        self.set_ = true;
    }
}

std::string kernel_threads(GDALDataset& source) {
    double ignored[6];
    if (source.GetGeoTransform(ignored) != CE_None || source.GetMetadata("RPC") || source.GetMetadata("GEOLOCATION"))
        return "1";
    return CPLGetConfigOption("GDAL_NUM_THREADS", "ALL_CPUS");
}

}  // namespace gdalmcp_raster
