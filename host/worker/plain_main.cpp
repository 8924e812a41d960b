// gdal-mcp-worker-plain: as gdal-mcp-worker, without GDAL, for plugins that bring their own or need none.
#include "worker/zygote_program.hpp"

int main(int argc, char** argv) {
    return gdalmcp::worker::run_zygote_program(argc, argv, &gdalmcp::worker::no_datasets);
}
