// Two domains to answer for: a choice among words, and a CRS with a fact that is asked for.
#pragma once
#include <memory>
#include <string>

#include "base/text.hpp"
#include "promise.hpp"
#include "reflection/specs.hpp"

namespace fuzz {

using namespace gdalmcp;
using namespace gdalmcp::reflection;

inline constexpr const char* moment = "2026-01-02T03:04:05.678Z";

// Stands in for PROJ: AUTH:CODE in any case.
inline base::result<crs_identity> crs(std::string_view spelling) {
    if (spelling.find(':') == std::string_view::npos || spelling.size() > 20)
        return base::fail(base::code::invalid_argument, "no such CRS");
    std::string normal;
    for (const char c : base::lower_ascii(spelling)) normal += c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    return crs_identity{normal};
}

inline const spec_source& core() {
    static const spec_source source{
        "core",
        {{"method.yaml", R"(
domain: method
title: method
prompt: justify_method
risk: low
question: Why this one?
key: {method: {normalise: synonym, table: {near: nearest}}, purpose: {normalise: text, optional: true}}
tools: {resample: {method: /method, purpose: /purpose}}
scope: {kind: {fact: /input/kind, same: true}}
evidence: [{name: profile, tool: profile, arguments: {uri: /uri}}]
)"},
         {"target.yaml", R"(
domain: target
title: target CRS
prompt: justify_target
risk: high
question: What must survive?
key: {dst_crs: crs}
tools: {reproject: {dst_crs: /dst_crs}}
asks: {use: {one_of: [display, measure], about: what the result is for}}
)"}},
        {{"method.md", "---\nname: justify_method\ntitle: M\ndescription: M.\n---\nWhy {{choice}}?\n"},
         {"target.md", "---\nname: justify_target\ntitle: T\ndescription: T.\n---\nWhy {{choice}}?\n"}}};
    return source;
}

inline const std::shared_ptr<const specs>& asked() {
    static const auto loaded = specs::load({core()}).value();
    return loaded;
}

}  // namespace fuzz
