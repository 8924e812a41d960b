#include "app/sample_arguments.hpp"

#include "catch.hpp"
