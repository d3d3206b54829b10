#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "collectives/jobs/job_type.hpp"
#include "collectives/jobs/verb.hpp"
#include "simcore/base/units.hpp"

namespace weft::collectives {

/// Messages one by one.
struct MessagesSpec {
  struct Message {
    Picoseconds start;  ///< counted from the job's, or from the end of those that it is after
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    Bytes size;
    /// Places in the list of messages that its sender has received, or that are acknowledged to it
    /// (posted, where nothing is), before.
    std::vector<std::uint32_t> after{};
  };
  std::vector<Message> list;
  std::string csv;     ///< the file that the list comes from; empty: it was given
  std::string sha256;  ///< of that file; empty: not checked
  Verb verb = Verb::kWrite;
};

/// The messages of a list, each posted at its start, counted from the job's start: by the rank that
/// has its data, or that reads it. Messages of one rank with the same start are posted in the order
/// of the list. A rank ends when it has received all that the list sends to it. A message that is
/// after others, or that others are after, has a lane of its own.
class MessageList final : public JobProgram {
 public:
  using Spec = MessagesSpec;
  static constexpr bool kIsOpenLoop = false;
  [[nodiscard]] static const char* type_name(const Spec&) { return "messages"; }
  [[nodiscard]] static schema::Object<Spec> schema();
  static void read_files(Spec& spec, JobFiles& files);
  static void check(const Spec& spec, std::uint32_t ranks, Problems& problems);
  [[nodiscard]] static std::uint64_t max_connections(const Spec& spec, std::uint32_t ranks);
  [[nodiscard]] static SendBound bound(const Spec& spec, const BoundSetting& setting);

  MessageList(ProgramSetting setting, MessagesSpec spec);

  [[nodiscard]] std::uint32_t lanes() const override {
    return static_cast<std::uint32_t>(1 + linked_.size());
  }
  [[nodiscard]] bool needs_acknowledgements() const override {
    return setting_.has_acknowledgements;
  }
  [[nodiscard]] std::vector<std::uint32_t> send_peers(LanePlace place) const override;
  [[nodiscard]] std::unique_ptr<StepSource> steps(LanePlace place) const override;

 private:
  static void check_links(const Spec& spec, std::uint32_t ranks, Problems& problems);
  class Source;
  using Message = MessagesSpec::Message;
  /// A message in a lane of its own, by its number less one.
  struct Linked {
    Message message;
    std::vector<std::uint32_t>
        sender_successors{};  ///< lanes of those after it from its own sender
    std::vector<std::uint32_t> receiver_successors{};  ///< the same of its receiver
  };

  /// Takes those that wait, and that are waited for, out of the list.
  void link();
  [[nodiscard]] std::vector<Step> linked_steps(const Linked& linked, std::uint32_t rank) const;

  /// Message numbers [first[rank], first[rank + 1]) of `order` are the rank's.
  struct Index {
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> order;
  };
  [[nodiscard]] Index index_by(std::uint32_t MessagesSpec::Message::*rank) const;

  ProgramSetting setting_;
  MessagesSpec spec_;  ///< in the order of starts
  std::vector<Linked> linked_;
  Index sent_;
  Index received_;
};

}  // namespace weft::collectives
