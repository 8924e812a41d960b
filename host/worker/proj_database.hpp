// PROJ's database, opened and read before the fork. Opening it, reading its schema and preparing its statements takes
// most of a short look at a dataset; a child inherits all of that.
//
// GDAL and PROJ close their connections after a fork, by handlers that fork() runs and _Fork() does not, because two
// processes must not share the position of a descriptor. So the zygote uses _Fork(), and a child gives the connection a
// description of its own, of the same file, before it runs code of others.
#pragma once
#include <vector>

namespace gdalmcp::worker {

// Reads what common CRSs, GeoTIFF and transformations to WGS 84 need. Returns the descriptors of the database, none
// where it was not found. REQUIRES: one thread, the one that forks.
std::vector<int> warm_up_proj();

// In a child: the same files at the same descriptors, shared with nobody. False: it must not go on.
bool make_private(const std::vector<int>& descriptors);

}  // namespace gdalmcp::worker
