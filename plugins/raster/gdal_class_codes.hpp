// gdal_class_codes.hpp — reading class codes: the cells of a band as 64-bit integers.
#pragma once
#include <gdalmcp/gdal_blocks.hpp>

#include <string>

namespace gdalmcp_raster {

// The codes of a band during a block_job.
class class_codes {
public:
    // Codes are within 32 bits with a sign. Refused, with `instead` as the next step: complex, floating-point and
    // scaled values, which are measurements. path: for messages.
    class_codes(const std::string& path, GDALRasterBand& band, const std::string& instead);

    // Adds the band to a job. Of the last job it was added to: the codes of a row of a block. Those of cells without
    // data mean nothing.
    void read_in(gdalmcp::gdal::block_job& job);
    const unsigned char* valid(const gdalmcp::gdal::block& b, int row) const { return b.valid(input_, row); }
    // to: as many as the block has columns. Fails for a code outside 32 bits.
    void get(const gdalmcp::gdal::block& b, int row, std::int64_t* to) const;

private:
    GDALRasterBand& band_;
    std::string path_;
    bool narrow_;  // read as Int32, which holds every value of the type; else as Float64
    std::size_t input_ = 0;
};

}  // namespace gdalmcp_raster
