#include "ogr_total_row.hpp"

namespace gdalmcp_vector {

total_row::total_row() { CPLPushErrorHandlerEx(&total_row::hear, this); }

void total_row::opened() {
    if (!listening_) return;
    listening_ = false;
    CPLPopErrorHandler();
    const auto type = CPLGetLastErrorType();
    const auto last = CPLGetLastErrorNo();
    const std::string message = CPLGetLastErrorMsg();
    for (const auto& [kind, number, text] : heard_) CPLError(kind, number, "%s", text.c_str());
    CPLErrorSetState(type, last, message.c_str());
}

void CPL_STDCALL total_row::hear(CPLErr kind, CPLErrorNum number, const char* text) {
    auto& own = *static_cast<total_row*>(CPLGetErrorHandlerUserData());
    const std::string said = text;
    const auto name = said.find(" is '");
    const auto end = said.find("' and counts as a row: if it sums up");
    if (kind == CE_Debug) return;
    if (kind != CE_Warning || !said.starts_with("the last row") || end == std::string::npos || name >= end) {
        own.heard_.emplace_back(kind, number, said);
        return;
    }
    own.totals_.push_back({said, said.substr(name + 5, end - name - 5)});
}

void total_row::see(const OGRFeature& f, bool selected) {
    for (auto& t : totals_) {
        bool& seen = selected ? t.selected : t.left_out;
        for (int i = 0; i < f.GetFieldCount() && !seen; ++i)
            seen = f.GetFieldDefnRef(i)->GetType() == OFTString && f.IsFieldSetAndNotNull(i) &&
                   f.GetFieldAsString(i) == t.name;
    }
}

void total_row::tell(gdalmcp::call& call) const {
    for (const auto& t : totals_)
        if (t.selected || !t.left_out) call.warn(t.caution);
}

}  // namespace gdalmcp_vector
