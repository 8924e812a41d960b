#include "ogr_group_table.hpp"

#include <algorithm>
#include <cmath>

#include "datasets/gdal_output.hpp"

namespace gdalmcp_fields {

namespace {

constexpr wanted_measure all_measures[] = {{measure::count, "count"},
                                           {measure::nulls, "nulls"},
                                           {measure::sum, "sum"},
                                           {measure::mean, "mean"},
                                           {measure::median, "median"},
                                           {measure::stdev, "stdev"},
                                           {measure::stdev_sample, "stdev_sample"},
                                           {measure::coefficient_of_variation, "coefficient_of_variation"},
                                           {measure::min, "min"},
                                           {measure::max, "max"},
                                           {measure::variety, "variety"},
                                           {measure::majority, "majority"}};

const char* driver_of(const std::string& path) {
    const std::string extension = CPLGetExtension(path.c_str());
    if (EQUAL(extension.c_str(), "csv")) return "CSV";
    if (EQUAL(extension.c_str(), "gpkg")) return "GPKG";
    throw gdalmcp::error{GDALMCP_UNSUPPORTED, "a table of groups is not written into a file named ." + extension,
                         "name the output .csv or .gpkg"};
}

bool counts(measure m) { return m == measure::count || m == measure::nulls || m == measure::variety; }

class group_writer {
public:
    group_writer(const std::string& path, const char* driver, bool keeps_text)
        : path_{path}, csv_{EQUAL(driver, "CSV") != 0} {
        file_ = gdalmcp_datasets::create_vector(path, driver);
        layer_ = &gdalmcp_datasets::create_table(*file_, path, "statistics", keeps_text);
    }
    void column(OGRFieldDefn& field) {
        if (layer_->CreateField(&field) != OGRERR_NONE)
            gdalmcp::gdal::raise("cannot add the column " + std::string{field.GetNameRef()} + " to " + path_);
    }
    // GDAL's CSV driver quotes whole-number columns as if they were text, but not real ones.
    void number(const std::string& name, bool whole) {
        OGRFieldDefn field{name.c_str(), whole && !csv_ ? OFTInteger64 : OFTReal};
        column(field);
    }
    void text(const std::string& name) {
        OGRFieldDefn field{name.c_str(), OFTString};
        column(field);
    }
    OGRFeature row() { return OGRFeature{layer_->GetLayerDefn()}; }
    void add(OGRFeature& row) {
        if (layer_->CreateFeature(&row) != OGRERR_NONE) gdalmcp::gdal::raise("cannot write a row to " + path_);
    }
    void close() { gdalmcp_datasets::close_vector(std::move(file_), path_); }

private:
    std::string path_;
    bool csv_;
    gdalmcp::gdal::dataset_ptr file_;
    OGRLayer* layer_ = nullptr;
};

void set_text(OGRFeature& row, int at, const field_summary& f, measure m) {
    const auto& t = f.texts;
    if (m == measure::nulls) return row.SetField(at, f.nulls);
    if (m == measure::count) return row.SetField(at, static_cast<GIntBig>(t.count()));
    if (m == measure::variety) return row.SetField(at, static_cast<GIntBig>(t.variety()));
    if (t.count() == 0) return row.SetFieldNull(at);
    row.SetField(at, (m == measure::min ? t.min() : m == measure::max ? t.max() : t.majority()).c_str());
}

void set_number(OGRFeature& row, int at, double value) {
    if (std::isfinite(value))
        row.SetField(at, value);
    else
        row.SetFieldNull(at);
}

}  // namespace

wanted_measure measure_named(const std::string& name) {
    for (const auto& m : all_measures)
        if (name == m.name) return m;
    throw gdalmcp::error{GDALMCP_INTERNAL, "no statistic is called " + name, {}};
}

bool of_text(measure m) { return counts(m) || m == measure::min || m == measure::max || m == measure::majority; }

double number_of(const field_summary& f, measure m) {
    const auto& n = f.numbers;
    switch (m) {
        case measure::count:
            return static_cast<double>(n.count());
        case measure::nulls:
            return static_cast<double>(f.nulls);
        case measure::sum:
            return n.sum();
        case measure::mean:
            return n.mean();
        case measure::median:
            return n.median();
        case measure::stdev:
            return n.stdev();
        case measure::stdev_sample:
            return n.stdev(true);
        case measure::coefficient_of_variation:
            return n.stdev() / n.mean();
        case measure::min:
            return n.min();
        case measure::max:
            return n.max();
        case measure::variety:
            return static_cast<double>(n.variety());
        case measure::majority:
            return n.majority();
    }
    return n.mean();
}

GIntBig write_groups(const std::string& path, const grouping& of, const OGRFeatureDefn& source,
                     const std::vector<int>& by, const std::vector<wanted_measure>& wanted,
                     const std::vector<double>& percentiles) {
    const bool text = std::any_of(by.begin(), by.end(), [&](int i) {
        return const_cast<OGRFeatureDefn&>(source).GetFieldDefn(i)->GetType() == OFTString;
    });
    group_writer out{path, driver_of(path), text};
    for (const int i : by) {
        OGRFieldDefn field{const_cast<OGRFeatureDefn&>(source).GetFieldDefn(i)};
        field.SetDomainName({});
        out.column(field);
    }
    out.number("features", true);
    for (const auto& f : of.fields()) {
        for (const auto& m : wanted) {
            if (!f.numeric && !of_text(m.what)) continue;
            const auto name = f.name + "_" + m.name;
            if (f.numeric || counts(m.what))
                out.number(name, counts(m.what));
            else
                out.text(name);
        }
        if (f.numeric)
            for (const double p : percentiles) out.number(f.name + "_p" + gdalmcp::gdal::number_text(p), false);
    }
    for (const auto& g : of.groups()) {
        auto row = out.row();
        int at = 0;
        for (const int i : by) {
            if (g.first->IsFieldSetAndNotNull(i))
                row.SetField(at, g.first->GetRawFieldRef(i));
            else
                row.SetFieldNull(at);
            ++at;
        }
        row.SetField(at++, g.features);
        for (std::size_t k = 0; k < of.fields().size(); ++k) {
            const auto& f = of.fields()[k];
            for (const auto& m : wanted) {
                if (!f.numeric && !of_text(m.what)) continue;
                if (f.numeric)
                    set_number(row, at, number_of(g.fields[k], m.what));
                else
                    set_text(row, at, g.fields[k], m.what);
                ++at;
            }
            if (f.numeric)
                for (const double p : percentiles) set_number(row, at++, g.fields[k].numbers.percentile(p));
        }
        out.add(row);
    }
    out.close();
    return static_cast<GIntBig>(of.groups().size());
}

}  // namespace gdalmcp_fields
