// The host's side of gdalmcp/abi.h: the function table of a running tool, over the call's arguments and its growing
// result.
#pragma once
#include <gdalmcp/abi.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "worker/asking.hpp"

namespace gdalmcp::worker {

class running_call {
public:
    // arguments: validated, paths already rewritten. socket: where progress and log frames go and "stop" arrives. told:
    // the client's capabilities and answers, see asking.
    running_call(base::json::value arguments, std::filesystem::path scratch, int socket,
                 const base::json::object& told = {});

    // The functions a plugin of this minor may call; abi_minor in it is the smaller of the plugin's and the host's.
    static const gdalmcp_host& table(std::uint32_t plugin_minor);
    gdalmcp_call* handle() { return reinterpret_cast<gdalmcp_call*>(this); }

    void add_warning(std::string text);
    // What a decoder said of cells that GDAL then made up; the first is kept.
    void add_undecoded(std::string text);
    // Why output of the tool was dropped with GDALMCP_EXHAUSTED, a status it may have ignored. nullptr: nothing was
    // dropped.
    const char* lost_words() const { return lost_words_; }

    // After run() has returned `returned`: the problem, with the reason of the last fail(); nothing after GDALMCP_OK.
    // An unused reason becomes a warning.
    std::optional<base::problem> conclude(const std::string& tool, gdalmcp_status returned);

    // After run(): the tool's output.
    base::json::value result;         // structured result
    base::json::object expectations;  // JSON Pointer of the output -> object
    base::json::array attachments;    // {media_type} and {text}, {image} or {audio} in base64, {link, name,
                                      // description}, or {resource} and {text} or {blob}
    std::vector<std::string> lines, warnings;
    std::string undecoded;        // of add_undecoded()
    bool progress_asked = false;  // progress() was called
    bool progress_fell = false;   // with a fraction below the previous one
    asking questions;

private:
    friend struct abi_functions;
    bool stop_requested();

    base::json::value arguments_;
    std::filesystem::path scratch_;
    int socket_;
    std::mutex mutex_;                                // the table may be called from any thread of the plugin
    std::vector<std::unique_ptr<std::string>> lent_;  // texts lent by get_json and new_scratch
    base::problem failure_;                           // from the last fail()
    double reported_ = -1, asked_ = -1;
    std::int64_t reported_at_ = 0;  // ms of the steady clock
    bool stop_ = false, takes_long_ = false;
    const char* lost_words_ = nullptr;
    std::size_t put_ = 0, said_ = 0, attached_ = 0;  // bytes
};

// The published code of a status: "invalid_argument", …
const char* code_of(gdalmcp_status s);

}  // namespace gdalmcp::worker
