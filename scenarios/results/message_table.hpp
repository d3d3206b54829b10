#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <vector>

#include "protocols/network/packet_network.hpp"
#include "simcore/base/ids.hpp"
#include "simcore/base/units.hpp"

namespace weft::scenarios {

/// p50, p99, p999 and max of some quantity.
struct Percentiles {
  double p50 = 0;
  double p99 = 0;
  double p999 = 0;
  double max = 0;
};

/// A row of the table of messages.
struct MessageResult {
  std::uint32_t job = 0;
  std::uint32_t source_rank = 0;
  std::uint32_t destination_rank = 0;
  HostId source;
  HostId destination;
  Bytes bytes;
  Picoseconds start;
  Picoseconds delivered{-1};  ///< -1: never
  Picoseconds completed{-1};  ///< at the sender's last ACK, or delivered for datagrams; -1: never
  Picoseconds ideal;          ///< zero-load time to completion

  [[nodiscard]] bool is_complete() const { return completed >= Picoseconds(0); }
};

/// The messages of a run, by the time when they were over, and then those that never were. There
/// may be many millions of them, so what is the same for all of a connection is kept once, and rows
/// are made when they are asked for.
class MessageTable {
 public:
  /// What all messages of a connection have in common.
  struct Ends {
    std::uint32_t job = 0;
    std::uint32_t source_rank = 0;
    std::uint32_t destination_rank = 0;
    HostId source;
    HostId destination;
    bool is_acknowledged = true;
  };
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = MessageResult;
    Iterator() = default;
    Iterator(const MessageTable& table, std::size_t row) : table_(&table), row_(row) {}
    MessageResult operator*() const { return (*table_)[row_]; }
    Iterator& operator++() {
      ++row_;
      return *this;
    }
    Iterator operator++(int) {
      const Iterator before = *this;
      ++row_;
      return before;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const MessageTable* table_ = nullptr;
    std::size_t row_ = 0;
  };

  MessageTable() = default;
  /// `ends`: by connection. `ideals`: of each message, zero-load time to completion.
  MessageTable(std::vector<Ends> ends, std::vector<protocols::MessageOutcome> outcomes,
               std::vector<Picoseconds> ideals);

  [[nodiscard]] std::size_t size() const { return outcomes_.size(); }
  [[nodiscard]] bool empty() const { return outcomes_.empty(); }
  [[nodiscard]] MessageResult operator[](std::size_t row) const;
  [[nodiscard]] MessageResult at(std::size_t row) const;
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, size()}; }

  /// Of all jobs, or of one.
  [[nodiscard]] std::size_t completed(std::optional<std::uint32_t> job = {}) const;
  /// Completion times in seconds, and their ratios to the zero-load times, of completed messages.
  [[nodiscard]] Percentiles completion_seconds(std::optional<std::uint32_t> job = {}) const;
  [[nodiscard]] Percentiles slowdown(std::optional<std::uint32_t> job = {}) const;

 private:
  template <class Value>
  [[nodiscard]] Percentiles percentiles(std::optional<std::uint32_t> job, Value value) const;

  std::vector<Ends> ends_;
  std::vector<protocols::MessageOutcome> outcomes_;
  std::vector<Picoseconds> ideals_;
};
static_assert(std::forward_iterator<MessageTable::Iterator>);

}  // namespace weft::scenarios
