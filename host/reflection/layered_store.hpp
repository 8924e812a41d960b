// Several stores as one: the workspace's own, then read-only team libraries.
#pragma once
#include <memory>
#include <vector>

#include "reflection/store.hpp"

namespace gdalmcp::reflection {

// Of two records under one key the first store's counts. Only `own` is written to; a record of a library cannot be
// withdrawn here.
std::unique_ptr<store> layer_stores(std::unique_ptr<store> own, std::vector<std::unique_ptr<store>> libraries);

}  // namespace gdalmcp::reflection
