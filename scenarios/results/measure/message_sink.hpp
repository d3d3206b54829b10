#pragma once

#include <functional>

namespace weft::scenarios {

struct MessageResult;

/// Takes the messages that were posted since the measurement began: by the time when they were
/// over, then those that never were.
using MessageSink = std::function<void(const MessageResult&)>;

}  // namespace weft::scenarios
