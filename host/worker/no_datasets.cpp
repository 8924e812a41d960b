#include "worker/dataset_library.hpp"

namespace gdalmcp::worker {
namespace {

namespace fs = std::filesystem;
using base::fail;
using base::result;

class nothing final : public dataset_library {
public:
    const std::string& libgdal() const override { return none_; }
    const base::json::object& versions() const override { return versions_; }
    const std::vector<int>& descriptors() const override { return descriptors_; }
    bool begin_child() const override { return true; }
    void expect_crs(const std::string&) const override {}
    void begin_call(const runner::request&) const override {}
    result<opened_input> open(const input& i, const std::vector<fs::path>&, const fs::path&, bool) const override {
        return fail(base::code::internal, "this worker opens no datasets, and " + i.path.string() + " is not opened");
    }
    result<base::json::object> answer(const runner::request& r) const override {
        return fail(base::code::internal, "this worker has no operation '" + r.operation + "'");
    }
    void watch(running_call&) const override {}
    std::optional<std::string> stop_watching() const override { return std::nullopt; }

private:
    const std::string none_;
    const base::json::object versions_;
    const std::vector<int> descriptors_{};  // clang 14 wants the braces
};

}  // namespace

std::unique_ptr<const dataset_library> no_datasets() { return std::make_unique<nothing>(); }

}  // namespace gdalmcp::worker
