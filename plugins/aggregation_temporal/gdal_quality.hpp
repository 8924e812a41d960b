// gdal_quality.hpp — the quality band of every observation: one of its own file, or a raster of its own.
#pragma once
#include <functional>
#include <optional>

#include "gdal_observations.hpp"
#include "quality_rule.hpp"

namespace gdalmcp_temporal {

struct quality_request {
    std::vector<gdalmcp::raster> rasters;  // empty: a band of the observations' own files
    std::optional<int> band;
    std::vector<std::int64_t> bits;
    std::vector<double> values;
};

class quality_bands {
public:
    // Refused: neither bits nor values; a band of a stack, whose bands are observations; another number of quality
    // rasters than observations (one counts for all); pairs whose dates differ; bits that the type does not have.
    // say: that pairs are by order, where dates cannot confirm them. REQUIRES: `observed` is in the order given.
    quality_bands(const quality_request& asked, const observation_set& observed,
                  const std::function<void(const std::string&)>& say);

    const quality_rule& rule() const { return rule_; }
    observation_set* rasters() { return own_ ? nullptr : &set_; }  // to be brought to the common cells
    GDALRasterBand& of(const observation_set& observed, const observation& o) const;
    const std::string& path_of(const observation_set& observed, const observation& o) const;  // of that band
    // For messages: "bits 3, 4 or values 8 in band 2 of a.tif and 11 others".
    std::string text(const observation_set& observed) const;

private:
    void pair(const observation_set& observed, const std::function<void(const std::string&)>& say) const;
    void require_bits(const observation_set& observed, const std::vector<std::int64_t>& bits) const;
    const observation& own_of(const observation& observed) const;

    quality_rule rule_;
    bool own_ = false;
    int band_ = 1;         // of each file, where own_
    observation_set set_;  // else
};

}  // namespace gdalmcp_temporal
