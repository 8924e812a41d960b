#include "row_expression.hpp"

#include <gdalmcp/tool.hpp>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace gdalmcp_expressions {
namespace {

bool holds_text(value_type t) { return t == value_type::text || t == value_type::date || t == value_type::moment; }

bool same_name(const std::string& a, const std::string& b) {
    const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

bool word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

// Words of SQL, spreadsheets and other languages, and what has their meaning here.
struct other_word {
    const char* word;
    const char* use;
};
constexpr other_word other_words[] = {{"is", "isnull(x), or not isnull(x)"},
                                      {"in", "x == 1 or x == 2"},
                                      {"between", "x >= 1 and x <= 5"},
                                      {"like", "contains(text, 'part'), startswith or endswith"},
                                      {"ilike", "contains(lower(text), 'part')"},
                                      {"case", "where(condition, a, b), and where(…) again for a further case"},
                                      {"if", "where(condition, a, b)"},
                                      {"iif", "where(condition, a, b)"},
                                      {"else", "where(condition, a, b)"},
                                      {"ifnull", "coalesce(a, b)"},
                                      {"nvl", "coalesce(a, b)"},
                                      {"len", "length(text)"},
                                      {"mid", "substr(text, from, n)"},
                                      {"substring", "substr(text, from, n)"},
                                      {"power", "pow(a, b), or a ^ b"},
                                      {"ceiling", "ceil(x)"},
                                      {"int", "floor(x)"},
                                      {"trunc", "where(x < 0, ceil(x), floor(x))"},
                                      {"greatest", "max(a, b)"},
                                      {"least", "min(a, b)"},
                                      {"str", "text(x)"},
                                      {"cast", "number(text), text(x), date(text) or datetime(text)"},
                                      {"sum", "vector_stats for figures over the rows, then vector_join"},
                                      {"avg", "vector_stats for figures over the rows, then vector_join"},
                                      {"mean", "vector_stats for figures over the rows, then vector_join"},
                                      {"count", "vector_stats for figures over the rows, then vector_join"}};

bool is_function(const std::string& name) {
    const auto named = [&](const operation& o) { return o.name == name; };
    return std::any_of(functions().begin(), functions().end(), named) ||
           std::any_of(text_functions().begin(), text_functions().end(), named);
}

// "use length(text); " for len, "use year; " for Year; "" for a word of no such meaning.
std::string use_instead_of(const std::string& word) {
    for (const auto& o : other_words)
        if (same_name(o.word, word)) return std::string{"use "} + o.use + "; ";
    std::string lower = word;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return lower != word && is_function(lower) ? "use " + lower + ", in small letters; " : "";
}

std::string listed(const std::vector<row_input>& inputs) {
    std::string all;
    for (const auto& i : inputs) all += (all.empty() ? "" : ", ") + i.name;
    return all;
}

column text_column(const std::string& value) {
    column c;
    c.texts.assign(lane, value);
    c.missing.assign(lane, 0);
    return c;
}

column number_column(double value) {
    column c;
    c.numbers.fill(value);
    return c;
}

}  // namespace

// Replaces fields and literals in an expression by marks of one byte, and keeps all else where it is.
class marking {
public:
    marking(row_expression& e, const std::string& text, const std::vector<row_input>& inputs)
        : e_{e}, text_{text}, inputs_{inputs}, marked(text) {
        for (std::size_t at = 0; at < text_.size();) at = next(at);
    }

private:
    row_expression& e_;
    const std::string& text_;
    const std::vector<row_input>& inputs_;

public:
    std::string marked;
    std::vector<std::pair<std::string, std::size_t>> literals;  // and their marks

private:
    // What ends at the quote that began it; two quotes stand for one.
    std::size_t quoted(std::size_t at, std::string& value) const {
        const char quote = text_[at];
        for (std::size_t i = at + 1; i < text_.size(); ++i) {
            if (text_[i] == quote && i + 1 < text_.size() && text_[i + 1] == quote)
                ++i;
            else if (text_[i] == quote)
                return i + 1;
            value += text_[i];
        }
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "the quote at character " + std::to_string(at + 1) + " of '" + text_ + "' is not closed",
                             "text stands in single quotes, names of fields in double quotes"};
    }
    // The longest field that stands at a place without the quotes which its name needs, as the next token.
    void refuse_unquoted(std::size_t at) const {
        const row_input* found = nullptr;
        for (const auto& i : inputs_) {
            const auto size = i.name.size();
            const bool plain = std::all_of(i.name.begin(), i.name.end(), word) &&
                               std::isdigit(static_cast<unsigned char>(i.name.c_str()[0])) == 0;
            const bool whole = at + size >= text_.size() || !word(text_[at + size]);
            if (size > 1 && !plain && i.name[0] != '$' && whole && same_name(i.name, text_.substr(at, size)) &&
                (!found || found->name.size() < size))
                found = &i;
        }
        if (!found) return;
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "'" + text_ + "' names '" + found->name + "' without quotes",
                             "put it in double quotes, \"" + found->name +
                                 "\": its name begins with a digit or holds more than letters, digits and _"};
    }
    void mark(std::size_t from, std::size_t to, std::size_t number) {
        if (number >= max_marked)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "an expression has more than 128 fields and texts",
                                 "compute parts of it first"};
        marked.replace(from, to - from, mark_of(number) + std::string(to - from - 1, ' '));
    }
    bool known(const std::string& name) const {
        return std::any_of(inputs_.begin(), inputs_.end(), [&](const auto& i) { return same_name(i.name, name); });
    }
    void mark_field(std::size_t from, std::size_t to, const std::string& name) {
        auto at = std::find_if(inputs_.begin(), inputs_.end(), [&](const auto& i) { return i.name == name; });
        if (at == inputs_.end())
            at = std::find_if(inputs_.begin(), inputs_.end(), [&](const auto& i) { return same_name(i.name, name); });
        if (at == inputs_.end())
            throw gdalmcp::error{
                GDALMCP_INVALID_ARGUMENT, "'" + text_ + "' names '" + name + "', which is no field",
                use_instead_of(name) + "fields: " + listed(inputs_) + "; text stands in single quotes"};
        const auto place = static_cast<std::size_t>(at - inputs_.begin());
        const auto known = std::find(e_.uses_.begin(), e_.uses_.end(), place);
        const auto number = static_cast<std::size_t>(known - e_.uses_.begin());
        if (known == e_.uses_.end()) {
            e_.uses_.push_back(place);
            e_.named_.push_back(*at);
            // Literals have the numbers behind the fields', given when all fields are known.
        }
        mark(from, to, number);
    }
    std::size_t next(std::size_t at) {
        const char c = text_[at];
        if (c == '\'') {
            std::string value;
            const auto end = quoted(at, value);
            literals.emplace_back(value, at);
            marked.replace(at, end - at, std::string(end - at, ' '));
            return end;
        }
        if (c == '"') {
            std::string name;
            const auto end = quoted(at, name);
            mark_field(at, end, name);
            return end;
        }
        if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') {  // 1e5 is no field
            auto end = at;
            while (end < text_.size() && (word(text_[end]) || text_[end] == '.')) ++end;
            char* rest = nullptr;
            const auto token = text_.substr(at, end - at);
            std::strtod(token.c_str(), &rest);
            if (*rest) refuse_unquoted(at);
            return end;
        }
        if (!word(c) && c != '$') return at + 1;
        auto end = at + 1;
        while (end < text_.size() && word(text_[end])) ++end;
        const auto name = text_.substr(at, end - at);
        const auto after = text_.find_first_not_of(" \t\r\n", end);
        const bool called = after != std::string::npos && text_[after] == '(';
        const bool reserved = name == "and" || name == "or" || name == "not" || name == "pi";
        if (called ? !is_function(name) : !known(name)) refuse_unquoted(at);
        if (const auto use = called && !is_function(name) ? use_instead_of(name) : ""; !use.empty())
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 "'" + text_ + "' names '" + name + "', which is no function here",
                                 use.substr(0, use.size() - 2)};
        if (name == "pi" && !called && known(name))
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 "'" + text_ + "' names 'pi', which is a field and the number 3.14159…",
                                 "put the field in double quotes, \"pi\"; acos(-1) is the number"};
        if (!called && !reserved) mark_field(at, end, name);
        return end;
    }

public:
    void mark_literals() {
        for (const auto& [value, at] : literals) {
            e_.literals_.push_back(text_column(value));
            e_.named_.push_back({"'" + value + "'", value_type::text});
            mark(at, at + 1, e_.named_.size() - 1);
        }
    }
};

row_expression::row_expression(const std::string& text, const std::vector<row_input>& inputs) {
    marking m{*this, text, inputs};
    m.mark_literals();
    std::vector<std::string> names;
    for (const auto& n : named_) names.push_back(n.name);
    const auto read = parse_marked(m.marked, text, names);
    for (const auto& s : read.steps) {
        std::array<value_type, max_operands> types{};
        for (std::size_t i = 0; i < s.does->operands; ++i) types[i] = type_of(s.of[i]);
        const auto found = find_row_function(*s.does, types.data());
        const auto name = s.does->name;
        const auto needed = name == "where" ? needs::chosen : name == "coalesce" ? needs::until_there : needs::all;
        const bool takes_day =
            (name == "date" || name == "year" || name == "month" || name == "day" || name == "weekday") &&
            types[0] != value_type::date;
        steps_.push_back({s.does,
                          found.does,
                          s.of,
                          found.result,
                          whole_result(*s.does, s),
                          needed,
                          takes_day,
                          name == "date" && types[0] == value_type::text,
                          name == "number",
                          {}});
    }
    result_ = read.result;
}

value_type row_expression::type_of(const operand& o) const {
    return o.from == source::input  ? named_[o.number].type
           : o.from == source::step ? steps_[o.number].type
                                    : value_type::number;
}

bool row_expression::whole_of(const operand& o) const {
    if (type_of(o) == value_type::truth || type_of(o) == value_type::null) return true;
    return o.from == source::input  ? named_[o.number].whole
           : o.from == source::step ? steps_[o.number].whole
                                    : o.value == std::floor(o.value) && std::abs(o.value) < 0x1p53;
}

bool row_expression::whole_result(const operation& does, const formula_step& s) const {
    const auto is = [&](std::initializer_list<const char*> names) {
        return std::any_of(names.begin(), names.end(), [&](const char* n) { return does.name == n; });
    };
    if (does.truth ||
        is({"floor", "ceil", "round", "sign", "length", "year", "month", "day", "weekday", "null", "nodata"}))
        return true;
    if (!is({"+", "-", "*", "abs", "min", "max", "clip", "mod", "where", "coalesce"})) return false;
    for (std::size_t i = does.name == "where"; i < does.operands; ++i)
        if (!whole_of(s.of[i])) return false;
    return true;
}

const column& row_expression::column_of(const operand& o, const std::vector<const column*>& inputs) const {
    if (o.from == source::step) return steps_[o.number].result;
    if (o.number < uses_.size()) return *inputs[o.number];
    return literals_[o.number - uses_.size()];
}

void row_expression::note_time_left_out(const step& s, const cell& of) {
    if (!time_left_out_.empty() || !s.reads_date || of.missing) return;
    double clock = 0;
    std::size_t zone = 0;
    if (clock_of(of.text, clock, zone) && clock != std::floor(clock)) time_left_out_ = of.text;
}

void row_expression::note_other_day(const step& s, const cell& of) {
    if (!other_day_.empty() || !s.takes_day || of.missing) return;
    double clock = 0, days = 0;
    std::size_t zone = 0;
    if (clock_of(of.text, clock, zone) && days_of(of.text, days) && std::floor(clock) != std::floor(days))
        other_day_ = of.text;
}

void row_expression::note_unread(const step& s, const std::string& text) {
    const auto notation = notation_of(text);
    if (notation == other_notation::none) return;
    const auto& o = s.of[0];
    const bool field = o.from == source::input && o.number < uses_.size();
    const std::string of = field ? named_[o.number].name : "";
    auto at = std::find_if(unread_.begin(), unread_.end(),
                           [&](const auto& u) { return u.of == of && u.notation == notation; });
    if (at == unread_.end()) at = unread_.insert(at, {of, notation, text});
    ++at->texts;
}

bool row_expression::calls(std::string_view function) const {
    return std::any_of(steps_.begin(), steps_.end(), [&](const step& s) { return s.does->name == function; });
}

void row_expression::run(step& s, const std::vector<const column*>& inputs, std::size_t count) {
    auto& out = s.result;
    const auto numbers_of = [&](const operand& o, values& constant) {
        if (o.from != source::constant) return column_of(o, inputs).numbers.data();
        constant.fill(o.value);
        return static_cast<const double*>(constant.data());
    };
    if (!s.of_rows->compute) {
        if (s.type == value_type::null) return out.numbers.fill(std::numeric_limits<double>::quiet_NaN());
        std::array<values, max_operands> constants;
        std::array<const double*, max_operands> of{};
        for (std::size_t i = 0; i < s.does->operands; ++i) of[i] = numbers_of(s.of[i], constants[i]);
        return s.does->compute(of[0], of[1], of[2], out.numbers.data());
    }
    const bool text = holds_text(s.type);
    if (text) out.texts.resize(lane), out.missing.assign(lane, 1);
    std::array<cell, max_operands> of;
    for (std::size_t row = 0; row < count; ++row) {
        bool missing = false;
        for (std::size_t i = 0; i < s.does->operands; ++i) {
            const auto& o = s.of[i];
            auto& c = of[i];
            if (o.from == source::constant) {
                c.number = o.value, c.missing = false;
            } else if (const auto& from = column_of(o, inputs); holds_text(type_of(o))) {
                c.missing = from.missing[row] != 0;
                if (!c.missing) c.text = from.texts[row];
            } else {
                c.number = from.numbers[row];
                c.missing = std::isnan(c.number);
            }
            missing = missing || c.missing;
        }
        cell result;
        result.number = std::numeric_limits<double>::quiet_NaN();
        if (!missing || s.of_rows->takes_missing) s.of_rows->compute(of.data(), result);
        note_other_day(s, of[0]);
        note_time_left_out(s, of[0]);
        if (s.reads_number && is_undefined(result.number)) note_unread(s, of[0].text);
        if (text) {
            out.missing[row] = result.missing;
            if (!result.missing) out.texts[row] = std::move(result.text);
        }
        // A missing number says by its mark whether it was undefined; that of a text has the same place.
        out.numbers[row] = result.number;
    }
}

bool row_expression::needs_operand(const step& s, std::size_t operand, const std::vector<const column*>& inputs,
                                   std::size_t row) const {
    if (operand == 0 || s.needed == needs::all) return true;
    const auto& first = s.of[0];
    const double number = first.from == source::constant ? first.value : column_of(first, inputs).numbers[row];
    if (s.needed == needs::chosen) return !std::isnan(number) && (number != 0) == (operand == 1);
    return holds_text(type_of(first)) ? column_of(first, inputs).missing[row] != 0 : std::isnan(number);
}

void row_expression::note_undefined(step& s, const std::vector<const column*>& inputs, std::size_t count) const {
    s.undefined.assign(lane, 0);
    for (std::size_t row = 0; row < count; ++row) s.undefined[row] = is_undefined(s.result.numbers[row]);
    for (std::size_t i = 0; i < s.does->operands; ++i) {
        if (s.of[i].from != source::step) continue;
        const auto& of = steps_[s.of[i].number].undefined;
        for (std::size_t row = 0; row < count; ++row)
            if (of[row] != 0 && needs_operand(s, i, inputs, row)) s.undefined[row] = 1;
    }
}

const column& row_expression::evaluate(const std::vector<const column*>& inputs, std::size_t count) {
    for (auto& s : steps_) {
        run(s, inputs, count);
        note_undefined(s, inputs, count);
    }
    if (result_.from != source::constant) return column_of(result_, inputs);
    if (constants_.empty()) constants_.push_back(number_column(result_.value));
    return constants_.front();
}

}  // namespace gdalmcp_expressions
