#include "ogr_own_test.hpp"

#include <gdalmcp/gdal_table_days.hpp>
#include <gdalmcp/tool.hpp>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "ogr_aggregates.hpp"

namespace gdalmcp_vector {

namespace {

bool holds_moments(const OGRFieldDefn& f) { return f.GetType() == OFTDate || f.GetType() == OFTDateTime; }

// A field of dates or times, or such a moment itself.
struct moment_operand {
    int field = -1;
    OGRField given{};

    const OGRField* of(const OGRFeature& f) const {
        if (field < 0) return &given;
        return f.IsFieldSetAndNotNull(field) ? f.GetRawFieldRef(field) : nullptr;
    }
};

int compare_moments(const OGRField& a, const OGRField& b) {
    const bool instants = a.Date.TZFlag > 1 && b.Date.TZFlag > 1;
    const double x = seconds_of(a, instants), y = seconds_of(b, instants);
    return x < y ? -1 : y < x ? 1 : 0;
}

const OGRFieldDefn* field_of(const swq_expr_node& n, const OGRFeatureDefn& defn) {
    if (n.eNodeType != SNT_COLUMN || n.field_index < 0 || n.field_index >= defn.GetFieldCount()) return nullptr;
    return defn.GetFieldDefn(n.field_index);
}

std::optional<moment_operand> moment_operand_of(const swq_expr_node& n, const OGRFeatureDefn& defn,
                                                const OGRFieldDefn& beside) {
    if (const auto* f = field_of(n, defn); f && holds_moments(*f)) return moment_operand{n.field_index, {}};
    if (n.eNodeType != SNT_CONSTANT || n.is_null || !n.string_value) return std::nullopt;
    moment_operand m;
    const auto read = gdalmcp::gdal::detail::iso_moment(n.string_value);
    if (read && OGRParseDate(read->text.c_str(), &m.given, 0)) return m;
    throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                         "in 'where' '" + std::string{n.string_value} + "' is no date, and the field '" +
                             beside.GetNameRef() + "' holds dates",
                         "write days as '2023-06-01' and times as '2023-06-01T12:00:00Z'"};
}

std::optional<bool> decided(swq_op what, int order) {
    switch (what) {
        case SWQ_EQ:
        case SWQ_IN:
            return order == 0;
        case SWQ_LT:
            return order < 0;
        case SWQ_GT:
            return order > 0;
        case SWQ_LE:
            return order <= 0;
        case SWQ_GE:
            return order >= 0;
        default:
            return std::nullopt;
    }
}

own_test moment_test(const swq_expr_node& n, const OGRFeatureDefn& defn) {
    if (!decided(n.nOperation, 0) || n.nSubExprCount < 2) return {};
    const OGRFieldDefn* field = nullptr;
    for (int i = 0; i < n.nSubExprCount && !field; ++i)
        if (const auto* f = field_of(*n.papoSubExpr[i], defn); f && holds_moments(*f)) field = f;
    if (!field) return {};
    std::vector<moment_operand> all;
    for (int i = 0; i < n.nSubExprCount; ++i)
        if (auto m = moment_operand_of(*n.papoSubExpr[i], defn, *field))
            all.push_back(*m);
        else
            return {};
    return [all, what = n.nOperation](const OGRFeature& f) -> std::optional<bool> {
        const auto* first = all.front().of(f);
        if (!first) return std::nullopt;
        bool any = false;
        for (auto other = all.begin() + 1; other != all.end(); ++other) {
            const auto* value = other->of(f);
            if (!value) return std::nullopt;
            any = any || decided(what, compare_moments(*first, *value)).value();
        }
        return any;
    };
}

// The bytes of the letter at the beginning of UTF-8.
std::size_t letter_of(std::string_view text) {
    std::size_t n = 1;
    while (n < text.size() && (static_cast<unsigned char>(text[n]) & 0xC0) == 0x80) ++n;
    return n;
}

bool is_like(std::string_view text, std::string_view pattern, char escape) {
    while (!pattern.empty()) {
        if (pattern.front() == '%') {
            for (std::size_t from = 0; from <= text.size(); ++from)
                if (is_like(text.substr(from), pattern.substr(1), escape)) return true;
            return false;
        }
        if (text.empty()) return false;
        if (pattern.front() == '_') {
            text.remove_prefix(letter_of(text));
        } else {
            if (escape && pattern.front() == escape && pattern.size() > 1) pattern.remove_prefix(1);
            if (text.front() != pattern.front()) return false;
            text.remove_prefix(1);
        }
        pattern.remove_prefix(1);
    }
    return text.empty();
}

own_test like_test(const swq_expr_node& n, const OGRFeatureDefn& defn) {
    const bool any_case = n.nOperation == SWQ_ILIKE;
    if ((n.nOperation != SWQ_LIKE && !any_case) || n.nSubExprCount < 2) return {};
    const auto* field = field_of(*n.papoSubExpr[0], defn);
    const auto& with = *n.papoSubExpr[1];
    if (!field || field->GetType() != OFTString || with.eNodeType != SNT_CONSTANT || !with.string_value) return {};
    if (!std::strchr(with.string_value, '_')) return {};
    const auto* mark = n.nSubExprCount > 2 ? n.papoSubExpr[2]->string_value : nullptr;
    const auto folded = [any_case](std::string text) {
        for (auto& c : text) c = any_case ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : c;
        return text;
    };
    return [index = n.papoSubExpr[0]->field_index, pattern = folded(with.string_value), escape = mark ? *mark : '\0',
            folded](const OGRFeature& f) -> std::optional<bool> {
        if (!f.IsFieldSetAndNotNull(index)) return std::nullopt;
        return is_like(folded(f.GetFieldAsString(index)), pattern, escape);
    };
}

}  // namespace

own_test own_test_of(const swq_expr_node& comparison, const OGRFeatureDefn& defn) {
    if (comparison.eNodeType != SNT_OPERATION) return {};
    if (auto test = moment_test(comparison, defn)) return test;
    return like_test(comparison, defn);
}

}  // namespace gdalmcp_vector
