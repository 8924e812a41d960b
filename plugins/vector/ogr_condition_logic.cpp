#include "ogr_condition_logic.hpp"

#include <ogr_swq.h>
#include <gdalmcp/tool.hpp>

#include <algorithm>
#include <memory>
#include <utility>

#include "number_texts.hpp"

namespace gdalmcp_vector {

namespace {

using part = std::unique_ptr<swq_expr_node>;

part operation(swq_op does, part a, part b = nullptr) {
    auto made = std::make_unique<swq_expr_node>(does);
    made->field_type = SWQ_BOOLEAN;
    made->PushSubExpression(a.release());
    if (b) made->PushSubExpression(b.release());
    return made;
}

bool does(const swq_expr_node& n, swq_op what) { return n.eNodeType == SNT_OPERATION && n.nOperation == what; }

part taken(swq_expr_node& from, int i) { return part{std::exchange(from.papoSubExpr[i], nullptr)}; }

part not_null(swq_expr_node& value) { return operation(SWQ_NOT, operation(SWQ_ISNULL, part{value.Clone()})); }

// `all`, and none of the values compared is null.
part with_values(part all, swq_expr_node& compared) {
    const auto need = [&](swq_expr_node& value) {
        if (value.eNodeType != SNT_CONSTANT || value.is_null) all = operation(SWQ_AND, not_null(value), std::move(all));
    };
    if (compared.eNodeType != SNT_OPERATION) need(compared);
    for (int i = 0; i < compared.nSubExprCount; ++i) need(*compared.papoSubExpr[i]);
    return all;
}

// True where `condition` is known to be true, or to be false if that is wanted.
part known(part condition, bool wanted) {
    auto& n = *condition;
    if (does(n, SWQ_NOT)) return known(taken(n, 0), !wanted);
    if (does(n, SWQ_AND) || does(n, SWQ_OR)) {
        n.nOperation = does(n, SWQ_AND) == wanted ? SWQ_AND : SWQ_OR;
        for (int i = 0; i < n.nSubExprCount; ++i) n.papoSubExpr[i] = known(taken(n, i), wanted).release();
        return condition;
    }
    if (does(n, SWQ_ISNULL)) return wanted ? std::move(condition) : operation(SWQ_NOT, std::move(condition));
    if (wanted && n.eNodeType == SNT_OPERATION) return condition;
    if (wanted) return with_values(part{n.Clone()}, n);
    return with_values(operation(SWQ_NOT, part{n.Clone()}), n);
}

int depth(const swq_expr_node& n) {
    int below = 0;
    for (int i = 0; i < n.nSubExprCount; ++i) below = std::max(below, depth(*n.papoSubExpr[i]));
    return below + 1;
}

void find_numbers(const swq_expr_node& n, OGRFeatureDefn& defn, std::vector<number_compared>& found) {
    const bool by_size =
        does(n, SWQ_LT) || does(n, SWQ_GT) || does(n, SWQ_LE) || does(n, SWQ_GE) || does(n, SWQ_BETWEEN);
    for (int i = 0; i < n.nSubExprCount; ++i) {
        const auto& column = *n.papoSubExpr[i];
        find_numbers(column, defn, found);
        const int field = column.field_index;
        if (!by_size || column.eNodeType != SNT_COLUMN || field < 0 || field >= defn.GetFieldCount() ||
            defn.GetFieldDefn(field)->GetType() != OFTString)
            continue;
        for (int k = 0; k < n.nSubExprCount; ++k)
            if (const auto& c = *n.papoSubExpr[k];
                c.eNodeType == SNT_CONSTANT && c.string_value && number_in(c.string_value))
                found.push_back({field, c.string_value});
    }
}

}  // namespace

std::vector<number_compared> numbers_compared(OGRFeatureQuery& query, const OGRFeatureDefn& defn) {
    std::vector<number_compared> found;
    find_numbers(*static_cast<swq_expr_node*>(query.GetSWQExpr()), const_cast<OGRFeatureDefn&>(defn), found);
    return found;
}

void hold_three_values(OGRFeatureQuery& query) {
    auto& root = *static_cast<swq_expr_node*>(query.GetSWQExpr());
    constexpr int deepest = 32;  // that GDAL evaluates
    // The query keeps its root: what was there moves below it for a while.
    auto rewritten = known(part{root.Clone()}, true);
    if (depth(*rewritten) > deepest)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "'where' is nested too deeply",
                             "write it with fewer NOT and brackets, or in two calls"};
    std::swap(root.eNodeType, rewritten->eNodeType);
    std::swap(root.field_type, rewritten->field_type);
    std::swap(root.nOperation, rewritten->nOperation);
    std::swap(root.nSubExprCount, rewritten->nSubExprCount);
    std::swap(root.papoSubExpr, rewritten->papoSubExpr);
    std::swap(root.string_value, rewritten->string_value);
    std::swap(root.table_name, rewritten->table_name);
    std::swap(root.field_index, rewritten->field_index);
    std::swap(root.table_index, rewritten->table_index);
}

}  // namespace gdalmcp_vector
