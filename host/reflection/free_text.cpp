#include "reflection/free_text.hpp"

#include <utf8proc.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/text.hpp"

namespace gdalmcp::reflection {
namespace {

constexpr std::size_t enough_words = 3, enough_letters = 12;

bool is_letter(utf8proc_int32_t c) {
    const auto category = utf8proc_category(c);
    return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool is_mark(utf8proc_int32_t c) {
    const auto category = utf8proc_category(c);
    return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

bool is_number(utf8proc_int32_t c) {
    const auto category = utf8proc_category(c);
    return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

bool is_ideograph(utf8proc_int32_t c) {
    return (c >= 0x3400 && c <= 0x4dbf) || (c >= 0x4e00 && c <= 0x9fff) || (c >= 0xf900 && c <= 0xfaff) ||
           (c >= 0x20000 && c <= 0x3ffff);
}

bool is_syllable(utf8proc_int32_t c) { return c >= 0xac00 && c <= 0xd7a3; }

class counter {
public:
    void add(utf8proc_int32_t c, std::string_view bytes) {
        if (is_ideograph(c)) {
            end_word();
            word_ = bytes;
            letters_ = 2;
            end_word();
        } else if (is_letter(c)) {
            word_ += bytes;
            letters_ += is_syllable(c) ? 2 : 1;
        } else if (is_number(c)) {
            word_ += bytes;
            has_number_ = true;
        } else if (!is_mark(c)) {
            end_word();
        }
    }

    bool enough() {
        end_word();
        return words_.size() >= enough_words || all_letters_ >= enough_letters;
    }

private:
    void end_word() {
        if ((letters_ >= 2 || has_number_) && words_.insert(base::lower_ascii(word_)).second) all_letters_ += letters_;
        word_.clear();
        letters_ = 0;
        has_number_ = false;
    }

    std::string word_;
    std::size_t letters_ = 0, all_letters_ = 0;
    bool has_number_ = false;
    std::set<std::string> words_;
};

}  // namespace

bool says_enough(std::string_view text) {
    counter count;
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    for (std::size_t i = 0; i < text.size();) {
        utf8proc_int32_t c = 0;
        const auto size = utf8proc_iterate(bytes + i, static_cast<utf8proc_ssize_t>(text.size() - i), &c);
        const auto step = static_cast<std::size_t>(std::max<utf8proc_ssize_t>(size, 1));
        if (size > 0) count.add(c, text.substr(i, step));
        i += step;
    }
    return count.enough();
}

}  // namespace gdalmcp::reflection
