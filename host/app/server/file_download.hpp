// The file of a managed result over HTTP: GET or HEAD /files/{id}, whole or a range of it.
#pragma once
#include <memory>

#include "transport/http.hpp"
#include "workspace/results.hpp"

namespace gdalmcp::app {

// `id`: of a result of the requesting tenant; otherwise 404. A result does not change, so its id is its entity tag.
void serve_file(workspace::results& results, const std::string& id, const transport::http_request& request,
                transport::http_reply& reply);

}  // namespace gdalmcp::app
