// gdal-mcp-worker: started by the host as `gdal-mcp-worker zygote HOST_PID` with its control socket as descriptor 3.
#include <iconv.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

#include "worker/sandbox.hpp"
#include "worker/syscall_filter.hpp"
#include "worker/zygote_program.hpp"

using namespace gdalmcp::worker;

namespace {

// For `gdal-mcp doctor`: the linked libraries, and this kernel's support for confinement.
void print_versions() {
    const auto versions = load_gdal()->versions();
    std::printf("GDAL: %s\n", versions.at("gdal").get_string().c_str());
    std::printf("PROJ: %s\n", versions.at("proj").get_string().c_str());
    const int landlock = landlock_version();
    std::printf("Landlock: %s\n", landlock ? ("ABI " + std::to_string(landlock)).c_str()
                                           : "not in this kernel; bundles run only with --no-sandbox");
    const auto filter = syscall_filter::compile(false);
    std::printf("seccomp: %s\n", filter ? "filters compile" : "no filter can be made");
    if (!filter) return;
    const auto starts = filter->install();  // the last this process does
    std::printf("threads: %s\n", !starts   ? ("no limit: " + starts.error().message).c_str()
                                 : *starts ? "each start is counted"
                                           : "counted every 10 ms; the container intercepts system calls itself");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "--version") == 0) {
        print_versions();
        std::fflush(stdout);
        ::_exit(0);  // confined now: a sanitizer's leak check at exit() needs denied calls
    }
    return run_zygote_program(argc, argv, [] {
        // Loads what a confined child cannot load itself, or would load in every call.
        for (const char* encoding : {"CP1252", "ISO-8859-1"})
            if (const auto conversion = ::iconv_open("UTF-8", encoding); conversion != reinterpret_cast<iconv_t>(-1))
                ::iconv_close(conversion);
        return load_gdal();
    });
}
