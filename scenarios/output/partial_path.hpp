#pragma once

#include <filesystem>
#include <string_view>

namespace weft::scenarios {

/// Beside `target`, where a file or folder is made that will take its place: a name of this process
/// that a file system takes if it takes that of the target. Where there is something of that name,
/// say of a process that was killed, it is left alone: the next attempt is another name.
[[nodiscard]] std::filesystem::path partial_path(const std::filesystem::path& target,
                                                 int attempt = 0);

/// Whether `partial_path` gives such names.
[[nodiscard]] bool is_partial_name(std::string_view name);

}  // namespace weft::scenarios
