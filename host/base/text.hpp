// UTF-8 text: checks and repairs.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace gdalmcp::base {

bool is_utf8(std::string_view s);  // well-formed UTF-8 (Unicode 15, table 3-7): no surrogates, no overlong forms
std::string scrub_utf8(std::string_view s);  // every ill-formed byte becomes U+FFFD

// Order of RFC 8785: by UTF-16 code units (differs from byte order beyond the BMP). REQUIRES: well-formed UTF-8.
bool utf16_less(std::string_view a, std::string_view b);

std::string base64(std::string_view bytes);                     // RFC 4648, standard alphabet, padded
std::optional<std::string> from_base64(std::string_view text);  // nullopt: not valid base64
std::string base64url(std::string_view bytes);  // RFC 4648, alphabet for URLs and file names, not padded
std::optional<std::string> from_base64url(std::string_view text);  // nullopt: not valid base64url

// RFC 3986: every %41 becomes its byte, once. nullopt if an escape is malformed or encodes NUL.
std::optional<std::string> percent_decoded(std::string_view s);

std::string lower_ascii(std::string_view s);

// Without the blanks, tabs and line ends around it.
std::string_view trimmed(std::string_view s);

// At most `max` bytes (>= 3), cut between characters; a text that was cut ends in "…".
std::string shortened(std::string_view s, std::size_t max);

// Characters, not bytes: every byte that does not continue a UTF-8 sequence begins one.
std::size_t count_characters(std::string_view s);

// Media types whose content is delivered as text: text/*, JSON and XML.
bool is_text_type(std::string_view media_type);

}  // namespace gdalmcp::base
