#pragma once

#include <cstdint>

/// Numbers of the fields of Perfetto's format that weft writes and reads, as in Perfetto's
/// repository, below protos/perfetto/trace.
namespace weft::scenarios::perfetto {

// trace.proto, Trace
inline constexpr std::uint32_t kPacket = 1;

// trace_packet.proto, TracePacket
inline constexpr std::uint32_t kTimestamp = 8;  // nanoseconds
inline constexpr std::uint32_t kSequenceId = 10;
inline constexpr std::uint32_t kTrackEvent = 11;
inline constexpr std::uint32_t kInternedData = 12;
inline constexpr std::uint32_t kSequenceFlags = 13;
inline constexpr std::uint32_t kTrackDescriptor = 60;
// ... SequenceFlags
inline constexpr std::uint32_t kStateCleared = 1;
inline constexpr std::uint32_t kNeedsState = 2;

// interned_data/interned_data.proto, InternedData; its entries are a number (1) and a text (2)
inline constexpr std::uint32_t kEventCategories = 1;
inline constexpr std::uint32_t kEventNames = 2;
inline constexpr std::uint32_t kAnnotationNames = 3;
inline constexpr std::uint32_t kAnnotationTexts = 29;
inline constexpr std::uint32_t kInternedNumber = 1;
inline constexpr std::uint32_t kInternedText = 2;

// track_event/track_descriptor.proto, TrackDescriptor
inline constexpr std::uint32_t kUuid = 1;
inline constexpr std::uint32_t kTrackName = 2;
inline constexpr std::uint32_t kProcess = 3;
inline constexpr std::uint32_t kThread = 4;
inline constexpr std::uint32_t kParentUuid = 5;
inline constexpr std::uint32_t kCounter = 8;
// track_event/process_descriptor.proto, ProcessDescriptor
inline constexpr std::uint32_t kPid = 1;
inline constexpr std::uint32_t kProcessName = 6;
// track_event/thread_descriptor.proto, ThreadDescriptor, whose field 1 is the process, too
inline constexpr std::uint32_t kTid = 2;
inline constexpr std::uint32_t kThreadName = 5;
// track_event/counter_descriptor.proto, CounterDescriptor
inline constexpr std::uint32_t kUnit = 3;
inline constexpr std::int32_t kUnitCount = 2;
inline constexpr std::int32_t kUnitBytes = 3;

// track_event/track_event.proto, TrackEvent
inline constexpr std::uint32_t kCategoryIids = 3;
inline constexpr std::uint32_t kDebugAnnotations = 4;
inline constexpr std::uint32_t kType = 9;
inline constexpr std::uint32_t kNameIid = 10;
inline constexpr std::uint32_t kTrackUuid = 11;
inline constexpr std::uint32_t kCounterValue = 30;
inline constexpr std::uint32_t kFlowIds = 47;
inline constexpr std::uint32_t kTerminatingFlowIds = 48;
// ... Type
inline constexpr std::uint32_t kSliceBegin = 1;
inline constexpr std::uint32_t kSliceEnd = 2;
inline constexpr std::uint32_t kInstant = 3;
inline constexpr std::uint32_t kCounterType = 4;

// track_event/debug_annotation.proto, DebugAnnotation
inline constexpr std::uint32_t kAnnotationNameIid = 1;
inline constexpr std::uint32_t kIntValue = 4;
inline constexpr std::uint32_t kStringValueIid = 17;

}  // namespace weft::scenarios::perfetto
