// What happened between host and GPU, in order.
#pragma once

#include <cstdint>
#include <vector>

namespace emberline::metal_sim {

enum class EventKind {
  kSubmit,     // commit
  kStart,      // the GPU begins with it
  kComplete,   // the GPU is through with it, well or not
  kWaitBegin,  // a host thread calls waitUntilCompleted
  kWaitEnd,
};

struct Event {
  EventKind kind;
  std::uint64_t submission;  // counts command buffers in the order of their commits, from 1
  friend bool operator==(const Event&, const Event&) = default;
};

// Since the last reset.
std::vector<Event> events();

// -- for the stand-ins
std::uint64_t next_submission();
void record_event(EventKind kind, std::uint64_t submission);

}  // namespace emberline::metal_sim
