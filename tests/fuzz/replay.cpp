// Runs every kept input through its target's entry point, without libFuzzer. Usage: test_fuzz_replay CORPUS
// CORPUS holds a folder per target, with an input per file, and many in a found.pack (see pack). An input that breaks a
// promise ends the program; its name is the last one printed.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iostream>
#include <map>
#include <string_view>
#include <vector>

#include "base/file.hpp"

using target = int(const std::uint8_t*, std::size_t);
extern "C" target fuzz_answer, fuzz_http, fuzz_json, fuzz_line, fuzz_message, fuzz_policy, fuzz_record, fuzz_schema,
    fuzz_spec, fuzz_yaml;

namespace {

// The netstrings of a pack; nothing when it is not whole.
std::vector<std::string_view> unpack(std::string_view pack) {
    std::vector<std::string_view> inputs;
    while (!pack.empty()) {
        std::size_t length = 0;
        const auto [end, error] = std::from_chars(pack.data(), pack.data() + pack.size(), length);
        const auto start = static_cast<std::size_t>(end - pack.data()) + 1;
        if (error != std::errc{} || start + length >= pack.size() || *end != ':' || pack[start + length] != ',')
            return {};
        inputs.push_back(pack.substr(start, length));
        pack.remove_prefix(start + length + 1);
    }
    return inputs;
}

}  // namespace

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
            const bool packed = file.extension() == ".pack";
            const auto inputs = packed ? unpack(*bytes) : std::vector<std::string_view>{*bytes};
            if (inputs.empty()) return std::cout << "it is not a pack\n", 1;
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                if (packed) std::cout << "input " << i << std::endl;
                const std::vector<std::uint8_t> own{inputs[i].begin(), inputs[i].end()};  // so that ASan sees its end
                run(own.data(), own.size());
            }
        }
        if (files.empty()) return std::cout << "no inputs for " << name << '\n', 1;
    }
}
