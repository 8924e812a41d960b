// gdalmcp/gdal.hpp — lets a GDAL-linked plugin open its inputs, report progress, be cancelled, and fail with GDAL's own
// messages. Header-only; link GDAL.
#pragma once
#include <cpl_conv.h>
#include <cpl_multiproc.h>
#include <gdalmcp/gdal_handover.hpp>
#include <gdalmcp/gdal_open.hpp>
#include <gdalmcp/tool.hpp>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <string_view>

namespace gdalmcp::gdal {

// Fails the call with GDAL's last error message. DEFAULT: a hint by the kind of failure. REQUIRES: a GDAL function just
// failed.
[[noreturn]] inline void raise(const std::string& doing, std::string hint = {}) {
    std::string why = CPLGetLastErrorMsg();
    const bool memory = CPLGetLastErrorNo() == CPLE_OutOfMemory;
    CPLErrorReset();
    if (hint.empty())
        hint = memory ? "use a smaller window, fewer bands or a coarser resolution"
                      : "check that the inputs are complete and undamaged, for example with gdalinfo -checksum";
    throw error{memory ? GDALMCP_EXHAUSTED : GDALMCP_IO, doing + ": " + (why.empty() ? "GDAL gave no reason" : why),
                std::move(hint)};
}

// Whether a decoder says that it has no cells, or not all, where GDAL reports them as read: those of tiles in a
// database become nodata or 0, the rest of a cut JPEG file grey. The host fails a call during which it hears so.
inline bool tells_of_lost_cells(CPLErr level, std::string_view message) {
    constexpr std::string_view failures[] = {
        "libpng: Read Error",     "libpng: IDAT: ", "Error while reading row",
        "Cannot parse tile data", "WebPDecode",     "decompression failed with z_err"};
    constexpr std::string_view warnings[] = {"Premature end of JPEG file", "premature end of data segment",
                                             "bad Huffman code"};
    const auto says = [&](std::string_view what) { return message.find(what) != message.npos; };
    return (level >= CE_Failure && std::any_of(std::begin(failures), std::end(failures), says)) ||
           (level >= CE_Warning && std::any_of(std::begin(warnings), std::end(warnings), says));
}

// The first such message that a handler hears which keeps GDAL's errors to itself.
class lost_cells {
public:
    // Whether it is one.
    bool hear(CPLErr level, const char* message) {
        const bool is_one = tells_of_lost_cells(level, message);
        if (is_one && first_.empty()) first_ = message, level_ = level;
        return is_one;
    }
    // After the handler has gone: to the one before it. GDAL's last error stays what it is.
    void pass_on() const {
        if (first_.empty()) return;
        const auto level = CPLGetLastErrorType();
        const auto number = CPLGetLastErrorNo();
        const std::string message = CPLGetLastErrorMsg();
        CPLError(level_, CPLE_AppDefined, "%s", first_.c_str());
        CPLErrorSetState(level, number, message.c_str());
    }

private:
    std::string first_;
    CPLErr level_ = CE_None;
};

// While it lives, GDAL's errors of this thread are not reported and do not fail the call: for probing. Afterwards
// GDAL's last error is the earlier one again.
class quiet {
public:
    quiet() : type_{CPLGetLastErrorType()}, number_{CPLGetLastErrorNo()}, message_{CPLGetLastErrorMsg()} {
        CPLPushErrorHandlerEx(hush, &lost_);
    }
    ~quiet() {
        CPLPopErrorHandler();
        lost_.pass_on();
        CPLErrorSetState(type_, number_, message_.c_str());
    }
    quiet(const quiet&) = delete;
    quiet& operator=(const quiet&) = delete;

private:
    static void CPL_STDCALL hush(CPLErr level, CPLErrorNum, const char* message) {
        static_cast<lost_cells*>(CPLGetErrorHandlerUserData())->hear(level, message);
    }
    lost_cells lost_;
    CPLErr type_;
    CPLErrorNum number_;
    std::string message_;
};

namespace detail {
inline dataset_ptr open(const std::string& path, unsigned flags, const char* what, sql given,
                        const table_reading& how = {}) {
    if (auto left = take_open(path, flags);
        left && !(given == sql::any && is_geopackage(path)) && how == table_reading{})
        return left;
    if (auto d = open_dataset(path, flags | GDAL_OF_VERBOSE_ERROR, given, how)) return d;
    const char* extension = CPLGetExtension(path.c_str());
    if ((flags & GDAL_OF_VECTOR) && (EQUAL(extension, "txt") || EQUAL(extension, "dat")))
        raise("cannot open " + path + " as " + what,
              "text tables are known by their names: rename a table to .csv, .tsv or .psv");
    raise("cannot open " + path + " as " + what,
          "check that the file is complete and of a format listed by gdalinfo --formats");
}

// An OGR VRT over a source that cannot be opened counts as a layer without features: GDAL's error is the only sign.
inline void check_sources(GDALDataset& d) {
    if (!EQUAL(d.GetDriverName(), "OGR_VRT")) return;
    std::string why = CPLGetLastErrorType() >= CE_Failure ? CPLGetLastErrorMsg() : "";
    CPLErrorReset();
    for (int i = 0; why.empty() && i < d.GetLayerCount(); ++i) {
        static_cast<void>(d.GetLayer(i)->GetLayerDefn());
        if (CPLGetLastErrorType() >= CE_Failure) why = CPLGetLastErrorMsg();
    }
    if (why.empty()) return;
    CPLErrorReset();
    throw error{GDALMCP_IO, std::string{"the virtual dataset "} + d.GetDescription() + " cannot be read: " + why,
                "check the sources it names: they must exist and lie in a workspace"};
}
}  // namespace detail

// As stored in the file, signed bytes read as unsigned: for describing the file, not for its values.
inline dataset_ptr open_stored(const raster& r) { return detail::open(r.path, GDAL_OF_RASTER, "a raster", sql::none); }
// With the intended values: bands of signed bytes are Int16 (gdal_signed_bytes.hpp).
inline dataset_ptr open(const raster& r) {
    auto d = with_signed_values(open_stored(r));
    if (!d) raise("cannot read the signed bytes of " + r.path);
    return d;
}
inline dataset_ptr open(const gdalmcp::vector& v, sql given = sql::any, const table_reading& how = {}) {
    auto d = detail::open(v.path, GDAL_OF_VECTOR, "a vector dataset", given, how);
    detail::check_sources(*d);
    return d;
}
inline dataset_ptr open(const gdalmcp::dataset& d) {
    return detail::open(d.path, GDAL_OF_RASTER | GDAL_OF_VECTOR, "a dataset", sql::any);
}

// The layer an argument names, or the only one. Fails with the list if there are several and none is named.
inline OGRLayer& layer_of(GDALDataset& d, const std::optional<std::string>& name) {
    const auto used = [&](int i) -> OGRLayer& {
        take_layer(d, *d.GetLayer(i));
        return *d.GetLayer(i);
    };
    std::string all;
    for (int i = 0; i < d.GetLayerCount(); ++i) all += (i ? ", " : "") + std::string{d.GetLayer(i)->GetName()};
    if (name) {
        for (int i = 0; i < d.GetLayerCount(); ++i)
            if (*name == d.GetLayer(i)->GetName()) return used(i);
        throw error{GDALMCP_NOT_FOUND, "there is no layer '" + *name + "' in " + d.GetDescription(), "layers: " + all};
    }
    if (d.GetLayerCount() == 1) return used(0);
    if (d.GetLayerCount() == 0)
        throw error{GDALMCP_UNSUPPORTED, std::string{d.GetDescription()} + " has no layer", "give a vector dataset"};
    throw error{
        GDALMCP_INVALID_ARGUMENT,
        std::string{d.GetDescription()} + " has " + std::to_string(d.GetLayerCount()) + " layers and none is named",
        "name one with 'layer': " + all};
}

// A NULL-terminated list of strings, for GDAL's utility functions and creation options.
class words {
public:
    words() = default;
    words(std::initializer_list<std::string> all) {
        for (const auto& w : all) add(w);
    }
    words& add(const std::string& word) {
        list_.AddString(word.c_str());
        return *this;
    }
    template <class... W>
    words& add(const std::string& first, const W&... rest) {
        add(first);
        return add(rest...);
    }
    char** get() { return list_.List(); }
    int size() const { return list_.Count(); }

private:
    CPLStringList list_;
};

// GDALProgressFunc to the call's progress: [0,1] of this step is [from, to] of the call.
//   step warp{call, 0.1, 0.9, "warping"};  GDALWarpAppOptionsSetProgress(o, step::report, &warp);
struct step {
    call& running;
    double from = 0, to = 1;
    static int CPL_STDCALL report(double fraction, const char*, void* self) {
        const auto& s = *static_cast<step*>(self);
        return s.running.keep_going(s.from + fraction * (s.to - s.from)) ? TRUE : FALSE;
    }
};

// A number as JSON text for call::expect and the like; shortest form.
// The threads that a call may work on, from 1 to 16: as many as the host was told, else the number of cores.
inline std::size_t threads_of_call() {
    const char* said = CPLGetConfigOption("GDAL_NUM_THREADS", "ALL_CPUS");
    const int n = EQUAL(said, "ALL_CPUS") ? CPLGetNumCPUs() : std::atoi(said);
    return static_cast<std::size_t>(std::clamp(n, 1, 16));
}

inline std::string number_text(double v) { return gdalmcp::detail::number(v); }
inline std::string json_quote(std::string_view s) { return gdalmcp::detail::quote(s); }

}  // namespace gdalmcp::gdal
