#pragma once

#include <string>
#include <vector>

#include "scenarios/columns/column_table.hpp"
#include "scenarios/results/message_statistics.hpp"
#include "scenarios/results/results.hpp"

namespace weft::scenarios {

/// All tables that a run may have, as they are declared, without rows: the one source of what
/// programs and stubs of other languages say of them.
[[nodiscard]] std::vector<ColumnTable> declared_tables();

/// Those that results fill, but for that of messages. `has_pauses`: every pause has a row.
[[nodiscard]] std::vector<ColumnTable> tables_of(const Results& results, bool has_pauses);

/// Collects the messages of a run (MessageSink), which are streamed.
class MessageColumns {
 public:
  /// `jobs`: their names.
  explicit MessageColumns(std::vector<std::string> jobs);
  MessageColumns(const MessageColumns&) = delete;
  MessageColumns& operator=(const MessageColumns&) = delete;

  void add(const MessageResult& message);
  /// Once.
  [[nodiscard]] ColumnTable take();

 private:
  std::vector<std::string> jobs_;
  ColumnTable table_;
  std::vector<ColumnWriter> writers_;
};

}  // namespace weft::scenarios
