#include "worker/zygote_program.hpp"

#include <dlfcn.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/log.hpp"
#include "worker/request.hpp"
#include "worker/zygote.hpp"

namespace gdalmcp::worker {

int run_zygote_program(int argc, char** argv, const std::function<std::unique_ptr<const dataset_library>()>& warm_up) {
    if (argc != 3 || std::strcmp(argv[1], "zygote") != 0) {
        std::fprintf(stderr, "%s is started by gdal-mcp\n", argv[0]);
        return 2;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != std::atoi(argv[2])) return 1;  // the host died before the line above
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGXFSZ, SIG_IGN);  // exceeding RLIMIT_FSIZE must fail the write, not end all calls
    constexpr int control = 3;
    common_paths common{common_to_all_calls()};  // first, so that its descriptors follow the control socket
    ::dlopen("libgcc_s.so.1", RTLD_NOW);         // thread cancellation and exceptions load it when first needed
    ::dlopen("libmuparser.so.2", RTLD_NOW);      // shipped bundles link it; with OpenMP, a tenth of a short call
    const auto datasets = warm_up();
    const auto filter = syscall_filter::compile(false);
    if (!filter) {
        base::log(base::log_level::error, filter.error().message);
        return 1;
    }
    const int common_end = common.end(control + 1);
    const auto& shared = datasets->descriptors();
    const int kept_below =
        shared.empty() ? common_end : std::max(common_end, *std::max_element(shared.begin(), shared.end()) + 1);
    const child_program child{[&] {
                                  for (int fd = common_end; fd < kept_below; ++fd)
                                      if (std::find(shared.begin(), shared.end(), fd) == shared.end()) ::close(fd);
                                  // Compares a name with that of every library, as loading a plugin will: their pages
                                  // are mapped then.
                                  ::dlopen("/", RTLD_LAZY | RTLD_NOLOAD);
                                  return datasets->begin_child();
                              },
                              [&](int socket, runner::descriptor watch) {
                                  return serve_request(socket, std::move(watch), *filter, common, *datasets);
                              }};
    return serve_zygote(control, kept_below, child, [&](const std::string& crs) { datasets->expect_crs(crs); });
}

}  // namespace gdalmcp::worker
