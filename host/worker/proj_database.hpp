// PROJ's database, opened and read before the fork. Opening it, reading its schema and preparing its statements takes
// most of a short look at a dataset; a child inherits all of that.
//
// GDAL and PROJ close their connections after a fork, by handlers that fork() runs and _Fork() does not, because two
// processes must not share the position of a descriptor. So the zygote uses _Fork(), and a child gives the connection a
// description of its own, of the same file, before it runs foreign code.
#pragma once
#include <string>
#include <vector>

namespace gdalmcp::worker {

// Reads the records that common CRSs, GeoTIFF and transformations to WGS 84 need. Returns the descriptors of the
// database; none if it was not found. REQUIRES: one thread, the one that forks.
std::vector<int> warm_up_proj();

// Between two forks: runs the first PROJ queries of a call on data in this CRS. Opens no file: transformations are
// created but not used, because their first point would open their grids. Unknown codes are ignored.
void prepare_crs(const std::string& code);

// In a child: reopens the same files at the same descriptors, unshared. False: the child must end.
bool make_private(const std::vector<int>& descriptors);

}  // namespace gdalmcp::worker
