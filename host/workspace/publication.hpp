// The renames that publish an output, written down before the first one: if the host dies in between, the host that
// sweeps its stage completes them.
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

    // Plans a rename of an existing file: to a free name (`exists` if it is taken), or in place of an existing file.
    void move(std::filesystem::path from, std::filesystem::path to);
    void replace(std::filesystem::path from, std::filesystem::path to);

    // Carries out the plan in order and flushes the folder. Errors leave every file in its old place.
    base::result<void> carry_out() const;

    // Completes the plan in the stage folder of a dead host; no effect without a plan.
    static base::result<void> finish(const std::filesystem::path& stage);

private:
    struct step {
        std::filesystem::path from, to;
        bool replaces;
    };
    std::filesystem::path stage_;
    std::vector<step> steps_;
};

inline constexpr const char* aside_mark = ".aside-";  // in the name of a file that was in the record's place

// fsync(2) of a file or folder, so that it survives a power cut.
base::result<void> flush(const std::filesystem::path& p);

}  // namespace gdalmcp::workspace
