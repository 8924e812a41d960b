#include "formula.hpp"

#include <muParser.h>
#include <gdalmcp/tool.hpp>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "text_functions.hpp"

namespace gdalmcp_expressions {

// muParser evaluates an expression once, value by value. Here its values are not numbers but names of operands, written
// as NaNs, and its operators and functions note down the step that they stand for. What has been noted runs over
// arrays.
struct recording {
    explicit recording(formula& f) : made{f} { current = this; }
    ~recording() { current = nullptr; }
    recording(const recording&) = delete;
    recording& operator=(const recording&) = delete;

    formula& made;
    static thread_local recording* current;

    static constexpr std::uint64_t name_bits = 0x7ffc'0000'0000'0000ULL;
    static double name_of(std::uint64_t number, bool step) {
        return std::bit_cast<double>(name_bits | (step ? 1ULL << 32 : 0) | number);
    }
    static operand operand_of(double v) {
        if (!std::isnan(v)) return {source::constant, 0, v};
        const auto bits = std::bit_cast<std::uint64_t>(v);
        return {bits >> 32 & 1 ? source::step : source::input, bits & 0xffff'ffffULL, 0};
    }
    // 1 < A < 3 would compare 3 with the 0 or 1 of 1 < A.
    void refuse_truth(const operation& does, const formula_step& s) const {
        for (const auto& o : s.of)
            if (o.from == source::step && made.steps[o.number].does->truth)
                throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                     "'expression' compares the 0 or 1 of '" +
                                         std::string{made.steps[o.number].does->name} + "' by '" +
                                         std::string{does.name} + "'",
                                     "join two comparisons by and: 1 < A and A < 3"};
    }
    double note(const operation& does, std::initializer_list<double> of) {
        formula_step s{&does, {}};
        std::transform(of.begin(), of.end(), s.of.begin(), operand_of);
        if (does.name[0] == '<' || does.name[0] == '>') refuse_truth(does, s);
        made.steps.push_back(s);
        return name_of(made.steps.size() - 1, true);
    }
};

thread_local recording* recording::current = nullptr;

namespace {

constexpr std::size_t max_steps = 10'000;
constexpr const char* not_sign = "~";

// muParser calls plain functions, so there is one for each operation: the N-th of a table.
template <std::span<const operation> (*Table)(), std::size_t N>
struct noted {
    static double none() { return recording::current->note(Table()[N], {}); }
    static double one(double a) { return recording::current->note(Table()[N], {a}); }
    static double two(double a, double b) { return recording::current->note(Table()[N], {a, b}); }
    static double three(double a, double b, double c) { return recording::current->note(Table()[N], {a, b, c}); }
    static double many(const double* a, int n) {
        if (n < 2)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 "'expression' gives " + std::string{Table()[N].name} + " one value, of two or more",
                                 "write " + std::string{Table()[N].name} + "(a, b)"};
        double so_far = a[0];
        for (int i = 1; i < n; ++i) so_far = two(so_far, a[i]);
        return so_far;
    }
};

std::span<const operation> operations_of_operators() {
    static const std::vector<operation> all = [] {
        std::vector<operation> found;
        for (const auto& o : operators()) found.push_back(o.does);
        return found;
    }();
    return all;
}

template <std::span<const operation> (*Table)(), std::size_t... N>
void define_functions(mu::Parser& p, std::index_sequence<N...>) {
    const auto define = [&p]<std::size_t I>(std::integral_constant<std::size_t, I>) {
        using f = noted<Table, I>;
        const auto& o = Table()[I];
        const std::string name{o.name};
        if (o.any_number)
            p.DefineFun(name, f::many, false);
        else if (o.operands == 0)
            p.DefineFun(name, f::none, false);
        else if (o.operands == 1)
            p.DefineFun(name, f::one, false);
        else if (o.operands == 2)
            p.DefineFun(name, f::two, false);
        else
            p.DefineFun(name, f::three, false);
    };
    (define(std::integral_constant<std::size_t, N>{}), ...);
}

template <std::size_t... N>
void define_operators(mu::Parser& p, std::index_sequence<N...>) {
    (p.DefineOprt(std::string{operators()[N].does.name}, noted<operations_of_operators, N>::two,
                  static_cast<unsigned>(operators()[N].precedence),
                  operators()[N].from_right ? mu::oaRIGHT : mu::oaLEFT, false),
     ...);
}

template <std::size_t... N>
void define_signs(mu::Parser& p, std::index_sequence<N...>) {
    // "not" binds as loosely as in Python, a minus as closely as a product.
    (p.DefineInfixOprt(signs()[N].name == "not" ? std::string{not_sign} : std::string{signs()[N].name},
                       noted<signs, N>::one, signs()[N].name == "not" ? 3 : mu::prINFIX, false),
     ...);
}

// muParser's signs have no letters: each word "not" becomes a sign as long as it.
std::string with_signs(std::string text) {
    const auto in_word = [&](std::size_t i) {
        return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
    };
    for (std::size_t at = 0; (at = text.find("not", at)) != std::string::npos; at += 3)
        if (!in_word(at - 1) && !in_word(at + 3)) text.replace(at, 3, std::string{not_sign} + "  ");
    return text;
}

std::string listed(const std::vector<std::string>& names) {
    std::string all;
    for (const auto& n : names) all += (all.empty() ? "" : ", ") + n;
    return all;
}

std::string functions_listed(bool with_text) {
    std::vector<std::string> names;
    for (const auto& f : functions()) names.emplace_back(f.name);
    if (with_text)
        for (const auto& f : text_functions()) names.emplace_back(f.name);
    return listed(names);
}

// What is read, and as the caller wrote it: equally long.
struct written {
    const std::string& text;
    const std::string& shown;
    const std::vector<std::string>& names;
    bool marked;  // inputs are single bytes, and there are functions of text
};

// muParser's message with the names of marked inputs.
std::string named(const std::string& message, const written& w) {
    std::string text;
    for (const char c : message) {
        const auto number = static_cast<std::size_t>(static_cast<unsigned char>(c)) - first_mark;
        if (w.marked && number < w.names.size())
            text += w.names[number];
        else
            text += c;
    }
    return text;
}

[[noreturn]] void refuse(const written& w, const mu::ParserError& e) {
    const auto invalid = [](const std::string& message, const std::string& hint) -> gdalmcp::error {
        return {GDALMCP_INVALID_ARGUMENT, message, hint};
    };
    auto token = named(e.GetToken().substr(0, 40), w);
    token.erase(token.find_last_not_of(' ') + 1);
    const std::string quoted = w.shown.size() <= 80 ? "'" + w.shown + "'" : "'" + w.shown.substr(0, 80) + "…'";
    const std::string where = " at character " + std::to_string(e.GetPos() + 1) + " of " + quoted;
    if (e.GetCode() == mu::ecUNASSIGNABLE_TOKEN && token.find_first_of("&|%?:=~") == 0)
        throw invalid("'expression' has '" + token + "'" + where + ", which is no operator here",
                      "use and, or, not, == (equal; = is that of SQL), where(condition, a, b), mod(a, b), or "
                      "bit(A, n) for a bit of a mask");
    if (e.GetCode() == mu::ecUNASSIGNABLE_TOKEN && token[0] == '>' && w.shown.find("<>") != std::string::npos)
        throw invalid("'expression' has '<>' in " + quoted + ", which is no operator here",
                      "use != for unequal values");
    if (e.GetCode() == mu::ecUNASSIGNABLE_TOKEN)
        throw invalid("'expression' names '" + token + "', which is neither an input nor a function",
                      (w.names.empty() || w.marked ? std::string{} : "inputs: " + listed(w.names) + "; ") +
                          "functions: " + functions_listed(w.marked));
    if (e.GetCode() == mu::ecTOO_MANY_PARAMS && token == "round")
        throw invalid("'expression' gives round more than one value" + where,
                      "round(x) is a whole number; round(x * 100) / 100 keeps two decimals");
    throw invalid("'expression' cannot be read" + where + ": " + named(e.GetMsg(), w),
                  "functions: " + functions_listed(w.marked) + "; constants: pi");
}

const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_";

std::string all_marks() {
    std::string all;
    for (std::size_t i = 0; i < max_marked; ++i) all += mark_of(i);
    return all;
}

void check_names(const std::vector<std::string>& names) {
    for (const auto& n : names) {
        const bool taken =
            n == "pi" || n == "and" || n == "or" || n == "not" ||
            std::any_of(functions().begin(), functions().end(), [&](const auto& f) { return f.name == n; });
        if (n.empty() || letters.find(n[0]) == std::string::npos ||
            n.find_first_not_of(letters + "0123456789") != std::string::npos || taken)
            throw gdalmcp::error{
                GDALMCP_INVALID_ARGUMENT,
                "'" + n + "' cannot name an input" + (taken ? ": an expression gives it a meaning" : ""),
                "use letters, digits and _, a letter first, for example A or red"};
    }
}

std::optional<double> constant_in(const formula& f, const operand& o) {
    if (o.from == source::constant) return o.value;
    if (o.from != source::step) return {};
    const auto& s = f.steps[o.number];
    const bool negative = s.does->name == "-" && s.does->operands == 1 && s.of[0].from == source::constant;
    return negative ? std::optional{-s.of[0].value} : std::nullopt;
}

void refuse_swapped_bounds(const formula& f) {
    for (const auto& s : f.steps) {
        if (s.does->name != "clip") continue;
        const auto low = constant_in(f, s.of[1]), high = constant_in(f, s.of[2]);
        if (low && high && *low > *high)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 "'clip' has the bounds " + gdalmcp::detail::number(*low) + " and " +
                                     gdalmcp::detail::number(*high) + ", the greater one first",
                                 "give clip(x, lowest, highest)"};
    }
}

formula read(const written& w) {
    formula made;
    std::vector<double> values;
    for (std::size_t i = 0; i < w.names.size(); ++i) values.push_back(recording::name_of(i, false));
    const recording here{made};
    try {
        mu::Parser p;
        p.EnableBuiltInOprt(false);
        p.ClearFun();
        p.ClearConst();
        p.ClearOprt();
        p.ClearInfixOprt();
        p.DefineConst("pi", 3.14159265358979323846);
        define_functions<functions>(p, std::make_index_sequence<function_count>{});
        if (w.marked) define_functions<text_functions>(p, std::make_index_sequence<text_function_count>{});
        define_operators(p, std::make_index_sequence<operator_count>{});
        define_signs(p, std::make_index_sequence<sign_count>{});
        if (w.marked) p.DefineNameChars((letters + "0123456789" + all_marks()).c_str());
        for (std::size_t i = 0; i < w.names.size(); ++i) p.DefineVar(w.marked ? mark_of(i) : w.names[i], &values[i]);
        // What muParser ends its reading at.
        if (const auto at = w.text.find('\0'); at != std::string::npos)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 "'expression' has a NUL at character " + std::to_string(at + 1), "remove it"};
        // muParser's own a ? b : c would take a missing condition for true.
        if (const auto at = w.text.find_first_of("~?:"); at != std::string::npos)
            throw mu::ParserError{mu::ecUNASSIGNABLE_TOKEN, w.text.substr(at, 1), w.text, static_cast<int>(at)};
        p.SetExpr(with_signs(w.text));
        int results = 0;
        const double* all = p.Eval(results);
        if (results != 1)
            throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                                 "'expression' has " + std::to_string(results) + " results, separated by commas",
                                 "give one expression"};
        made.result = recording::operand_of(all[0]);
    } catch (const mu::ParserError& e) {
        refuse(w, e);
    }
    if (made.steps.size() > max_steps)
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT,
                             "'expression' has " + std::to_string(made.steps.size()) + " operations, more than the " +
                                 std::to_string(max_steps) + " of one call",
                             "compute parts of it first"};
    refuse_swapped_bounds(made);
    return made;
}

}  // namespace

std::string mark_of(std::size_t input) { return std::string(1, static_cast<char>(first_mark + input)); }

formula parse(const std::string& text, const std::vector<std::string>& names) {
    check_names(names);
    return read({text, text, names, false});
}

formula parse_marked(const std::string& marked, const std::string& shown, const std::vector<std::string>& names) {
    return read({marked, shown, names, true});
}

}  // namespace gdalmcp_expressions
