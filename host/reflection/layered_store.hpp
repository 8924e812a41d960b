// Several stores as one: the workspace's own, and behind it team libraries that are only read.
#pragma once
#include <memory>
#include <vector>

#include "reflection/store.hpp"

namespace gdalmcp::reflection {

// Of two records under one key the first store's counts. Only `own` is written to; a record of a library is not ours to
// withdraw.
std::unique_ptr<store> layer_stores(std::unique_ptr<store> own, std::vector<std::unique_ptr<store>> libraries);

}  // namespace gdalmcp::reflection
