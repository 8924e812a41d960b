// A whole server without tools worth having: a peer over a catalogue whose every answer is known beforehand.
#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "mcp/peer.hpp"

namespace gdalmcp::protocol_test {

// Lines in, lines out; answers at once, except for the tool `hold`. The tools:
//   echo {…}             its arguments, as structured content only
//   count {n}            n steps of progress
//   fail {}              an error that carries structured content, which must not be sent
//   link {}              a resource_link
//   meta {}              a result with members in _meta
//   capabilities {}      what the server knows of the client's capabilities
//   hold {name}          no answer until `release {name}`; when it is cancelled it answers nevertheless, which must
//                        not be sent
//   release {name}       answers the hold of that name, then itself
//   ask {crs}            asks for a form, then tells what was answered
//   ask_all {}           asks for a form, a message of the model and the roots at once, then tells what was answered
//   ask_twice {}         asks for a form and, when that was answered, for another
//   give_up {}           stops waiting for whoever is being asked
//   log {severity}       logs a line of that severity (RFC 5424, 0 … 7), then is done
//   task {}              becomes the task "task-1", which is completed when it is asked for; so it is for tasks/get,
//   and
//                        tasks/update and tasks/cancel are acknowledged; other ids name no task
//   finish_task {}       says that task-1 changed
//   hear {}              a sound
//   touch {uri}          says that this resource changed
//   change {what}        "tools", "prompts" or "resources": changes that list
//   nonsense {}          answers with a number JSON does not have and with ill-formed UTF-8
class scripted_server {
public:
    scripted_server();
    std::vector<std::string> receive(std::string_view line);
    std::vector<std::string> line_too_long(std::size_t limit);
    std::vector<std::string> close();

private:
    std::vector<std::string> carry_out(mcp::effects asked);
    void step(mcp::tool_call& c);
    void step(mcp::resource_list& l);
    void step(mcp::resource_read& r);
    void step(mcp::prompt_get& g);
    void step(mcp::completion& c);
    void step(mcp::task_get& g);
    void step(mcp::task_update& u);
    void step(mcp::task_cancel& c);
    void step(mcp::cancel& c);
    void step(mcp::send& s);
    void add(mcp::effects more);
    void change(std::string_view what);

    mcp::offer offer_;
    mcp::peer peer_;
    std::map<std::string, mcp::request_key> held_;
    std::set<mcp::request_key> asking_;
    std::vector<std::string> lines_;
};

}  // namespace gdalmcp::protocol_test
