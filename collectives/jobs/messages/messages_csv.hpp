#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "collectives/jobs/messages/message_list.hpp"
#include "simcore/base/result.hpp"

namespace weft::collectives {

/// The rank on the host of that name; a sentence if there is none.
using RankOnHost = std::function<std::variant<std::uint32_t, std::string>(const std::string& host)>;

/// Reads messages from CSV. The header names the columns, in any order: `start_ps` (or _ns, _us,
/// _ms, _s; or `start`, whose values carry units), `source`, `destination`, `bytes`, and optionally
/// `class`, which must be `traffic_class`, that of the job. Source and destination are ranks of the
/// job, or names of their hosts. Errors name `file`, line and column.
[[nodiscard]] Result<std::vector<MessagesSpec::Message>> parse_messages_csv(
    std::string_view text, const std::string& file, const std::string& traffic_class,
    const RankOnHost& rank_on);

}  // namespace weft::collectives
