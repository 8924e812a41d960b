// gdalmcp/gdal_table_records.hpp — the records of a text table: values, some of them in quotes, between separators
// (RFC 4180). A quote opens a value only where the value begins, and closes it only where the value ends: GDAL takes
// any other quote for one as well, and merges the rows up to the next. Blanks around a value, outside its quotes, are
// none of it, as they are none of the names for GDAL. Used by gdal_text_table.hpp.
#pragma once
#include <cpl_vsi.h>
#include <gdalmcp/gdal_table_encoding.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gdalmcp::gdal::detail {

struct file_closer {
    void operator()(VSILFILE* f) const { VSIFCloseL(f); }
};
using file_handle = std::unique_ptr<VSILFILE, file_closer>;

using record = std::vector<std::string>;

// Reads a text in UTF-8, from a file or from memory. Lines without anything are records of one empty value.
class record_reader {
public:
    static constexpr std::size_t longest_quoted = 10'000'000;  // bytes of a value in quotes that goes over lines

    record_reader(VSILFILE* file, char separator) : file_{file}, separator_{separator} { skip_mark(); }
    record_reader(std::string text, char separator) : text_{std::move(text)}, separator_{separator} { skip_mark(); }

    // False at the end; `into` is reused.
    bool next(record& into) {
        while (true) {
            if (at_ == text_.size() && !more()) return false;
            used_ = 0;
            stray_here_ = false;
            indented_here_ = 0;
            if (parse(into)) break;
            more();  // the record goes on after what was read
        }
        into.resize(used_);
        stray += stray_here_;
        indented += indented_here_;
        for (auto& v : into) correct(v);
        return true;
    }

    // Of the records so far: those with a quote that neither opens nor closes a value. Values whose quotes open after
    // blanks, which GDAL takes for text since 3.9. Values with characters beyond ASCII, and of bytes that are not UTF-8
    // (read as CP1252); values with NUL bytes (left out).
    std::int64_t stray = 0, indented = 0, native = 0, foreign = 0, nul = 0;
    bool unended = false;  // the last record ends with the text, not with a line end
    // By column: whether blanks stood around a value.
    std::vector<bool> padded{};

private:
    enum class ending { incomplete, stray, closed };

    bool more() {
        if (!file_) return false;
        text_.erase(0, at_);
        at_ = 0;
        const auto had = text_.size(), block = std::max<std::size_t>(1 << 20, had);
        text_.resize(had + block);
        const auto read = VSIFReadL(text_.data() + had, 1, block, file_);
        text_.resize(had + read);
        if (read < block) file_ = nullptr;
        return read > 0;
    }
    bool last() const { return file_ == nullptr; }
    void skip_mark() {
        more();
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
    }
    std::string& value(record& into) {
        if (used_ == into.size()) into.emplace_back();
        auto& v = into[used_++];
        v.clear();
        return v;
    }
    bool ends(char c) const { return c == '\n' || c == '\r'; }

    // One record from at_ on; false: the text does not hold all of it.
    bool parse(record& into) {
        std::size_t p = at_;
        skip_run(p);
        while (true) {
            auto& v = value(into);
            std::size_t q = p;
            while (q < text_.size() && text_[q] == ' ') ++q;
            if (q < text_.size() && text_[q] == '"') {
                const bool after_blank = q > p;
                const auto how = quoted(q, p, v);
                if (how == ending::incomplete) return false;
                if (how == ending::stray) {
                    stray_here_ = true;
                    v.clear();
                    plain(p, v);  // the quote belongs to the text
                } else {
                    indented_here_ += after_blank;
                    if (after_blank) note_padding();
                }
            } else {
                plain(p, v);
            }
            if (p == text_.size() && !last()) return false;
            if (p < text_.size() && text_[p] == separator_) {
                skip_run(++p);
                if (p == text_.size() && !last()) return false;
                const bool at_end = p == text_.size() || ends(text_[p]);
                if (separator_ != ' ' || !at_end) continue;
            }
            unended = p == text_.size();
            if (p < text_.size() && text_[p] == '\r') {
                if (++p == text_.size() && !last()) return false;
                if (p < text_.size() && text_[p] == '\n') ++p;
            } else if (p < text_.size()) {
                ++p;
            }
            at_ = p;
            return true;
        }
    }
    // Several blanks separate as one does, so that columns stand below each other, and none at either end of a line.
    void skip_run(std::size_t& p) const {
        while (separator_ == ' ' && p < text_.size() && text_[p] == ' ') ++p;
    }
    // Of the value that was begun last.
    void note_padding() {
        if (padded.size() < used_) padded.resize(used_);
        padded[used_ - 1] = true;
    }
    // Up to the separator or the end of the line, without the blanks at its end and, of a new value, at its beginning.
    void plain(std::size_t& p, std::string& v) {
        const auto begin = p;
        for (; p < text_.size() && text_[p] != separator_ && !ends(text_[p]); ++p)
            if (text_[p] == '"') stray_here_ = true;
        auto from = begin, to = p;
        while (v.empty() && from < to && text_[from] == ' ') ++from;
        while (from < to && text_[to - 1] == ' ') --to;
        if (from > begin || to < p) note_padding();
        v.append(text_, from, to - from);
    }
    // The value whose quote opens at `open`.
    ending quoted(std::size_t open, std::size_t& p, std::string& v) {
        bool lines = false;
        for (std::size_t q = open + 1;;) {
            const auto close = text_.find('"', q);
            if (close == std::string::npos)
                return last() || text_.size() - open > longest_quoted ? ending::stray : ending::incomplete;
            lines = lines || std::memchr(text_.data() + q, '\n', close - q) ||
                    std::memchr(text_.data() + q, '\r', close - q);
            v.append(text_, q, close - q);
            if (close + 1 == text_.size() && !last()) return ending::incomplete;
            const char after = close + 1 < text_.size() ? text_[close + 1] : '\n';
            if (after == '"') {
                v += '"';
                q = close + 2;
                continue;
            }
            auto rest = close + 1;
            while (rest < text_.size() && text_[rest] == ' ') ++rest;
            if (rest == text_.size() && !last()) return ending::incomplete;
            const bool closes = rest == text_.size() || text_[rest] == separator_ || ends(text_[rest]);
            if (!closes && lines) return ending::stray;
            stray_here_ = stray_here_ || !closes;
            p = close + 1;
            plain(p, v);
            return ending::closed;
        }
    }
    void correct(std::string& v) {
        if (std::memchr(v.data(), '\0', v.size())) {
            std::erase(v, '\0');
            ++nul;
        }
        if (std::none_of(v.begin(), v.end(), [](char c) { return c < 0; })) return;
        const bool utf8 = CPLIsUTF8(v.data(), static_cast<int>(v.size())) != FALSE;
        ++(utf8 ? native : foreign);
        if (!utf8) v = to_utf8(v, "CP1252");
    }

    VSILFILE* file_ = nullptr;
    std::string text_;
    char separator_;
    std::size_t at_ = 0, used_ = 0;
    std::int64_t indented_here_ = 0;
    bool stray_here_ = false;
};

}  // namespace gdalmcp::gdal::detail
