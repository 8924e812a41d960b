// What a running tool asks its client: the questions of this round, the answers so far.
#pragma once
#include <set>
#include <string>

#include "base/json.hpp"

namespace gdalmcp::worker {

namespace json = boost::json;

class asking {
public:
    // told: {"can": [what the client can be asked], "answers": {name: answer}, "state": what the round before kept}, as
    // app/tool_questions.hpp makes it. Empty: nobody can be asked.
    explicit asking(const json::object& told);

    bool can(std::string_view what) const { return can_.count(what) != 0; }
    void put(std::string_view name, std::string_view method, json::object params);
    const json::value* answer(std::string_view name, std::string_view at);  // nullptr: not answered, or nothing there
    const json::value* state(std::string_view at) const;                    // nullptr: nothing was kept there
    void keep(json::value state);

    // {"requests": {name: {method, params}}, "used": [names of the answers that were looked at], "state": what to keep,
    // or null}. Empty: the call is done.
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
