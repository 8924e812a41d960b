#include "quantities.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

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
        : f_{f}, carried_(f.steps.size()), kept_(f.steps.size()), numbered_(f.steps.size()), chosen_(f.steps.size()) {
        found_.inputs.resize(inputs);
    }

    quantities take() {
        for (std::size_t i = 0; i < f_.steps.size(); ++i) {
            look_at(i);
            kept_[i] = kept_by(i);
            chosen_[i] = chosen_by(f_.steps[i]);
        }
        found_.chosen = chosen(f_.result);
        found_.of_unit = kept(f_.result).value_or(std::set<std::size_t>{});
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

    // The inputs whose unit an operand has, constants having that of what they stand with; nullopt: it has another.
    using unit_source = std::optional<std::set<std::size_t>>;
    static unit_source together(unit_source a, unit_source b) {
        if (a && b) a->merge(*b);
        return b ? a : b;
    }
    unit_source kept(const operand& o) const {
        if (o.from == source::step) return kept_[o.number];
        return o.from == source::input ? std::set<std::size_t>{o.number} : std::set<std::size_t>{};
    }
    unit_source kept_by(std::size_t step) const {
        const auto& s = f_.steps[step];
        const auto name = s.does->name;
        const auto is = [&](std::size_t i, double v) { return s.of[i].from == source::constant && s.of[i].value == v; };
        if (name == "nodata") return std::set<std::size_t>{};
        if (name == "where") return together(kept(s.of[1]), kept(s.of[2]));
        if (name == "clip") return together(kept(s.of[0]), together(kept(s.of[1]), kept(s.of[2])));
        if (name == "min" || name == "max") return together(kept(s.of[0]), kept(s.of[1]));
        if (name == "abs" || name == "round" || name == "ceil" || name == "floor") return kept(s.of[0]);
        if (name == "mod" && is(1, 360)) return carried_by(step);
        if (name == "-" && s.does->operands == 1) return kept(s.of[0]);
        if ((name == "+" || name == "-") && is(1, 0)) return kept(s.of[0]);
        if ((name == "*" || name == "/") && is(1, 1)) return kept(s.of[0]);
        if ((name == "+" && is(0, 0)) || (name == "*" && (is(0, 1) || is_truth(s.of[0])))) return kept(s.of[1]);
        return name == "*" && is_truth(s.of[1]) ? kept(s.of[0]) : unit_source{};
    }
    unit_source carried_by(std::size_t step) const {
        const auto of = carried(f_.steps[step].of[0]);
        return of.empty() ? unit_source{} : of;
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
    std::vector<unit_source> kept_;
    std::vector<bool> numbered_;  // steps that make room for another code: A * 100
    std::vector<choice> chosen_;
};

}  // namespace

quantities quantities_of(const formula& f, std::size_t inputs) { return survey{f, inputs}.take(); }

}  // namespace gdalmcp_expressions
