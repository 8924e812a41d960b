// Reads the JSON of one spec file. Used by specs.cpp only.
#pragma once
#include "reflection/specs.hpp"

namespace gdalmcp::reflection::spec_text {

struct extension {
    std::map<std::string, governed_tool, std::less<>> tools;
    std::vector<condition> not_needed_when;
    std::vector<evidence_source> evidence;
    std::map<std::string, judged_form, std::less<>> judged_as;
};

base::result<spec> parse(const json::value& text);
base::result<extension> parse_extension(const json::value& text);

// Every unknown and every missing member of a spec or an extension and of their key arguments, checks, evidence and
// plan. Each `at` is the place of the unknown member, or of the object that lacks one.
std::vector<base::problem> member_defects(const json::value& text);

// Conditions may name key arguments of this spec only; `field` is the location of this one.
base::result<void> check_condition(const spec& s, const condition& c, const std::string& field);

// Arguments of a provider may come from key arguments of this spec only.
base::result<void> check_evidence(const spec& s, const evidence_source& e);

// Every key argument that may not be absent has a source.
base::result<void> check_mapping(const spec& s, const std::string& tool, const governed_tool& key);

}  // namespace gdalmcp::reflection::spec_text
