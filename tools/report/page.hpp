#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "simcore/base/result.hpp"
#include "simcore/fabric/fabric.hpp"
#include "tools/topo/picture.hpp"

/// `weft report`: results as one HTML page that needs nothing else.
namespace weft::report {

/// What the page begins with; by that an earlier page is known as ours.
inline constexpr const char* kFirstLine = "<!DOCTYPE html><!-- weft report -->";

/// Folders of runs, or one of a sweep (or its database), as one JSON text. Nothing in it acts on
/// HTML: every `<` is escaped. `expectations` are verdicts on these runs, an empty list none: of
/// one run they take the place of its own.
[[nodiscard]] Result<std::string> page_data(const std::vector<std::filesystem::path>& folders,
                                            const nlohmann::ordered_json& expectations);

/// A fabric's picture alone, for a page on which it can be zoomed and searched.
[[nodiscard]] std::string topo_page_data(const Fabric& fabric, const topo::PictureOptions& options);

/// What was measured on a cluster beside what is expected of it: a diagnosis as `weft diagnose
/// --json` prints it, and the cluster's fabric, on which the page marks the culprits.
[[nodiscard]] std::string diagnosis_page_data(const nlohmann::ordered_json& diagnosis,
                                              const Fabric& fabric,
                                              const topo::PictureOptions& options);

/// The page around the data: styles and scripts are in it, and it may load nothing.
void write_page(std::ostream& out, const std::string& title, const std::string& data);

}  // namespace weft::report
