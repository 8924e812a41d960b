#include "expression.hpp"

#include <algorithm>

namespace gdalmcp_expressions {

expression::expression(const std::string& text, const std::vector<std::string>& names)
    : does_{parse(text, names)}, used_(names.size()) {
    const auto note_use = [this](const operand& o) {
        if (o.from == source::input) used_[o.number] = true;
    };
    note_use(does_.result);
    for (const auto& s : does_.steps)
        for (std::size_t i = 0; i < s.does->operands; ++i) note_use(s.of[i]);
    truth_ = does_.result.from == source::step && does_.steps[does_.result.number].does->truth;
}

void expression::evaluate(const std::vector<const double*>& inputs, std::size_t count, double* out,
                          expression_memory& memory) const {
    // One array for each step, one for each input's last values, one for each constant operand of a step.
    const std::size_t of_inputs = does_.steps.size(), of_constants = of_inputs + inputs.size();
    memory.resize(of_constants + max_operands);
    for (std::size_t first = 0; first < count; first += lane) {
        const std::size_t length = std::min(lane, count - first);
        const auto array_of = [&](const operand& o, std::size_t place) -> const double* {
            if (o.from == source::step) return memory[o.number].data();
            if (o.from == source::constant) {
                memory[of_constants + place].fill(o.value);
                return memory[of_constants + place].data();
            }
            const double* from = inputs[o.number] + first;
            if (length == lane) return from;
            auto& rest = memory[of_inputs + o.number];
            std::copy_n(from, length, rest.begin());
            return rest.data();
        };
        for (std::size_t i = 0; i < does_.steps.size(); ++i) {
            const auto& s = does_.steps[i];
            std::array<const double*, max_operands> of{};
            for (std::size_t k = 0; k < s.does->operands; ++k) of[k] = array_of(s.of[k], k);
            s.does->compute(of[0], of[1], of[2], memory[i].data());
        }
        std::copy_n(array_of(does_.result, 0), length, out + first);
    }
}

}  // namespace gdalmcp_expressions
