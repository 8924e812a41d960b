// Runs every kept input through its target's entry point, without libFuzzer. Usage: test_fuzz_replay CORPUS
// CORPUS holds a folder per target. An input that breaks a promise ends the program; its name is the last one printed.
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <vector>

#include "base/file.hpp"

using target = int(const std::uint8_t*, std::size_t);
extern "C" target fuzz_answer, fuzz_http, fuzz_json, fuzz_line, fuzz_message, fuzz_policy, fuzz_record, fuzz_schema,
    fuzz_spec, fuzz_yaml;

int main(int argc, char** argv) {
    namespace fs = std::filesystem;
    if (argc != 2) return 2;
    const std::map<std::string, target*> targets{
        {"answer", fuzz_answer},   {"http", fuzz_http},     {"json", fuzz_json},     {"line", fuzz_line},
        {"message", fuzz_message}, {"policy", fuzz_policy}, {"record", fuzz_record}, {"schema", fuzz_schema},
        {"spec", fuzz_spec},       {"yaml", fuzz_yaml}};
    for (const auto& [name, run] : targets) {
        std::vector<fs::path> files;
        for (const auto& e : fs::directory_iterator{fs::path{argv[1]} / name}) files.push_back(e.path());
        std::sort(files.begin(), files.end());
        for (const auto& file : files) {
            std::cout << file.string() << std::endl;  // flushed: the next line may be an abort
            const auto bytes = gdalmcp::base::read_file(file, 1 << 20);
            if (!bytes) return std::cout << bytes.error().message << '\n', 1;
            run(reinterpret_cast<const std::uint8_t*>(bytes->data()), bytes->size());
        }
        if (files.empty()) return std::cout << "no inputs for " << name << '\n', 1;
    }
}
