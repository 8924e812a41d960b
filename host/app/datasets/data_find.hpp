// The tool data_find: which datasets of the workspaces hold what somebody looks for.
#pragma once
#include "app/datasets/dataset_index.hpp"
#include "app/datasets/dataset_search.hpp"

namespace gdalmcp::app {

json::object data_find_definition();  // for tools/list

// Thread-safe.
class data_find {
public:
    explicit data_find(dataset_index& datasets) : datasets_{datasets} {}

    // The answer to arguments that fit the definition. tell: fraction and text, as of call_events::progress.
    base::result<json::object> answer(const json::object& arguments, const runner::cancellation& cancel,
                                      const std::function<void(double, std::string_view)>& tell);

private:
    // Among values that are not in the index. The datasets whose values were not all read.
    std::vector<const indexed_dataset*> search_values(indexed_datasets& in, const std::vector<std::string>& terms,
                                                      const runner::cancellation& cancel);

    dataset_index& datasets_;
};

}  // namespace gdalmcp::app
