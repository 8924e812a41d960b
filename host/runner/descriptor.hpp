// base::descriptor, by which this room and its users pass descriptors on.
#pragma once
#include "base/descriptor.hpp"

namespace gdalmcp::runner {

using base::descriptor;

}  // namespace gdalmcp::runner
