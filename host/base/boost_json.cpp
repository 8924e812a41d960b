// The one file that compiles Boost.JSON (used header-only, design: Debian 12 has no installable library for it).
#include <boost/json/src.hpp>
