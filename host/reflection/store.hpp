// Where reasons are kept. An interface, so that a team library or a database can stand in.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.hpp"
#include "reflection/record.hpp"

namespace gdalmcp::reflection {

struct findings {
    std::vector<std::shared_ptr<const record>> records;
    std::vector<std::string> warnings;  // what was there and could not be believed
};

// Safe from any thread.
class store {
public:
    virtual ~store() = default;
    virtual findings find(std::string_view domain, std::string_view cache_key) = 0;               // at most one
    virtual findings find_question(std::string_view domain, std::string_view question_hash) = 0;  // newest first
    virtual base::result<void> put(const record& r) = 0;
};

}  // namespace gdalmcp::reflection
