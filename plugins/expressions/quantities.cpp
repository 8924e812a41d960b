#include "quantities.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

namespace gdalmcp_expressions {

namespace {

template <std::size_t N>
bool among(std::string_view name, const std::string_view (&names)[N]) {
    return std::find(names, names + N, name) != names + N;
}

bool is_power_of_ten(const operand& o) {
    for (const double p : {1e1, 1e2, 1e3, 1e4, 1e5, 1e6})
        if (o.from == source::constant && o.value == p) return true;
    return false;
}

class survey {
public:
    survey(const formula& f, std::size_t inputs)
        : f_{f},
          carried_(f.steps.size()),
          fixed_(f.steps.size()),
          logarithms_(f.steps.size()),
          from_(f.steps.size()),
          numbered_(f.steps.size()),
          chosen_(f.steps.size()) {
        found_.inputs.resize(inputs);
    }

    quantities take() {
        for (std::size_t i = 0; i < f_.steps.size(); ++i) {
            look_at(i);
            fixed_[i] = fixed_by(f_.steps[i]);
            logarithms_[i] = logarithm_by(f_.steps[i]);
            from_[i] = made_by(i);
            chosen_[i] = chosen_by(f_.steps[i]);
        }
        found_.chosen = chosen(f_.result);
        found_.from = from(f_.result);
        found_.of_unit = in_its_unit(found_.from);
        return std::move(found_);
    }

private:
    // The inputs whose unit an operand has.
    std::set<std::size_t> carried(const operand& o) const {
        if (o.from == source::input) return {o.number};
        return o.from == source::step ? carried_[o.number] : std::set<std::size_t>{};
    }
    using choice = std::optional<choice_of_values>;
    static choice either(const choice& a, const choice& b) {
        if (!a || !b) return {};
        choice_of_values both{a->inputs, std::min(a->lowest, b->lowest), std::max(a->highest, b->highest)};
        both.inputs.insert(b->inputs.begin(), b->inputs.end());
        return both;
    }
    // What an operand is a choice of; nullopt: it is computed.
    choice chosen(const operand& o) const {
        if (o.from == source::input) return choice_of_values{.inputs = {o.number}};
        if (o.from == source::step) return chosen_[o.number];
        if (o.value != std::floor(o.value)) return {};
        return choice_of_values{{}, o.value, o.value};
    }
    choice chosen_by(const formula_step& s) const {
        const choice zero = choice_of_values{{}, 0, 0};
        if (s.does->name == "nodata") return choice_of_values{};
        if (s.does->name == "*" && is_truth(s.of[0])) return either(zero, chosen(s.of[1]));
        if (s.does->name == "*" && is_truth(s.of[1])) return either(zero, chosen(s.of[0]));
        if (s.does->name == "where") return either(chosen(s.of[1]), chosen(s.of[2]));
        if (s.does->name == "-" && s.does->operands == 1 && s.of[0].from == source::constant)
            return chosen({source::constant, 0, -s.of[0].value});
        return s.does->truth ? choice_of_values{{}, 0, 1} : choice{};
    }
    bool is_truth(const operand& o) const { return o.from == source::step && f_.steps[o.number].does->truth; }
    bool is_numbered(const operand& o) const { return o.from == source::step && numbered_[o.number]; }

    using made_of = std::optional<origin>;
    static made_of together(made_of a, const made_of& b) {
        if (!a || !b) return {};
        const auto constant = [](const origin& o) { return o.inputs.empty() && o.units.empty(); };
        if (constant(*a) || constant(*b)) return constant(*a) ? b : a;
        if (a->turned_into != b->turned_into) return {};
        a->inputs.insert(b->inputs.begin(), b->inputs.end());
        a->units.insert(b->units.begin(), b->units.end());
        a->shifted |= b->shifted;
        a->added |= b->added;
        a->difference |= b->difference;
        if (a->times != b->times) a->times = std::numeric_limits<double>::quiet_NaN();
        return a;
    }
    // The value of an operand that no input enters.
    std::optional<double> fixed(const operand& o) const {
        if (o.from == source::constant) return o.value;
        return o.from == source::step ? fixed_[o.number] : std::nullopt;
    }
    std::optional<double> fixed_by(const formula_step& s) const {
        std::array<double, max_operands> of{};
        for (std::size_t i = 0; i < s.does->operands; ++i) {
            const auto v = fixed(s.of[i]);
            if (!v) return {};
            of[i] = *v;
        }
        std::array<values, max_operands> lanes;
        for (std::size_t i = 0; i < max_operands; ++i) lanes[i].fill(of[i]);
        values result;
        s.does->compute(lanes[0].data(), lanes[1].data(), lanes[2].data(), result.data());
        return std::isnan(result[0]) ? std::nullopt : std::optional{result[0]};
    }
    made_of from(const operand& o) const {
        if (fixed(o)) return origin{};
        return o.from == source::step ? from_[o.number] : origin{.inputs = {o.number}};
    }
    bool is_step(const operand& o, std::string_view name) const {
        return o.from == source::step && f_.steps[o.number].does->name == name;
    }
    // How often a decadic logarithm is taken, 10 of 10 * log10(x); of natural ones, which / log(10) makes decadic.
    struct logarithm {
        std::optional<double> decadic{}, natural{};
    };
    logarithm logarithm_of(const operand& o) const {
        return o.from == source::step ? logarithms_[o.number] : logarithm{};
    }
    logarithm logarithm_by(const formula_step& s) const {
        const auto name = s.does->name;
        if (name == "log10") return {.decadic = 1};
        if (name == "log" || name == "ln") return {.natural = 1};
        const auto times = [](std::optional<double> l, double by) { return l ? std::optional{*l * by} : l; };
        if (name == "*")
            for (const std::size_t i : {0, 1})
                if (const auto by = fixed(s.of[i])) {
                    const auto of = logarithm_of(s.of[1 - i]);
                    return {times(of.decadic, *by), times(of.natural, *by)};
                }
        if (const auto by = fixed(s.of[1]); name == "/" && by && std::abs(*by - std::log(10)) < 1e-6)
            return {.decadic = logarithm_of(s.of[0]).natural};
        return {};
    }
    // A unit that values have by how they are computed.
    std::string unit_by_definition(std::size_t step) const {
        const double levels = std::abs(logarithms_[step].decadic.value_or(0));
        if (levels == 10 || levels == 20) return "dB";
        const auto& s = f_.steps[step];
        if (s.does->name == "atan2") return "rad";
        return s.does->name == "deg" && is_step(s.of[0], "atan2") ? "degrees" : "";
    }
    made_of shifted(made_of o) const {
        if (!o || o->difference) return {};
        o->shifted = true;
        return o;
    }
    made_of made_by(std::size_t step) const {
        const auto& s = f_.steps[step];
        const auto name = s.does->name;
        if (name == "nodata") return origin{};
        if (auto unit = unit_by_definition(step); !unit.empty()) return origin{.units = {std::move(unit)}};
        if (name == "where") return together(from(s.of[1]), from(s.of[2]));
        if (name == "clip") return together(from(s.of[0]), together(from(s.of[1]), from(s.of[2])));
        if (name == "min" || name == "max") return together(from(s.of[0]), from(s.of[1]));
        if (name == "abs" || name == "round" || name == "ceil" || name == "floor") return from(s.of[0]);
        if (name == "mod" && fixed(s.of[1]) == 360) return turned(s.of[0]);
        if (s.does->operands == 1 && (name == "-" || name == "+")) return from(s.of[0]);
        if (name == "rad" || name == "deg") return turned_into(from(s.of[0]), name == "rad" ? "rad" : "degrees");
        if (name == "+" || name == "-") return sum_of(s);
        if (name == "*") return product_of(s);
        if (const auto by = fixed(s.of[1]); name == "/" && by) return multiplied(from(s.of[0]), 1 / *by);
        return {};
    }
    static made_of turned_into(made_of o, const char* unit) {
        if (!o || !o->units.empty()) return {};
        o->turned_into = o->turned_into.empty() || o->turned_into == unit ? unit : "";
        return o;
    }
    // mod(x, 360) of directions, or of what is added to them or subtracted from them.
    made_of turned(const operand& o) const {
        auto of = from(o);
        if (of && !of->added && of->times == 1) {
            of->shifted = false;
            return of;
        }
        const auto several = carried(o);
        return several.empty() ? made_of{} : origin{.inputs = several, .difference = several.size() > 1};
    }
    made_of sum_of(const formula_step& s) const {
        for (const std::size_t i : {0, 1})
            if (const auto constant = fixed(s.of[i]))
                return *constant == 0 ? from(s.of[1 - i]) : shifted(from(s.of[1 - i]));
        auto sum = together(from(s.of[0]), from(s.of[1]));
        if (sum) sum->added = true;
        return sum;
    }
    made_of product_of(const formula_step& s) const {
        for (const std::size_t i : {0, 1}) {
            if (is_truth(s.of[i])) return from(s.of[1 - i]);
            if (const auto constant = fixed(s.of[i])) return multiplied(from(s.of[1 - i]), *constant);
        }
        return {};
    }
    static made_of multiplied(made_of o, double by) {
        if (o) o->times *= by;
        return o;
    }
    static std::set<std::size_t> in_its_unit(const made_of& o) {
        const bool moved =
            !o || !o->units.empty() || o->shifted || o->added || o->times != 1 || !o->turned_into.empty();
        return moved ? std::set<std::size_t>{} : o->inputs;
    }

    void pair_up(const formula_step& s, std::size_t first) {
        for (std::size_t i = first; i < s.does->operands; ++i)
            for (std::size_t k = i + 1; k < s.does->operands; ++k)
                for (const auto a : carried(s.of[i]))
                    for (const auto b : carried(s.of[k])) {
                        const auto both = std::minmax(a, b);
                        const std::pair<std::size_t, std::size_t> pair{both.first, both.second};
                        const auto add = [&](auto& to) {
                            if (a != b && std::find(to.begin(), to.end(), pair) == to.end()) to.push_back(pair);
                        };
                        add(found_.together);
                        if (s.does->name == "+") add(found_.added);
                    }
    }

    void keep_unit(std::size_t step, std::size_t first) {
        const auto& s = f_.steps[step];
        for (std::size_t i = first; i < s.does->operands; ++i) carried_[step].merge(carried(s.of[i]));
    }

    void compute_with(const formula_step& s) {
        for (std::size_t i = 0; i < s.does->operands; ++i)
            for (const auto input : carried(s.of[i])) found_.inputs[input].computed = true;
    }

    void note_factor(const formula_step& s) {
        const auto note = [&](const operand& input, double factor) {
            if (input.from == source::input) found_.inputs[input.number].factors.push_back(factor);
        };
        const bool product = s.does->name == "*";
        if (s.of[1].from == source::constant) note(s.of[0], product ? s.of[1].value : 1 / s.of[1].value);
        if (product && s.of[0].from == source::constant) note(s.of[1], s.of[0].value);
    }

    // floor(A / 100): whether the quotient of a step is used by nothing but floor.
    bool is_floored(std::size_t step) const {
        bool used = false;
        for (const auto& s : f_.steps)
            for (std::size_t i = 0; i < s.does->operands; ++i) {
                if (s.of[i].from != source::step || s.of[i].number != step) continue;
                if (s.does->name != "floor") return false;
                used = true;
            }
        return used;
    }

    void look_at(std::size_t step) {
        const auto& s = f_.steps[step];
        const auto name = s.does->name;
        if (name == "mod") found_.modulo = true;
        if (name == "mod" || name == "isnodata" || name == "bit") return;
        if (name == "where") {
            pair_up(s, 1);
            keep_unit(step, 1);
        } else if (among(name, {"<", "<=", ">", ">=", "==", "!="})) {
            pair_up(s, 0);
        } else if (s.does->truth) {
            return;
        } else if (name == "+" || name == "-" || name == "min" || name == "max" || name == "clip") {
            const bool combines = name == "+" && (is_numbered(s.of[0]) || is_numbered(s.of[1]));
            numbered_[step] = combines;
            if (combines) return;
            pair_up(s, 0);
            compute_with(s);
            keep_unit(step, 0);
        } else if (name == "abs" || name == "round" || name == "ceil") {
            compute_with(s);
            keep_unit(step, 0);
        } else if (name == "*" || name == "/") {
            note_factor(s);
            const bool product = name == "*";
            if (product && (is_truth(s.of[0]) || is_truth(s.of[1]))) return keep_unit(step, 0);
            if (product && (is_power_of_ten(s.of[0]) || is_power_of_ten(s.of[1]))) {
                numbered_[step] = true;
                return;
            }
            if (!(name == "/" && is_power_of_ten(s.of[1]) && is_floored(step))) compute_with(s);
        } else {
            if (name == "sin" || name == "cos" || name == "tan")
                if (s.of[0].from == source::input) found_.inputs[s.of[0].number].turned = true;
            compute_with(s);
        }
    }

    const formula& f_;
    quantities found_;
    std::vector<std::set<std::size_t>> carried_;
    std::vector<std::optional<double>> fixed_;
    std::vector<logarithm> logarithms_;
    std::vector<made_of> from_;
    std::vector<bool> numbered_;  // steps that make room for another code: A * 100
    std::vector<choice> chosen_;
};

}  // namespace

quantities quantities_of(const formula& f, std::size_t inputs) { return survey{f, inputs}.take(); }

}  // namespace gdalmcp_expressions
