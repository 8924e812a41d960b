#include <gdalmcp/gdal_blocks.hpp>

#include "catch.hpp"
#include "rasters.hpp"

#include <atomic>
#include <cmath>
#include <limits>
#include <random>

using namespace gdalmcp::gdal;
using rasters::matrix;

namespace {

const auto quiet_progress = [](double) {};

// Sum of the 3 × 3 cells around each one, missing ones left out.
void sum_around(GDALDataset& from, GDALDataset& to, std::size_t workers, std::int64_t memory) {
    block_job job;
    const auto in = job.read(*from.GetRasterBand(1), GDT_Float64);
    const auto out = job.write(*to.GetRasterBand(1), GDT_Float64);
    job.halo = 1;
    job.workers = workers;
    job.memory = memory;
    job.run(quiet_progress, [&](const block& b) {
        for (int row = 0; row < b.height; ++row)
            for (int column = 0; column < b.width; ++column) {
                double sum = 0;
                for (int r = row - 1; r <= row + 1; ++r)
                    for (int c = column - 1; c <= column + 1; ++c)
                        if (b.valid(in, r)[c]) sum += b.in<double>(in, r)[c];
                b.out<double>(out, row)[column] = sum;
            }
    });
}

matrix zeros(std::size_t rows, std::size_t columns) { return matrix(rows, std::vector<double>(columns)); }

}  // namespace

TEST_CASE("parts follow the blocks of the file and cover the window once") {
    // 10 × 7 cells from (3, 2) on, blocks of 4 × 4.
    CHECK(parts_of({3, 2, 10, 7}, 4, 4, 1) == std::vector<window>{{3, 2, 1, 2},
                                                                  {4, 2, 4, 2},
                                                                  {8, 2, 4, 2},
                                                                  {12, 2, 1, 2},
                                                                  {3, 4, 1, 4},
                                                                  {4, 4, 4, 4},
                                                                  {8, 4, 4, 4},
                                                                  {12, 4, 1, 4},
                                                                  {3, 8, 1, 1},
                                                                  {4, 8, 4, 1},
                                                                  {8, 8, 4, 1},
                                                                  {12, 8, 1, 1}});
    CHECK(parts_of({0, 0, 10, 7}, 10, 1, 30) == std::vector<window>{{0, 0, 10, 3}, {0, 3, 10, 3}, {0, 6, 10, 1}});
    CHECK(parts_of({0, 0, 10, 7}, 4, 4, 1000) == std::vector<window>{{0, 0, 10, 7}});
}

TEST_CASE("a block sees its neighbours, and which cells have no data") {
    const auto from = rasters::make({{{1, 2, 3, 4}, {5, -9, 7, 8}, {9, 10, 11, 12}}}, {.nodata = -9});
    const auto to = rasters::make({zeros(3, 4)});
    sum_around(*from, *to, 0, 1 << 20);
    CHECK(rasters::values(*to->GetRasterBand(1)) == matrix{{8, 18, 24, 22}, {27, 48, 57, 45}, {24, 42, 48, 38}});
}

TEST_CASE("neither threads nor the size of blocks change a result") {
    std::mt19937 random{1};
    matrix cells(211, std::vector<double>(307));
    for (auto& row : cells)
        for (auto& v : row) v = random() % 50 == 0 ? -9 : static_cast<double>(random() % 1000) / 7;
    const auto from = rasters::make({cells}, {.nodata = -9});
    const auto one = rasters::make({zeros(211, 307)});
    sum_around(*from, *one, 0, 1 << 28);
    const auto expected = rasters::values(*one->GetRasterBand(1));
    for (const std::size_t workers : {0, 1, 2, 5})
        for (const std::int64_t memory : {1, 20'000, 700'000}) {
            INFO(workers << " workers, " << memory << " bytes");
            const auto to = rasters::make({zeros(211, 307)});
            sum_around(*from, *to, workers, memory);
            CHECK(rasters::values(*to->GetRasterBand(1)) == expected);
        }
}

TEST_CASE("cells without data are those of GDAL's mask, NaN, and what lies beyond the raster") {
    const auto valid_of = [](GDALDataset& d, GDALDataType as) {
        block_job job;
        const auto in = job.read(*d.GetRasterBand(1), as);
        job.halo = 1;
        std::vector<int> seen;
        bool all = true;
        job.run(quiet_progress, [&](const block& b) {
            for (int row = -1; row <= b.height; ++row)
                for (int column = -1; column <= b.width; ++column) seen.push_back(b.valid(in, row)[column] != 0);
            all = b.all_valid(in);
        });
        CHECK_FALSE(all);
        return seen;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<int> expected{0, 0, 0, 0, 0,  //
                                    0, 1, 0, 1, 0,  //
                                    0, 0, 0, 0, 0};
    CHECK(valid_of(*rasters::make({{{1, nan, 3}}}), GDT_Float32) == expected);
    CHECK(valid_of(*rasters::make({{{1, 255, 3}}}, {.type = GDT_Byte, .nodata = 255}), GDT_Int16) == expected);
    // A nodata value that Float32 cannot hold.
    CHECK(valid_of(*rasters::make({{{1, -1e308, 3}}}, {.nodata = -1e308}), GDT_Float32) == expected);
    const auto masked = rasters::make({{{1, 2, 3}}});
    REQUIRE(masked->CreateMaskBand(GMF_PER_DATASET) == CE_None);
    rasters::fill(*masked->GetRasterBand(1)->GetMaskBand(), {{255, 0, 255}});
    CHECK(valid_of(*masked, GDT_Float64) == expected);
}

TEST_CASE("several bands of different types are read and written together, of a part where one is named") {
    const auto bytes = rasters::make({{{1, 2, 3, 4}, {5, 6, 7, 8}}}, {.type = GDT_Byte});
    const auto reals = rasters::make({{{.5, .5, .5, .5}, {.25, .25, .25, .25}}});
    const auto to = rasters::make({zeros(1, 2), zeros(1, 2)});
    block_job job;
    const auto a = job.read(*bytes->GetRasterBand(1), GDT_Byte);
    const auto b = job.read(*reals->GetRasterBand(1), GDT_Float32);
    const auto product = job.write(*to->GetRasterBand(1), GDT_Float64);
    const auto places = job.write(*to->GetRasterBand(2), GDT_Int32);
    job.part = window{1, 1, 2, 1};
    job.run(quiet_progress, [&](const block& at) {
        CHECK(at.all_valid(a));
        for (int c = 0; c < at.width; ++c) {
            at.out<double>(product, 0)[c] = at.in<std::uint8_t>(a, 0)[c] * at.in<float>(b, 0)[c];
            at.out<std::int32_t>(places, 0)[c] = 10 * at.row + at.column + c;
        }
    });
    CHECK(rasters::values(*to->GetRasterBand(1)) == matrix{{1.5, 1.75}});
    CHECK(rasters::values(*to->GetRasterBand(2)) == matrix{{11, 12}});
}

TEST_CASE("what fails, or is cancelled, ends the work") {
    const auto from = rasters::make({zeros(64, 64)});
    for (const std::size_t workers : {0, 2}) {
        INFO(workers << " workers");
        block_job job;
        job.read(*from->GetRasterBand(1), GDT_Float64);
        job.workers = workers;
        job.memory = 1;
        CHECK_THROWS_WITH(job.run(quiet_progress,
                                  [](const block& b) {
                                      if (b.row == 7) throw std::runtime_error{"row 7"};
                                  }),
                          "row 7");
        std::atomic<int> blocks{0};
        CHECK_THROWS_AS(job.run(
                            [](double done) {
                                if (done > 0.5) throw gdalmcp::cancelled{};
                            },
                            [&](const block&) { ++blocks; }),
                        gdalmcp::cancelled);
        CHECK(blocks <= 33);
    }
}

TEST_CASE("whole numbers that a double cannot tell apart are refused, unless they have no data") {
    const auto from = rasters::make({matrix{{0, 0, 0}}}, {.type = GDT_Int64});
    auto& band = *from->GetRasterBand(1);
    const auto sum_of = [&](std::vector<std::int64_t> cells) {
        REQUIRE(band.RasterIO(GF_Write, 0, 0, 3, 1, cells.data(), 3, 1, GDT_Int64, 0, 0, nullptr) == CE_None);
        block_job job;
        const auto in = job.read(band, GDT_Float64);
        double sum = 0;
        job.run(quiet_progress, [&](const block& b) {
            for (int c = 0; c < b.width; ++c) sum += b.valid(in, 0)[c] ? b.in<double>(in, 0)[c] : 0;
        });
        return sum;
    };
    CHECK(sum_of({1, -2, 9007199254740991}) == 9007199254740990.0);
    CHECK_THROWS_WITH(sum_of({1, 2, 9007199254740993}), Catch::Matchers::ContainsSubstring("beyond 2^53"));
}

TEST_CASE("a nodata value that single precision rounds still marks its cells") {
    struct stored {
        GDALDataType type;
        double nodata;
    };
    for (const auto& [type, nodata] : {stored{GDT_UInt32, 4294967295.0}, stored{GDT_Int32, 2147483647.0},
                                       stored{GDT_Int32, -2147483647.0}, stored{GDT_Float64, 0.1}}) {
        const auto from = rasters::make({{{7, nodata, 9}}}, {.type = type, .nodata = nodata});
        block_job job;
        const auto in = job.read(*from->GetRasterBand(1), GDT_Float32);
        std::vector<int> seen;
        job.run(quiet_progress, [&](const block& b) {
            for (int i = 0; i < 3; ++i) seen.push_back(b.valid(in, 0)[i] != 0);
        });
        CHECK(seen == std::vector{1, 0, 1});
    }
}

TEST_CASE("infinite cells have data, or none where the job says so") {
    const double inf = std::numeric_limits<double>::infinity();
    for (const auto type : {GDT_Float32, GDT_Float64}) {
        const auto from = rasters::make({{{1, inf, -inf, 4}}}, {.type = type});
        for (const bool missing : {false, true}) {
            block_job job;
            job.infinite_missing = missing;
            const auto in = job.read(*from->GetRasterBand(1), type);
            std::vector<int> seen;
            job.run(quiet_progress, [&](const block& b) {
                for (int i = 0; i < 4; ++i) seen.push_back(b.valid(in, 0)[i] != 0);
                CHECK(b.all_valid(in) == !missing);
            });
            CHECK(seen == (missing ? std::vector{1, 0, 0, 1} : std::vector{1, 1, 1, 1}));
            CHECK(job.met_infinite() == missing);
        }
    }
    // One that is nodata is not met.
    const auto declared = rasters::make({{{1, inf}}}, {.type = GDT_Float32, .nodata = inf});
    block_job job;
    job.infinite_missing = true;
    job.read(*declared->GetRasterBand(1), GDT_Float32);
    job.run(quiet_progress, [](const block&) {});
    CHECK_FALSE(job.met_infinite());
}

TEST_CASE("a range of numbers has the same cells in every type") {
    using gdalmcp::gdal::cells_in;
    constexpr double huge = 1e300, infinity = std::numeric_limits<double>::infinity();
    CHECK(cells_in<std::uint8_t>({-9999, -9999}) == std::pair<std::uint8_t, std::uint8_t>{1, 0});  // none
    CHECK(cells_in<std::uint8_t>({254.5, huge}) == std::pair<std::uint8_t, std::uint8_t>{255, 255});
    CHECK(cells_in<std::int16_t>({-0.5, 0.5}) == std::pair<std::int16_t, std::int16_t>{0, 0});
    CHECK(cells_in<std::int16_t>({0.25, 0.75}) == std::pair<std::int16_t, std::int16_t>{1, 0});
    CHECK(cells_in<std::uint32_t>({-infinity, infinity}) == std::pair{0U, 4294967295U});
    const auto [low, high] = cells_in<float>({0.1, 0.1});  // 0.1f is above it
    CHECK(low > high);
    CHECK(cells_in<float>({0.1, 0.2}) == std::pair{0.1F, std::nextafter(0.2F, 0.0F)});
    CHECK(cells_in<float>({huge, infinity}).first == std::numeric_limits<float>::infinity());
    CHECK(cells_in<double>({1, 0}) == std::pair{1.0, 0.0});
}
