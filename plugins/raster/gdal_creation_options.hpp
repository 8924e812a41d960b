// gdal_creation_options.hpp — the caller's creation options: each must be one of the driver's, with a valid value, or
// is refused by name. GDAL itself ignores unknown ones.
#pragma once
#include <gdal_priv.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdalmcp_raster {

class creation_options {
public:
    creation_options() = default;

    // Refused, naming option and driver: text other than KEY=VALUE, a key the driver does not have (listing its keys,
    // close ones first), a repeated key, a value outside of its type, list or range, and options that reproject,
    // resample, relabel or round cells or open further files, with the argument or tool that does the same. Values of a
    // list may have any case; they are kept as the driver spells them.
    creation_options(GDALDriver& driver, const std::vector<std::string>& given);

    bool empty() const { return values_.empty(); }
    std::optional<std::string> get(std::string_view name) const;
    bool is(std::string_view name, std::string_view value) const;
    // Removes the option, for callers that pass it on in another way.
    std::optional<std::string> take(std::string_view name);
    // The same as a number; refused if it is not one.
    std::optional<double> take_number(std::string_view name);
    // `defaults` (KEY=VALUE), with these options instead where they have the same key, and then the others.
    std::vector<std::string> over(const std::vector<std::string>& defaults) const;

private:
    struct less {
        using is_transparent = void;
        bool operator()(std::string_view a, std::string_view b) const;
    };
    std::map<std::string, std::string, less> values_;  // keys in any case
};

// Refuses options that store values in fewer bits than those need, of which `changed` cells were read back otherwise.
void refuse_few_bits(const creation_options& options, std::int64_t changed);

// Whether the driver takes creation options of this name.
bool has_option(GDALDriver& driver, const std::string& name);

// A yes-or-no value as GDAL reads it.
bool is_yes(std::string_view value);

}  // namespace gdalmcp_raster
