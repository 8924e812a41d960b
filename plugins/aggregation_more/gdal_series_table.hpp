// gdal_series_table.hpp — all values of aggregate_series as a CSV file: one row a place and observation.
#pragma once
#include <gdalmcp/gdal.hpp>

#include <optional>
#include <string>

namespace gdalmcp_aggregation_more {

struct series_row {
    std::string place;
    std::size_t observation;      // from 1
    std::string date;             // "": unknown
    std::optional<double> value;  // nullopt: none
    std::optional<double> data_share, excluded;
    std::optional<std::size_t> run;  // from 1 at each place
};

// Columns that only some calls have.
struct series_columns {
    bool data_share, excluded, run;
};

class series_table {
public:
    series_table(const std::string& path, const series_columns& with);
    void add(const series_row& r);
    void close();

    static void require_csv(const std::string& path);  // fails the call for any other extension

private:
    std::string path_;
    series_columns with_;
    gdalmcp::gdal::dataset_ptr file_;
    OGRLayer* layer_ = nullptr;
};

}  // namespace gdalmcp_aggregation_more
