// `gdal-mcp reflect …` and `gdal-mcp audit …` on the command line. A further subcommand is one more `add`.
#pragma once
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "app/configuration.hpp"

namespace CLI {
class App;
}

namespace gdalmcp::app {

class host;

class reflect_commands {
public:
    explicit reflect_commands(CLI::App& program);  // which must outlive this
    ~reflect_commands();

    bool given() const;                     // once the command line is parsed
    int run(const configuration& c) const;  // REQUIRES: given(). The exit code

private:
    using action = std::function<int(const configuration&)>;

    CLI::App* add(CLI::App* to, const char* name, const char* description, action run);
    void add_looking(CLI::App* reflect);
    void add_upkeep(CLI::App* reflect);
    void add_exchange(CLI::App* reflect);
    void add_authoring(CLI::App* reflect);

    struct options;
    std::unique_ptr<options> given_;
    std::vector<std::pair<CLI::App*, action>> commands_;
};

}  // namespace gdalmcp::app
