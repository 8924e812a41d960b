// query://result/…: the description of a managed result, and the bytes of its file.
#pragma once
#include "app/resources/reader.hpp"

namespace gdalmcp::app {

contents read_result(const reading& q);
contents read_result_data(const reading& q);  // of query://result/{id}/data{?offset,length}
json::array list_results(host& h);            // for resources/list

}  // namespace gdalmcp::app
