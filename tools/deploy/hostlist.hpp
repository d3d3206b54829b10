#pragma once

#include <string>
#include <vector>

/// What a scenario gives back to be deployed: files for schedulers, libraries and switches.
namespace weft::deploy {

/// Names as Slurm lists them, such as `gpu[01-02,07],login`.
[[nodiscard]] std::string hostlist(const std::vector<std::string>& names);

}  // namespace weft::deploy
