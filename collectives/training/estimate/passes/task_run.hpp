#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::collectives {

/// What a rank does of a pass, as jobs give it to their streams: each stream does its tasks one
/// after another in the order in which they are added, and a task begins when all that it waits for
/// is over. Exchanges on the same links take turns: each needs them for a share of its time, and
/// where the shares are more than all of it, everything on them takes so much longer.
class TaskRun {
 public:
  enum class Stream : std::uint8_t {
    kCompute,
    kTensor,
    kContext,
    kExpert,
    kExpertRail,
    kExpertDomain,
    kExpertTensor,
  };
  static constexpr std::size_t kStreams = static_cast<std::size_t>(Stream::kExpertTensor) + 1;

  /// Seconds of a task where nobody else uses its links.
  struct Cost {
    double seconds{};
    double share = 1;         ///< of it, while its bytes are on links; the rest is latency
    std::uint32_t links = 0;  ///< by number; 0: it shares none

    [[nodiscard]] bool is_nothing() const { return seconds <= 0; }
  };
  /// How many tasks of each stream have to be over.
  class Waits {
   public:
    Waits& operator+=(const Waits& other) {
      for (std::size_t i = 0; i < kStreams; ++i) {
        if (other.counts_[i] > counts_[i]) counts_[i] = other.counts_[i];
      }
      return *this;
    }

   private:
    friend class TaskRun;
    std::array<std::uint32_t, kStreams> counts_{};
  };

  /// What waits for the task waits for the result.
  Waits add(Stream stream, const Cost& cost, const Waits& after);
  /// The last task that was added to a stream.
  [[nodiscard]] Waits last_of(Stream stream) const;

  struct Outcome {
    double computed{};  ///< seconds until the last task of computation is over
    double tail{};      ///< from then on until the last exchange is
    /// Of `computed`, when nothing is computed, by stream: several at once have equal shares of it.
    std::array<double, kStreams> exposed{};
    Stream last = Stream::kCompute;  ///< that is over last

    [[nodiscard]] double exposed_of(Stream stream) const {
      return exposed[static_cast<std::size_t>(stream)];
    }
  };
  [[nodiscard]] Outcome run() const;

 private:
  struct Task {
    Cost cost;
    Waits after;
  };
  std::array<std::vector<Task>, kStreams> tasks_;
};

}  // namespace weft::collectives
