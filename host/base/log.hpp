// The log: lines on stderr. stdout belongs to the protocol.
#pragma once
#include <string>
#include <string_view>

namespace gdalmcp::base {

enum class log_level { error, warning, info, debug };

void set_log_level(log_level least_severe);  // default info; before threads start
void log(log_level level, std::string_view text);

}  // namespace gdalmcp::base
