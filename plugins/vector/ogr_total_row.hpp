// ogr_total_row.hpp — the caution that the last row of a table may sum up those above, for tools that select rows: it
// is given where the row is selected.
//
//   total_row total;
//   auto from = open_layer(call);
//   total.opened();
//   total.see(feature, selected);  // of each feature read
//   total.tell(call);
#pragma once
#include <gdalmcp/gdal_open.hpp>
#include <gdalmcp/tool.hpp>

#include <string>
#include <tuple>
#include <vector>

namespace gdalmcp_vector {

class total_row {
public:
    // Keeps the caution back that opening a layer gives; all else is passed on when it is opened.
    total_row();
    ~total_row() { opened(); }
    total_row(const total_row&) = delete;
    total_row& operator=(const total_row&) = delete;
    void opened();

    void see(const OGRFeature&, bool selected);
    void tell(gdalmcp::call&) const;

private:
    static void CPL_STDCALL hear(CPLErr kind, CPLErrorNum number, const char* text);
    bool listening_ = true;
    std::vector<std::tuple<CPLErr, CPLErrorNum, std::string>> heard_;
    // Of each sheet; a row is known by its name.
    struct total {
        std::string caution, name;
        bool selected = false, left_out = false;
    };
    std::vector<total> totals_;
};

}  // namespace gdalmcp_vector
