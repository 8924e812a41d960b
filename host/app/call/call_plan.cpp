#include "app/call/call_plan.hpp"

namespace gdalmcp::app {

using base::result;

namespace {

result<checked_call> check_call(const catalog::tool& t, json::object arguments) {
    checked_call c{t, {}, {}, {}};
    if (const auto* j = arguments.if_contains(catalog::justification_argument)) {
        c.justification = *j;
        arguments.erase(catalog::justification_argument);
        if (c.justification.is_string())
            if (auto parsed = base::parse_json(c.justification.get_string()); parsed && parsed->is_object())
                c.justification = std::move(*parsed);
    }
    c.given = std::move(arguments);
    t.input().reify(c.given);
    if (auto ok = t.input().check(c.given); !ok) return tl::unexpected{ok.error()};
    c.arguments = c.given;
    t.input().fill_defaults(c.arguments);
    return c;
}

}  // namespace

result<planned_call> plan_call(const call_context& c, const catalog::tool& t, json::object arguments) {
    auto checked = check_call(t, std::move(arguments));
    if (!checked) return tl::unexpected{checked.error()};
    auto files = workspace::plan(t.input().text(), checked->arguments.get_object(), c.host.roots, c.host.results);
    if (!files) return tl::unexpected{files.error()};
    auto scratch = c.host.scratch.take();
    if (!scratch) return tl::unexpected{scratch.error()};
    return planned_call{std::move(*checked), std::move(*files),
                        std::make_shared<call_cleanup>(c.host.scratch, std::move(*scratch))};
}

}  // namespace gdalmcp::app
