#include "conditioning.hpp"

#include <gdalmcp/evidence.hpp>

namespace gdalmcp_hydrology {

void check_conditioning(const gdalmcp::call& call) {
    if (call[conditioning].value == "fill" && call.given(max_length))
        throw gdalmcp::error{GDALMCP_INVALID_ARGUMENT, "max_length is given, but fill cuts no path",
                             "leave max_length out, or use breach or hybrid"};
}

namespace {

void warn_of_left(gdalmcp::call& call, const conditioned& done) {
    if (call[conditioning].value == "breach" && done.cuts->left > 0)
        call.warn(std::to_string(done.cuts->left) + " pits were not breached within max_length and max_depth" +
                  (done.filled.cells_without_outlet > 0 ? ", those enclosed by missing data among them," : "") +
                  " and still drain nowhere; hybrid fills them" +
                  (done.filled.cells_without_outlet > 0 ? ", but not the enclosed ones" : ""));
    warn_of_enclosed(call, done.filled.cells_without_outlet);
}

// A cut to the floor of a depression through its own rim is as deep as the depression.
void warn_of_deep_cuts(gdalmcp::call& call, const gdal_raster& dem, const conditioned& done) {
    constexpr double rounding = 1e-6;
    const double cut = done.cuts->deepest * dem.scale(), deepest = done.filled.deepest * dem.scale();
    if (cut <= deepest * (1 + rounding)) return;
    const auto unit = dem.height_unit();
    const auto text = [&](double depth) { return gdalmcp::evidence::text(depth) + (unit.empty() ? "" : " " + unit); };
    call.warn("the deepest cut goes " + text(cut) + " down, and the deepest depression is " + text(deepest) +
              " deep: it leads through a ridge above the level at which that water would spill; max_depth forbids "
              "deeper cuts, and hybrid fills what they leave");
}

}  // namespace

void warn_of_enclosed(gdalmcp::call& call, std::size_t cells) {
    if (cells > 0)
        call.warn(std::to_string(cells) +
                  " cells are enclosed by missing data, drain nowhere and were left as they are");
}

std::optional<double> greatest_depth(const gdalmcp::call& call, const gdal_raster& dem) {
    const auto given = call[max_depth];
    return given ? std::optional{*given / dem.scale()} : std::nullopt;
}

template <class T>
conditioned condition_surface(gdalmcp::call& call, const gdal_raster& dem, grid<T>& surface, const land_use& use,
                              const cell_sizes& sizes, bool epsilon, double from, double to) {
    const auto part = [&](double begin, double end, const char* what) {
        return call.part(from + begin * (to - from), from + end * (to - from), what);
    };
    const auto threads = whole_team().threads;
    const auto deepest = greatest_depth(call, dem);
    const auto way = call[conditioning].value;
    conditioned done;
    if (way == "fill") {
        done.filled = fill(surface, use.land, sizes, {epsilon, deepest, threads}, part(0, 1, "filling"));
        warn_of_left(call, done);
        return done;
    }
    auto filled = surface;
    done.filled = fill(filled, use.land, sizes, {.threads = threads}, part(0, 0.25, "measuring"));
    if (way == "hybrid") filled = surface;  // as it was given, for what becomes of it in the end
    done.max_length = call[max_length].value_or(100 * sizes.width(dem.extent().height / 2));
    done.cuts = breach(surface, use.land, sizes, {*done.max_length, deepest}, part(0.25, 0.7, "breaching"));
    done.filled.cells_changed = 0;
    done.filled.depressions_left = 0;
    if (way == "breach" && done.cuts->left > 0) {  // one depression may hold several of the pits
        filled = surface;
        done.filled.depressions_left =
            fill(filled, use.land, sizes, {.threads = threads}, part(0.7, 1, "measuring")).depressions;
    }
    if (way == "hybrid") {
        fill(surface, use.land, sizes, {.epsilon = epsilon, .threads = threads}, part(0.7, 1, "filling"));
        done.cuts->cells_lowered = 0;
        done.cuts->deepest = 0;
        for (std::size_t i = 0; i < surface.size(); ++i) {  // what was cut may have been filled again
            if (use.land[i] != footprint::terrain) continue;
            done.filled.cells_changed += surface[i] > filled[i];
            if (!(surface[i] < filled[i])) continue;
            ++done.cuts->cells_lowered;
            done.cuts->deepest =
                std::max(done.cuts->deepest, static_cast<double>(filled[i]) - static_cast<double>(surface[i]));
        }
    }
    warn_of_left(call, done);
    warn_of_deep_cuts(call, dem, done);
    return done;
}

#define GDALMCP_CONDITION(T)                                                                                 \
    template conditioned condition_surface<T>(gdalmcp::call&, const gdal_raster&, grid<T>&, const land_use&, \
                                              const cell_sizes&, bool, double, double)
GDALMCP_CONDITION(std::uint8_t);
GDALMCP_CONDITION(std::int16_t);
GDALMCP_CONDITION(std::uint16_t);
GDALMCP_CONDITION(std::int32_t);
GDALMCP_CONDITION(std::uint32_t);
GDALMCP_CONDITION(float);
GDALMCP_CONDITION(double);
#undef GDALMCP_CONDITION

}  // namespace gdalmcp_hydrology
