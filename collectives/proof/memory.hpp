#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "collectives/algorithms/schedule.hpp"
#include "collectives/proof/pieces.hpp"

namespace weft::collectives::proof {

/// How often each rank's contribution is in a piece of data; empty: there is no data.
using Contributions = std::vector<std::uint16_t>;
/// What a range of data is made of: the contributions to each of its pieces.
using Data = std::vector<Contributions>;

/// Adds piece by piece; `sum` may have pieces without data yet.
void add_to(Data& sum, const Data& data);

/// Where a rank keeps data.
enum class Buffer : std::uint8_t {
  kOwn,     ///< what the operation begins with and ends in
  kStaged,  ///< what peers and scale-up switches work on, if copies lie in between
            ///< (Schedule::is_staged)
};

/// What all ranks hold.
class Memory {
 public:
  using Report = std::function<void(std::string)>;

  /// Every rank begins with the input that the operation gives it.
  Memory(const Schedule& schedule, const Pieces& pieces);

  /// Pieces that are not there are empty.
  [[nodiscard]] Data read(std::uint32_t rank, Buffer buffer, std::uint32_t block,
                          Range range) const;
  void store(std::uint32_t rank, Buffer buffer, std::uint32_t block, Range range, const Data& data);
  /// False if there is no data to add to.
  [[nodiscard]] bool add(std::uint32_t rank, Buffer buffer, std::uint32_t block, Range range,
                         const Data& data);
  /// Between a rank's buffers. False if some of it was copied that way before: then the time for it
  /// is spent twice, and what was worked out in between may be lost.
  [[nodiscard]] bool copy(std::uint32_t rank, Buffer to, std::uint32_t block, Range range,
                          const Data& data);
  /// Reports what a rank lacks of what the operation promises.
  void check_output(std::uint32_t rank, const Report& report) const;

 private:
  using Place = std::tuple<Buffer, std::uint32_t, std::int64_t>;  // block, offset

  void put_input(std::uint32_t rank);
  void put(std::uint32_t rank, std::uint32_t block, Range range, const Contributions& data);
  [[nodiscard]] bool is_sum(const Contributions& data) const;
  [[nodiscard]] bool is_only(std::uint32_t source, const Contributions& data) const;
  void expect_sum(std::uint32_t rank, Range range, const Report& report) const;
  void expect_from(std::uint32_t source, std::uint32_t rank, std::uint32_t block, Range range,
                   const Report& report) const;

  const SchedulePlan& plan_;
  const Pieces& pieces_;
  std::vector<std::map<Place, Contributions>> held_;  ///< by rank
  std::vector<std::set<Place>> copied_;               ///< by rank: where to
};

}  // namespace weft::collectives::proof
