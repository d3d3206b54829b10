#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "tools/import/formats.hpp"

/// Reading samples, and saying what was read in a form that can be compared.
namespace weft::import {

inline std::string sample_text(const std::string& name) {
  const auto path = std::filesystem::path(WEFT_SOURCE_DIR) / "tests/operators" / name;
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

inline Description read_text(const std::string& text, const std::string& format = "") {
  Description description;
  const Format* const named = format.empty() ? nullptr : find_format(format);
  EXPECT_TRUE(format.empty() || named != nullptr) << format;
  read_file(InputFile("sample", text), named, description);
  return description;
}

inline Description read_sample(const std::string& name) { return read_text(sample_text(name)); }

inline std::string remarks_text(const Description& description) {
  std::string text;
  for (const Remark& remark : description.remarks) text += remark.to_string() + "\n";
  return text;
}

template <class T>
std::string stated_text(const std::optional<Stated<T>>& stated) {
  if (!stated) return "-";
  if constexpr (std::is_same_v<T, std::string>) {
    return stated->value;
  } else {
    return std::to_string(stated->value.count());
  }
}

inline std::string end_text(const PortName& port) {
  return port.device + ":" + port.port + (port.may_be_alias ? "?" : "");
}

inline std::string cable_text(const Cable& cable) {
  std::string a = end_text(cable.a);
  std::string b = end_text(cable.b);
  if (b < a) std::swap(a, b);
  return fmt::format("cable {} {} {} {} {} {}\n", a, b, stated_text(cable.rate),
                     stated_text(cable.length), stated_text(cable.medium),
                     stated_text(cable.full_rate));
}

inline std::string server_text(const Server& server) {
  std::string text = fmt::format("server {} sockets {} nvswitches {}\n", server.host.value_or("-"),
                                 server.sockets, server.nvswitches);
  for (const ServerNic& nic : server.nics) {
    text +=
        fmt::format("nic {} {} {} {} {} {} {} {} {} {}\n", nic.name, nic.interface.value_or("-"),
                    stated_text(nic.rate), stated_text(nic.pcie), stated_text(nic.full_pcie),
                    nic.bus_id.value_or("-"), nic.part.value_or("-"), nic.guid.value_or(0),
                    nic.is_infiniband.value_or(false), nic.gpu_direct.value_or(false));
  }
  for (const ServerGpu& gpu : server.gpus) {
    text += fmt::format("gpu {} {} {} {}", gpu.compute_capability.value_or(0),
                        gpu.bus_id.value_or("-"), stated_text(gpu.pcie), gpu.nvlinks);
    for (const auto& [nic, path] : gpu.nics) text += fmt::format(" {}={}", nic, int(path));
    text += "\n";
  }
  return text;
}

/// All facts without their places, sorted where their order means nothing.
inline std::string facts_text(const Description& description) {
  std::vector<std::string> parts;
  for (const Server& server : description.servers) parts.push_back(server_text(server));
  for (const Cable& cable : description.cables) parts.push_back(cable_text(cable));
  for (const Device& device : description.devices) {
    parts.push_back(fmt::format("device {} {} {} {}\n", device.name,
                                device.kind ? int(*device.kind) : -1, device.tier.value_or(0),
                                device.part.value_or("-")));
  }
  for (const Placement& placement : description.placements) {
    parts.push_back(
        fmt::format("placed {} {} {}\n", placement.node, placement.group, placement.is_block));
  }
  for (const SwitchParent& parent : description.parents) {
    parts.push_back(fmt::format("parent {} {}\n", parent.child, parent.parent));
  }
  std::ranges::sort(parts);
  std::string text;
  for (const std::string& part : parts) text += part;
  return text;
}

/// Whether there is a remark of that severity whose line, where it is not 0, and words are these.
inline ::testing::AssertionResult says(const Description& description, Severity severity, int line,
                                       std::string_view words) {
  for (const Remark& remark : description.remarks) {
    if (remark.severity != severity || (line != 0 && remark.where.line != line)) continue;
    if (remark.text.find(words) != std::string::npos) return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << "no such remark among\n" << remarks_text(description);
}

}  // namespace weft::import
