#pragma once

#include <cstdint>
#include <vector>

#include "collectives/spec/collective_spec.hpp"

/// What nccl-tests measured on one server below 1 MiB: microseconds at 512 B, 1 KiB ... 512 KiB (as
/// nccl-tests counts them), medians of several runs of threads of one process, 40 warm-ups and 100
/// to 1000 calls back to back, out of place, NCCL 2.29.2 (A100 2.27.3). "~": the slowest of its own
/// runs took over 1.3 times as long as the fastest. Facts from the systems data of
/// github.com/ai-dynamo/aiconfigurator, commit 095f58a, Apache-2.0.
namespace weft::testing {

struct SmallRow {
  const char* system;
  collectives::Operation operation;
  const char* type;  ///< of elements
  std::uint32_t ranks;
  const char* microseconds;
};

namespace nccl_small {
using collectives::Operation;
// clang-format off
inline const std::vector<SmallRow> kTable = {
    {"A100-SXM4", Operation::kAllGather, "half", 2, "8.98 9.08 9.06 9.37 10.47 11.43 11.97 12.52 12.37 13.57 15.61"},
    {"A100-SXM4", Operation::kAllGather, "half", 4, "10.76 10.77 11.03 11.02 11.84 13.88 15.08 15.38 15.52 15.88 18.61"},
    {"A100-SXM4", Operation::kAllGather, "half", 8, "15.56 14.98 14.8 14.65 14.58 15.83 19.51 21.15 20.91 20.99 21.93"},
    {"A100-SXM4", Operation::kAllGather, "int8", 2, "9.01 9.08 9.14 9.3 10.47 11.64 12.1 12.34 12.49 13.48 15.89"},
    {"A100-SXM4", Operation::kAllGather, "int8", 4, "10.81 10.87 10.9 11.33 11.71 13.6 15.03 15.34 15.64 15.74 18.31"},
    {"A100-SXM4", Operation::kAllGather, "int8", 8, "15.51 14.62 14.99 14.8 14.96 15.77 19.57 20.75 20.98 20.77 22.05"},
    {"A100-SXM4", Operation::kAllReduce, "half", 2, "9.98 10.05 10 10.22 10.97 12.75 12.78 12.97 13.45 15.26 19.37"},
    {"A100-SXM4", Operation::kAllReduce, "half", 4, "14.54 13.86 14.17 14.3 14.68 16.28 17.37 17.8 17.8 18.15 22.93"},
    {"A100-SXM4", Operation::kAllReduce, "half", 8, "22.57 21.77 21.53 21.43 21.27 22.55 25.96 28.06 27.41 27.5 30.08"},
    {"A100-SXM4", Operation::kAllReduce, "int8", 2, "9.91 10.03 10.02 10.38 11.67 13.17 13.49 13.5 13.91 16.25 20.2"},
    {"A100-SXM4", Operation::kAllReduce, "int8", 4, "14.38 14.23 13.96 14.49 15.22 17.12 18.67 18.9 19.18 19.85 24.86"},
    {"A100-SXM4", Operation::kAllReduce, "int8", 8, "22.64 22.36 21.65 21.31 21.78 23.73 28.62 30.89 30.15 30.26 31.35"},
    {"A100-SXM4", Operation::kAllToAll, "half", 2, "10.52 10.59 10.83 11.09 11.6 12.48 13.87 13.91 14.44 14.71 17.24"},
    {"A100-SXM4", Operation::kAllToAll, "half", 4, "12.43 12.39 12.44 12.4 12.64 13.23 14.11 14.51 14.96 15.67 18.6"},
    {"A100-SXM4", Operation::kAllToAll, "half", 8, "15.82 12.83 12.79 15.64 15.93 12.57 13.27 14.22 16.56 18.4 18.98"},
    {"A100-SXM4", Operation::kAllToAll, "int8", 2, "10.55 10.77 10.86 10.77 11.89 12.44 14.03 14 14.45 14.74 17.38"},
    {"A100-SXM4", Operation::kAllToAll, "int8", 4, "12.89 12.48 12.39 12.79 12.71 13.54 14.18 14.29 14.87 16 18.91"},
    {"A100-SXM4", Operation::kAllToAll, "int8", 8, "13.47 15.98 12.42 12.74 16.3 12.55 13.11 13.96 16.4 17.84 19.88"},
    {"A100-SXM4", Operation::kReduceScatter, "half", 2, "8.9 9.04 9.03 9.41 9.88 11.23 11.54 11.75 11.97 13.02 15.23"},
    {"A100-SXM4", Operation::kReduceScatter, "half", 8, "15.58 15.25 15.02 14.65 14.52 15.1 16.83 18.04 18.16 18.2 19.08"},
    {"A100-SXM4", Operation::kReduceScatter, "int8", 2, "8.89 9.01 9.1 9.22 10.11 11.18 11.74 11.92 11.96 13.17 15.58"},
    {"A100-SXM4", Operation::kReduceScatter, "int8", 8, "15.85 15.28 15.28 14.95 14.91 15.14 16.93 18.75 18.52 18.38 19.22"},
    {"H100-SXM", Operation::kAllGather, "half", 2, "5.37 5.24 5.24 5.59 6.2 6.24 6.34 6.35 6.57 7.6 8.35"},
    {"H100-SXM", Operation::kAllGather, "half", 4, "7.14 7.23 7.41 7.35 7.64 8.61 8.63 8.97 9.08 9.17 10.75"},
    {"H100-SXM", Operation::kAllGather, "half", 8, "10.35 10.4 10.75 10.57 10.82 11.19 13.03 13.14 13.42 13.55 13.65"},
    {"H100-SXM", Operation::kAllGather, "int8", 2, "6.01 5.96 5.23 5.43 6.05 6.38 6.27 6.32 6.64 7.34 8.3"},
    {"H100-SXM", Operation::kAllGather, "int8", 4, "7.3~ 7.23 7.23 7.48 7.68 8.54 8.72 8.98 9.12 9.17 10.74"},
    {"H100-SXM", Operation::kAllGather, "int8", 8, "10.4 10.45 10.51 10.54 10.77 11.3 13.02 13.07 13.38 13.46 13.59"},
    {"H100-SXM", Operation::kAllReduce, "half", 2, "6.18 6.36 6.32 6.46 6.77 7.27 7.33 7.3 7.7 8.81 10.7"},
    {"H100-SXM", Operation::kAllReduce, "half", 4, "9.46 9.45 9.8 9.91 10.07 10.96 11.15 11.44 11.52 11.76 14.61"},
    {"H100-SXM", Operation::kAllReduce, "half", 8, "15.55 15.62 15.75 15.97 16.35 16.69 18.44 18.68 19.01 19.15 19.59"},
    {"H100-SXM", Operation::kAllReduce, "int8", 2, "6.42 6.46 6.59 6.63 7.41 7.59 7.56 7.84 8.04 9.52 11.71"},
    {"H100-SXM", Operation::kAllReduce, "int8", 4, "9.69 9.7 9.7 9.83 10.18 11.67 11.77 11.99 12.09 12.46 15.79"},
    {"H100-SXM", Operation::kAllReduce, "int8", 8, "15.57 15.75 15.99 16.14 16.41 16.99 20.16 20.07 20.41 20.61 20.94"},
    {"H100-SXM", Operation::kAllToAll, "half", 2, "6.37 6.25 6.49 6.59 7.19 7.95 9.13 11.77 13.92 14.29 14.49"},
    {"H100-SXM", Operation::kAllToAll, "half", 4, "6.71 6.84~ 7 6.87 7.06 7.49 8.61 9.63 12.52 14.34 14.8"},
    {"H100-SXM", Operation::kAllToAll, "half", 8, "7.76 8.13~ 7.96~ 7.52 7.53 7.25~ 9.95~ 8.71~ 9.8 13.03 14.95"},
    {"H100-SXM", Operation::kAllToAll, "int8", 2, "6.24 6.49 6.59 6.57 7.27 7.99 9.2 11.76 13.83 14.11 14.47"},
    {"H100-SXM", Operation::kAllToAll, "int8", 4, "6.69 9.14~ 6.87 7.97~ 6.71 7.48 8.24 9.68 12.59 14.49 14.78"},
    {"H100-SXM", Operation::kAllToAll, "int8", 8, "7.23~ 7.18 7.23~ 9.3~ 9.1~ 10.97~ 11.04~ 8.25~ 9.81 13.18 14.92"},
    {"H100-SXM", Operation::kReduceScatter, "half", 2, "6.07 5.14 5.35 5.64 5.96 5.99 6.19 6.28 6.34 7.32 8.34"},
    {"H100-SXM", Operation::kReduceScatter, "half", 8, "10.24 10.39 10.47 10.58 10.74 11.05 11.53 11.71 12.02 12.06 12.4"},
    {"H100-SXM", Operation::kReduceScatter, "int8", 2, "5.2 5.47 5.53 5.65 6.12 6.16 6.59 6.56 6.86 7.64 8.44"},
    {"H100-SXM", Operation::kReduceScatter, "int8", 8, "10.36 10.46 10.59 10.69 10.75 11.08 11.7 11.78 12.04 12.27 12.48"},
    {"H200-SXM", Operation::kAllGather, "half", 2, "5.24 5.55 5.24 5.38 5.94 5.89 6 6.26 6.43 7.1 8.21"},
    {"H200-SXM", Operation::kAllGather, "half", 4, "6.95 7.14 7.23 7.27 7.39 8.46 8.71 8.82 8.87 8.97 10.75"},
    {"H200-SXM", Operation::kAllGather, "half", 8, "10.39 10.93 10.98 11.46 12.31 12.32 15.71 14.52 15.26 15.98 13.41"},
    {"H200-SXM", Operation::kAllGather, "int8", 2, "5.23 5.09 5.2 5.32 5.88 5.97 5.98 6.28 6.25 7.21 8.29"},
    {"H200-SXM", Operation::kAllGather, "int8", 4, "7.1 7.08 7.19 7.26 7.59 8.6 8.57 8.88 8.98 9.04 10.65"},
    {"H200-SXM", Operation::kAllGather, "int8", 8, "12.05 10.98 11.35 12.02 10.59 11.78 13.52 14.41 13.83 15.53 17.23~"},
    {"H200-SXM", Operation::kAllReduce, "half", 2, "6.01 6.01 6.17 6.5 6.93 7.11 7.01 7.31 7.39 8.58 10.36"},
    {"H200-SXM", Operation::kAllReduce, "half", 4, "9.4 9.56 9.76 9.7 9.96 10.84 11.23 11.23 11.39 11.52 14.43"},
    {"H200-SXM", Operation::kAllReduce, "half", 8, "16.24 16.45 16.59 16.57 16.79 17.52 20.37 19.29 20.13 19.67 19.86"},
    {"H200-SXM", Operation::kAllReduce, "int8", 2, "6.16 6.25 6.29 6.51 7.34 7.54 7.46 7.68 7.79 9.19 11.16"},
    {"H200-SXM", Operation::kAllReduce, "int8", 4, "9.39 9.46 9.57 9.79 10.09 11.52 11.84 12.03 12.11 12.45 15.5"},
    {"H200-SXM", Operation::kAllReduce, "int8", 8, "15.41 15.53 15.87 17.49 17.97 17.56 21.62 21.92 21.48 20.62 20.76"},
    {"H200-SXM", Operation::kAllToAll, "half", 2, "6.43 6.56 6.62 6.52 7.22 7.98 9.32 11.19 13.14 13.37 13.73"},
    {"H200-SXM", Operation::kAllToAll, "half", 4, "17.56~ 6.59 18.52~ 6.79 6.84 7.5 8.21 9.68 11.73 13.48 13.5"},
    {"H200-SXM", Operation::kAllToAll, "half", 8, "9.5 8.96 9.65 11.02 8.47 8.21 10.32 10.38 11.61 14.38 15.92"},
    {"H200-SXM", Operation::kAllToAll, "int8", 2, "6.56 6.6 6.52 6.76 7.26 7.78 9.27 11.34 13.12 13.34 13.68"},
    {"H200-SXM", Operation::kAllToAll, "int8", 4, "6.5 6.55 6.54 6.75 6.86 7.44 8.71 9.56 14.11~ 13.62 13.54"},
    {"H200-SXM", Operation::kAllToAll, "int8", 8, "10.61 9.86~ 10.52 13.02~ 12.73 9.79~ 10.22 10.32 10.36 12.68 14.77"},
    {"H200-SXM", Operation::kReduceScatter, "half", 2, "5.22 5.25 5.25 5.25 5.62 6.15 5.89 5.94 6.18 7.11 8.11"},
    {"H200-SXM", Operation::kReduceScatter, "half", 8, "11.14 10.93 10.43 10.93 11.54 11.14 13.41 13.49 13.37 13.68 12.52"},
    {"H200-SXM", Operation::kReduceScatter, "int8", 2, "5.02 5.1 5.2 5.36 5.97 6.14 6.27 6.42 6.51 7.41 8.23"},
    {"H200-SXM", Operation::kReduceScatter, "int8", 8, "12.21 11.43 10.45 12.04 10.67 12.33 14.11 13.25 11.95 12.4 12.36"},
    {"B200-SXM", Operation::kAllGather, "half", 2, "8.03 8.07 8.03 8.11 8.55 8.98 9.32 9.55 9.88 9.96 10.82"},
    {"B200-SXM", Operation::kAllGather, "half", 4, "10.93 10.7 10.68 10.85 11.06 11.55 12.2 12.43 12.68~ 13.06 13.19~"},
    {"B200-SXM", Operation::kAllGather, "half", 8, "15.92 16 17.77 17.73 16.94 17.59 17.37 19.31 18.94 18.43 19.2"},
    {"B200-SXM", Operation::kAllGather, "int8", 2, "7.95 8.11 8.19 8.22 8.54 8.88 9.11 9.71 9.86 10.04 10.79"},
    {"B200-SXM", Operation::kAllGather, "int8", 4, "10.59 10.75 10.65 10.89 10.88 11.62 12.14 12.45 12.53 12.9 13.09"},
    {"B200-SXM", Operation::kAllGather, "int8", 8, "16.15 15.84 16.14 17.1 17.56 17.26 18.38 19.44 18.88 19.37 18.77"},
    {"B200-SXM", Operation::kAllReduce, "half", 2, "9.2 9.39 9.41 9.61 10.03 10.53 10.51 10.84 11.16 11.07 12.23"},
    {"B200-SXM", Operation::kAllReduce, "half", 4, "14.41 14.58 14.56 14.79 15.27 15.79 16.12 16.38 16.93 17.07 16.91"},
    {"B200-SXM", Operation::kAllReduce, "half", 8, "25.49 25.2 26.06 25.66 26.05 27.2 27.76 28.96 28.89 29.04 29.32"},
    {"B200-SXM", Operation::kAllReduce, "int8", 2, "9.27 9.39 9.38 9.55 10.21 10.46 10.75 10.79 10.96 11.14 12.3"},
    {"B200-SXM", Operation::kAllReduce, "int8", 4, "14.56 14.58 14.98 14.83 15.05 15.69 16.67 16.87 17.15 17.36 16.95"},
    {"B200-SXM", Operation::kAllReduce, "int8", 8, "25.59 26.62 26.32 25.69 25.96 27.02 27.14 28.41 28.3 28.98 29.22"},
    {"B200-SXM", Operation::kAllToAll, "half", 2, "8.92 8.76 9.04 8.67 9.29 10.1 11.27 13.44 15.42 16.56 16.6"},
    {"B200-SXM", Operation::kAllToAll, "half", 4, "9.98 9.96 10.09 10.13 10.23 10.52 11.28 12.51 15.66 16.97 17.37"},
    {"B200-SXM", Operation::kAllToAll, "half", 8, "10.57~ 10.66 12 12.77 10.68 11.36 11.44 12.62 13.79 16.78 17.91"},
    {"B200-SXM", Operation::kAllToAll, "int8", 2, "8.81 8.87 8.9 8.81 9.31 9.89 11.36 13.43 15.21 16.34 16.31"},
    {"B200-SXM", Operation::kAllToAll, "int8", 4, "9.82 9.88 9.96 10.04 10.19 10.57 11.17 12.47 14.89 16.73 17.06"},
    {"B200-SXM", Operation::kAllToAll, "int8", 8, "12.04 12.37 11.33 11.39 10.86 10.79 11.29 11.98 14.03 16.43 18.11"},
    {"B200-SXM", Operation::kReduceScatter, "half", 2, "8.09 7.96 8.11 8.09 8.41 9.16 9.16 9.35 9.75 9.71 10.61"},
    {"B200-SXM", Operation::kReduceScatter, "half", 8, "15.79 16.7 16.32 16.49 16.66 17.59 18.8 18.43 18.26 17.99 18.52"},
    {"B200-SXM", Operation::kReduceScatter, "int8", 2, "8.05 7.99 8.16 8.22 8.53 8.74 9.01 9.29 9.64 9.85 10.57"},
    {"B200-SXM", Operation::kReduceScatter, "int8", 8, "17.55 16.7 17.38 16.45 16.52 18.27 17.35 19.4 18.89 19.11 18.28"},
    {"GB200", Operation::kAllGather, "half", 2, "8.93 8.97 9.14 9.34 9.61 9.9 10.02 10.32 10.4 10.38 11.29"},
    {"GB200", Operation::kAllGather, "half", 4, "11.62 11.75 11.77 11.9 11.98 12.62 12.89 13.2 13.28 13.46 13.54"},
    {"GB200", Operation::kAllGather, "int8", 2, "8.94 9.12 9.13 9.34 9.56 9.98 10.12 10.35 10.41 10.45 11.37"},
    {"GB200", Operation::kAllGather, "int8", 4, "11.62 11.68 11.71 11.91 12.02 12.62 12.88 13.21 13.3 13.5 13.6"},
    {"GB200", Operation::kAllReduce, "half", 2, "10.77 10.68 10.84 10.84 11.09 11.16 11.17 11.3 11.71 11.78 12.62"},
    {"GB200", Operation::kAllReduce, "half", 4, "15.91 15.94 16.04 16.09 16.35 16.8 17.1 17.41 17.39 17.52 17.76"},
    {"GB200", Operation::kAllReduce, "int8", 2, "10.62 10.69 10.77 10.84 11.11 11.26 11.45 11.5 11.73 11.85 12.71"},
    {"GB200", Operation::kAllReduce, "int8", 4, "15.73 15.89 16.02 16.17 16.36 16.86 17.26 17.56 17.52 17.63 17.88"},
    {"GB200", Operation::kAllToAll, "half", 2, "9.83 9.79 9.81 9.96 10.29 11.02 12.32 14.47 16.02 17.04 17.43"},
    {"GB200", Operation::kAllToAll, "half", 4, "10.67 10.67 10.7 10.73 10.81 11.11 11.89 13.07 15.64 17.29 17.79"},
    {"GB200", Operation::kAllToAll, "int8", 2, "9.75 9.82 9.79 9.99 10.21 11.04 12.31 14.42 16.07 17.13 17.36"},
    {"GB200", Operation::kAllToAll, "int8", 4, "10.71 10.68 10.73 10.71 10.82 11.09 11.84 13.01 15.73 17.37 17.74"},
    {"GB200", Operation::kReduceScatter, "half", 2, "9.11 9.14 9.24 9.32 9.39 9.75 9.95 10.25 10.25 10.34 10.91"},
    {"GB200", Operation::kReduceScatter, "int8", 2, "9.11 9.16 9.21 9.29 9.55 9.78 9.94 10.2 10.36 10.36 10.97"},
};
// clang-format on
}  // namespace nccl_small

inline const std::vector<SmallRow>& small_table() { return nccl_small::kTable; }

}  // namespace weft::testing
