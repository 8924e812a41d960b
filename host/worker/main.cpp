// gdal-mcp-worker: started by the host as `gdal-mcp-worker zygote HOST_PID` with its control socket as descriptor 3.
#include <cpl_conv.h>
#include <dlfcn.h>
#include <gdal.h>
#include <gdal_version.h>
#include <iconv.h>
#include <proj.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/log.hpp"
#include "worker/request.hpp"
#include "worker/zygote.hpp"

namespace {

// What a confined child could no longer load by itself, or would pay for in every call.
void warm_up() {
    // Sidecars are probed by name: a child may not list the folders of its inputs, and both passes must see the same.
    CPLSetConfigOption("GDAL_DISABLE_READDIR_ON_OPEN", "YES");
    CPLSetConfigOption("GDAL_VRT_ENABLE_PYTHON", "NO");
    CPLSetErrorHandlerEx(&CPLQuietErrorHandler, nullptr);
    GDALAllRegister();
    gdalmcp::worker::library_versions();
    ::dlopen("libgcc_s.so.1", RTLD_NOW);  // thread cancellation and exceptions load it when first needed
    for (const char* encoding : {"CP1252", "ISO-8859-1"})
        if (const auto conversion = ::iconv_open("UTF-8", encoding); conversion != reinterpret_cast<iconv_t>(-1))
            ::iconv_close(conversion);
}

// For `gdal-mcp doctor`: what is linked, and what this kernel can confine.
void print_versions() {
    std::printf("GDAL: %s\n", GDALVersionInfo("RELEASE_NAME"));
    std::printf("PROJ: %s\n", proj_info().release);
    const int landlock = gdalmcp::worker::landlock_version();
    std::printf("Landlock: %s\n", landlock ? ("ABI " + std::to_string(landlock)).c_str()
                                           : "not in this kernel; bundles run only with --no-sandbox");
    std::printf("seccomp: %s\n",
                gdalmcp::worker::syscall_filter::compile() ? "filter compiles" : "no filter can be made");
}

}  // namespace

int main(int argc, char** argv) {
    using namespace gdalmcp;
    if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
        print_versions();
        return 0;
    }
    if (argc != 3 || std::strcmp(argv[1], "zygote") != 0) {
        std::fputs("gdal-mcp-worker is started by gdal-mcp\n", stderr);
        return 2;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != std::atoi(argv[2])) return 1;  // the host died before the line above
    ::signal(SIGPIPE, SIG_IGN);
    warm_up();
    const auto filter = worker::syscall_filter::compile();
    if (!filter) {
        base::log(base::log_level::error, filter.error().message);
        return 1;
    }
    return worker::serve_zygote(3, [&](int socket) { return worker::serve_request(socket, *filter); });
}
