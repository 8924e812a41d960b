// CRSs in texts of records. A CRS without a code of its own, such as a compound one, is a digest in the key of a
// reason; calls and files spell it out.
#pragma once
#include <map>
#include <set>
#include <string>

#include "app/call/host.hpp"

namespace gdalmcp::app {

class crs_names {
public:
    // `h` outlives it.
    explicit crs_names(host& h) : h_{h} {}

    // Takes the spellings in a record or a call's arguments: members such as dst_crs, crs and t_srs.
    void read(const json::value& spelled);

    // `text` with the codes or the name of a CRS in place of each digest, as far as what was read or a dataset of the
    // workspaces has it; other digests stay.
    std::string in(std::string text);

private:
    void add(std::string_view spelling);
    void read_datasets();
    void identify();

    host& h_;
    std::set<std::string> spellings_;                        // not identified yet
    std::map<std::string, std::string, std::less<>> names_;  // by digest
    bool datasets_read_ = false;
};

}  // namespace gdalmcp::app
