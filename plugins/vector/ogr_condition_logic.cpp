#include "ogr_condition_logic.hpp"

#include <gdalmcp/tool.hpp>

#include <algorithm>
#include <memory>
#include <utility>

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

// What the expression divides by, where that may be 0.
void find_divisors(const swq_expr_node& n, std::vector<swq_expr_node*>& found) {
    for (int i = 0; i < n.nSubExprCount; ++i) find_divisors(*n.papoSubExpr[i], found);
    if (does(n, SWQ_DIVIDE) || does(n, SWQ_MODULUS)) found.push_back(n.papoSubExpr[1]);
}

part is_zero(swq_expr_node& divisor) {
    return operation(SWQ_EQ, part{divisor.Clone()}, std::make_unique<swq_expr_node>(0.0));
}

bool whole(const swq_expr_node& n) { return n.field_type == SWQ_INTEGER || n.field_type == SWQ_INTEGER64; }

// Quotients of whole numbers get fractions, and so does what is computed from them.
void keep_fractions(swq_expr_node& n) {
    bool fractions = false;
    for (int i = 0; i < n.nSubExprCount; ++i) {
        keep_fractions(*n.papoSubExpr[i]);
        fractions = fractions || n.papoSubExpr[i]->field_type == SWQ_FLOAT;
    }
    const bool divides = does(n, SWQ_DIVIDE);
    if (!divides && !does(n, SWQ_ADD) && !does(n, SWQ_SUBTRACT) && !does(n, SWQ_MULTIPLY) && !does(n, SWQ_MODULUS))
        return;
    if (divides && whole(*n.papoSubExpr[0]) && whole(*n.papoSubExpr[1])) {
        auto dividend = operation(SWQ_MULTIPLY, taken(n, 0), std::make_unique<swq_expr_node>(1.0));
        dividend->field_type = SWQ_FLOAT;
        n.papoSubExpr[0] = dividend.release();
        fractions = true;
    }
    if (fractions) n.field_type = SWQ_FLOAT;
}

// Takes the nulls out of the list of an IN; whether there were any.
bool without_nulls(swq_expr_node& in) {
    int kept = 1;
    for (int i = 1; i < in.nSubExprCount; ++i) {
        if (const auto* value = in.papoSubExpr[i]; value->eNodeType == SNT_CONSTANT && value->is_null)
            delete value;
        else
            in.papoSubExpr[kept++] = in.papoSubExpr[i];
    }
    return std::exchange(in.nSubExprCount, kept) > kept;
}

part never() {
    auto constant = std::make_unique<swq_expr_node>(0);
    constant->field_type = SWQ_BOOLEAN;
    return constant;
}

class rewriting {
public:
    explicit rewriting(const OGRFeatureDefn& defn) : defn_{defn} {}

    // True where `condition` is known to be true, or to be false if that is wanted.
    part known(part condition, bool wanted) {
        auto& n = *condition;
        if (does(n, SWQ_NOT)) return known(taken(n, 0), !wanted);
        if (does(n, SWQ_AND) || does(n, SWQ_OR)) {
            n.nOperation = does(n, SWQ_AND) == wanted ? SWQ_AND : SWQ_OR;
            for (int i = 0; i < n.nSubExprCount; ++i) n.papoSubExpr[i] = known(taken(n, i), wanted).release();
            return condition;
        }
        if (does(n, SWQ_NE)) {  // which GDAL compares dates by as texts
            n.nOperation = SWQ_EQ;
            return known(std::move(condition), !wanted);
        }
        if (does(n, SWQ_BETWEEN) && n.nSubExprCount == 3) {
            auto least = operation(SWQ_GE, part{n.papoSubExpr[0]->Clone()}, taken(n, 1));
            auto most = operation(SWQ_LE, taken(n, 0), taken(n, 2));
            return known(operation(SWQ_AND, std::move(least), std::move(most)), wanted);
        }
        // No value is known to be outside a list with a null.
        if (does(n, SWQ_IN) && without_nulls(n) && !wanted) return never();
        keep_fractions(n);
        std::vector<swq_expr_node*> divisors;
        find_divisors(n, divisors);
        if (does(n, SWQ_ISNULL)) {
            auto missing = part{n.Clone()};
            for (auto* d : divisors) missing = operation(SWQ_OR, is_zero(*d), std::move(missing));
            return wanted ? std::move(missing) : operation(SWQ_NOT, std::move(missing));
        }
        auto here = leaf(n, wanted);
        for (auto* d : divisors) here = operation(SWQ_AND, operation(SWQ_NOT, is_zero(*d)), std::move(here));
        return here;
    }

    std::vector<decided_here> tests{};

private:
    part leaf(swq_expr_node& n, bool wanted) {
        if (auto test = own_test_of(n, defn_)) {
            auto constant = never();
            tests.push_back({constant.get(), std::move(test), wanted});
            return constant;
        }
        if (wanted && n.eNodeType == SNT_OPERATION) return part{n.Clone()};
        if (wanted) return with_values(part{n.Clone()}, n);
        return with_values(operation(SWQ_NOT, part{n.Clone()}), n);
    }

    const OGRFeatureDefn& defn_;
};

int depth(const swq_expr_node& n) {
    int below = 0;
    for (int i = 0; i < n.nSubExprCount; ++i) below = std::max(below, depth(*n.papoSubExpr[i]));
    return below + 1;
}

void find_texts(const swq_expr_node& n, OGRFeatureDefn& defn, std::vector<text_by_size>& found) {
    const bool by_size =
        does(n, SWQ_LT) || does(n, SWQ_GT) || does(n, SWQ_LE) || does(n, SWQ_GE) || does(n, SWQ_BETWEEN);
    for (int i = 0; i < n.nSubExprCount; ++i) {
        const auto& column = *n.papoSubExpr[i];
        find_texts(column, defn, found);
        const int field = column.field_index;
        if (!by_size || column.eNodeType != SNT_COLUMN || field < 0 || field >= defn.GetFieldCount() ||
            defn.GetFieldDefn(field)->GetType() != OFTString)
            continue;
        for (int k = 0; k < n.nSubExprCount; ++k)
            if (const auto& c = *n.papoSubExpr[k]; c.eNodeType == SNT_CONSTANT && c.string_value)
                found.push_back({field, c.string_value});
    }
}

}  // namespace

std::vector<text_by_size> texts_by_size(OGRFeatureQuery& query, const OGRFeatureDefn& defn) {
    std::vector<text_by_size> found;
    find_texts(*static_cast<swq_expr_node*>(query.GetSWQExpr()), const_cast<OGRFeatureDefn&>(defn), found);
    return found;
}

std::vector<decided_here> hold_three_values(OGRFeatureQuery& query, const OGRFeatureDefn& defn) {
    auto& root = *static_cast<swq_expr_node*>(query.GetSWQExpr());
    constexpr int deepest = 32;  // that GDAL evaluates
    // The query keeps its root: what was there moves below it for a while.
    rewriting in{defn};
    auto rewritten = in.known(part{root.Clone()}, true);
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
    for (auto& t : in.tests)
        if (t.decides == rewritten.get()) t.decides = &root;
    return std::move(in.tests);
}

}  // namespace gdalmcp_vector
