// How alike two names are, for keys that nearly match: "Côte d'Ivoire" and "Ivory Coast".
#pragma once
#include <string>
#include <vector>

namespace gdalmcp_vector {

// In lower case, letters and digits only, Latin letters without their marks.
std::string folded(const std::string& utf8);

// "U+0020 and U+00A0", the first characters in which two texts differ that look alike; empty where they look different,
// or differ in ASCII only.
std::string unseen_difference(const std::string& a, const std::string& b);

// Dice's coefficient of the pairs of neighbouring letters, 0 to 1. Of folded texts.
double likeness(const std::string& a, const std::string& b);

// The most alike of `candidates`, best first: at most `n`, of a likeness of 0.5 and more; of 0.3, which
// other words in another order still have, where one of the two has several words.
std::vector<std::string> most_alike(const std::string& name, const std::vector<std::string>& candidates, std::size_t n);

}  // namespace gdalmcp_vector
