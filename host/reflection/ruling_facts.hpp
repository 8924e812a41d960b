// The facts and measurements a ruling is made on, and the situation of the call they describe.
#pragma once
#include "reflection/judge.hpp"

namespace gdalmcp::reflection {

// Reads the inputs, and measures the evidence that the spec's conditions or its scope use.
void read_facts(ruling& r, const inquiry& q);

// What an earlier answer for the same dataset stated about it.
json::object stated_for_this_dataset(const ruling& r);
// Statements about the dataset fill in facts its data lack; from here on they are facts like others.
// The facts that an answer may state: those the data lack, and what an earlier answer stated of the dataset.
std::vector<const asked_fact*> open_to_statements(const ruling& r);
void overlay(ruling& r, const json::object& stated);

// The dataset, to be recognised later.
void name_input(ruling& r);
// Which data the findings are about, so that they are accepted for these alone.
void locate_findings(ruling& r, const call& c);
void describe_situation(ruling& r, const call& c, const json::object& stated);

}  // namespace gdalmcp::reflection
