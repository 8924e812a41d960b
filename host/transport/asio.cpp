// The one file that compiles Boost.Asio (BOOST_ASIO_SEPARATE_COMPILATION is defined for the whole tree).
#include <boost/asio/impl/src.hpp>
