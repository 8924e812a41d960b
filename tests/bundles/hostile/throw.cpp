// An exception that nobody on this side catches.
#include <stdexcept>

#include "hostile.h"

HOSTILE(hostile_throw) {
    BEGIN;
    if (c->attempts == 0) throw std::runtime_error{"thrown across the border"};
    return report(c);
}
