// A running tool's questions to its client: those of this round, and the answers so far.
#pragma once
#include <set>
#include <string>

#include "base/json.hpp"

namespace gdalmcp::worker {

namespace json = boost::json;

class asking {
public:
    // told: {"can": [the client's capabilities], "answers": {name: answer}, "state": from the previous round}, made by
    // app/call/tool_questions.hpp. Empty: no question is possible.
    explicit asking(const json::object& told);

    bool can(std::string_view what) const { return can_.count(what) != 0; }
    void put(std::string_view name, std::string_view method, json::object params);
    const json::value* answer(std::string_view name, std::string_view at);  // nullptr: no answer, or no such member
    const json::value* state(std::string_view at) const;                    // nullptr: no such member
    void keep(json::value state);

    // {"requests": {name: {method, params}}, "used": [names of the answers read], "state": for the next round, or
    // null}. Empty: the call is done.
    json::object outcome() const;

private:
    std::set<std::string, std::less<>> can_;
    json::object answers_;
    json::value state_, kept_;
    json::object requests_;
    std::set<std::string, std::less<>> used_;
    bool keeps_ = false;
};

}  // namespace gdalmcp::worker
