// Statistics of the stored reasons and the receipts of past calls.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "base/json.hpp"
#include "reflection/record.hpp"

namespace gdalmcp::reflection {

class statistics {
public:
    void add(const record& r);
    void add_receipt(const json::value& receipt);  // as `receipts` makes them; others are ignored

    // {"reasons", "hit_rate": proceed / (proceed + block), null before the first of either,
    //  "decisions": {word: calls}, "domains": {domain: {"reasons", "questions": calls blocked, "decisions"}},
    //  "confidence": {word: reasons}, "chosen_by": {word: reasons},
    //  "most_revisited": [{"ref", "choice", "revisits": calls that asked again, "kept": times it was kept}], at most
    //  10}
    json::object text() const;

private:
    using counts = std::map<std::string, std::int64_t>;
    struct domain_counts {
        std::int64_t reasons = 0;
        counts decisions;
    };
    struct revisited {
        std::string choice;  // empty: the reason is no longer stored
        std::int64_t asked = 0, kept = 0;
    };

    std::int64_t reasons_ = 0;
    counts decisions_, confidence_, chosen_by_;
    std::map<std::string, domain_counts> domains_;
    std::map<std::string, revisited> revisited_;  // by ref
};

}  // namespace gdalmcp::reflection
