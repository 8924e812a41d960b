// The renames by which an output comes to its place, written down before the first: when the host dies among them,
// whoever sweeps its stage does the rest.
#pragma once
#include <sys/types.h>

#include <filesystem>
#include <vector>

#include "base/problem.hpp"

namespace gdalmcp::workspace {

//   publication p{stage_folder};     // every name lies in the stage folder, in its folder "out", or beside the stage
//   p.move(old, aside);
//   p.replace(out / "a.tif", folder / "a.tif");
//   p.carry_out();
class publication {
public:
    explicit publication(std::filesystem::path stage) : stage_{std::move(stage)} {}

    // Plans a rename of a file that is there: `exists` when something is there already, or in place of what is there.
    void move(std::filesystem::path from, std::filesystem::path to);
    void replace(std::filesystem::path from, std::filesystem::path to);

    // Does what was planned, in that order, and flushes the folder. Errors leave everything where it was.
    base::result<void> carry_out() const;

    // Does what is left of the plan in a stage folder whose host has died; nothing where there is none.
    static base::result<void> finish(const std::filesystem::path& stage);

private:
    struct step {
        std::filesystem::path from, to;
        bool replaces;
    };
    std::filesystem::path stage_;
    std::vector<step> steps_;
};

inline constexpr const char* aside_mark = ".aside-";  // in the name of what stood in the place of a record

// fsync(2) of a file or folder, so that it is still there after a power cut.
base::result<void> flush(const std::filesystem::path& p);

}  // namespace gdalmcp::workspace
