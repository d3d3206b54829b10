#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "simcore/text/quoted.hpp"
#include "simcore/text/range_text.hpp"
#include "tools/import/cables/netbox.hpp"
#include "tools/import/cables/netbox_words.hpp"
#include "tools/import/parse/data_node.hpp"

namespace weft::import {
namespace {

class NetboxApiReader {
 public:
  explicit NetboxApiReader(Reading& reading) : reading_(reading), cables_(reading, "line") {}

  std::string read(const DataNode& root) {
    if (root.is_list()) {
      for (const DataNode& page : root.items) read_page(page);
    } else {
      read_page(root);
    }
    const std::string next(next_.value_or(""));
    if (!next.empty()) {
      reading_.error({}, fmt::format("more pages follow ({}): give them too, as a list of pages",
                                     backquoted(next)));
    } else if (count_ && *count_ != results_) {
      reading_.error({}, fmt::format("count says {} cables, and {} are here: pages are missing",
                                     *count_, results_));
    }
    return cables_.finish();
  }

 private:
  void read_page(const DataNode& page) {
    const DataNode* const results = page.find("results");
    if (results == nullptr || !results->is_list()) {
      reading_.error(page.where(reading_.file), "no list `results`: a page of the API expected");
      return;
    }
    next_ = page.scalar("next");
    if (const auto count = page.scalar("count")) {
      const std::optional<std::uint64_t> said = parse_unsigned(*count);
      if (!said || (count_ && *count_ != *said)) {
        reading_.error(page.where(reading_.file, "count"),
                       "count is no number, or not that of the other pages");
      }
      count_ = said.value_or(0);
    }
    for (const DataNode& cable : results->items) read_cable(cable);
  }

  struct ApiEnd {
    std::string_view device, port, kind;
  };

  std::optional<ApiEnd> read_end(const DataNode& cable, const char* side) {
    const DataNode* const list = cable.find(side);
    if (list == nullptr || !list->is_list() || list->items.empty()) return ApiEnd{};
    if (list->items.size() > 1) {
      reading_.error(
          list->where(reading_.file, side),
          fmt::format("cable {} ends in several ports: weft reads one cable per pair", results_));
      return std::nullopt;
    }
    const DataNode& end = list->items.front();
    const DataNode* const object = end.find("object");
    const DataNode* const device = object == nullptr ? nullptr : object->find("device");
    if (device == nullptr) return ApiEnd{"", "", end.scalar("object_type").value_or("")};
    return ApiEnd{device->scalar("name").value_or(""), object->scalar("name").value_or(""),
                  end.scalar("object_type").value_or("")};
  }

  /// `{"value": "connected", "label": "Connected"}`, or the value itself.
  static std::string_view choice(const DataNode& cable, std::string_view key) {
    const DataNode* const found = cable.find(key);
    if (found == nullptr) return {};
    return found->is_map() ? found->scalar("value").value_or("") : cable.scalar(key).value_or("");
  }

  void read_cable(const DataNode& node) {
    ++results_;
    const auto a = read_end(node, "a_terminations");
    const auto b = read_end(node, "b_terminations");
    if (!a || !b) return;
    for (const std::string& key : node.keys) {
      static const std::vector<std::string> known{"id",
                                                  "url",
                                                  "display_url",
                                                  "display",
                                                  "type",
                                                  "a_terminations",
                                                  "status",
                                                  "tags",
                                                  "tenant",
                                                  "label",
                                                  "b_terminations",
                                                  "color",
                                                  "length",
                                                  "description",
                                                  "comments",
                                                  "custom_fields",
                                                  "created",
                                                  "last_updated",
                                                  "length_unit",
                                                  "profile"};
      if (std::ranges::find(known, key) == known.end()) {
        reading_.unknown("key", key, node.where(reading_.file), known);
      }
    }
    NetboxCable cable;
    cable.device_a = a->device;
    cable.port_a = a->port;
    cable.kind_a = a->kind;
    cable.device_b = b->device;
    cable.port_b = b->port;
    cable.kind_b = b->kind;
    cable.type = choice(node, "type");
    cable.status = choice(node, "status");
    cable.length = choice(node, "length");
    cable.length_unit = choice(node, "length_unit");
    cable.what = fmt::format("cable {}", results_);
    cable.where = node.where(reading_.file, fmt::format("results[{}]", results_ - 1));
    cables_.add(cable);
  }

  Reading& reading_;
  NetboxCables cables_;
  std::size_t results_ = 0;
  std::optional<std::uint64_t> count_;
  std::optional<std::string_view> next_;
};

}  // namespace

std::optional<std::string_view> recognise_netbox_api(const InputFile& file) {
  if (!looks_like_json(file) || file.text().find("\"a_terminations\"") == std::string_view::npos) {
    return std::nullopt;
  }
  return "its key `a_terminations`";
}

void read_netbox_api(const InputFile& file, Description& description) {
  Reading reading(file, description);
  std::string contents;
  if (const Result<DataNode> root = parse_json_text(file); root.ok()) {
    contents = NetboxApiReader(reading).read(root.value());
  } else {
    reading.error(root.errors().front().where, root.errors().front().message);
  }
  reading.finish("NetBox API, cables", contents);
}

}  // namespace weft::import
