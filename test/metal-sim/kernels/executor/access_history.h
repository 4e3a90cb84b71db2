// Who read and wrote four bytes, and whether barriers order them: where they do not, the result depends on
// which thread came first.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/simulator.h"

namespace emberline::metal_sim {

enum class Finding : std::uint8_t { kNone, kUninitialised, kRace, kOverrun };

// A load or store by a thread of the threadgroup that runs.
struct Access {
  std::uint32_t thread, simdgroup;
  bool store, atomic;
};

// The barriers of one kind of memory, as times. One threadgroup runs after the other, so that all threads are
// in the same epoch; an epoch ends with a threadgroup_barrier for that memory, or, for the threads of one
// simdgroup among themselves, a simdgroup_barrier. A load is over at the next threadgroup_barrier for any
// memory: a store behind it cannot change what was loaded.
class BarrierClock {
 public:
  using Time = std::uint32_t;

  // True when times have started again at 0: what was noted before has to be forgotten. That is after 2^31
  // barriers.
  bool begin_dispatch();
  void begin_threadgroup() { epoch_ = load_epoch_ = threadgroup_began_ = ++now_; }
  void barrier(bool for_this_memory) {
    load_epoch_ = ++now_;
    if (for_this_memory) epoch_ = load_epoch_;
  }
  void simdgroup_barrier(std::uint32_t simdgroup) { simdgroup_epochs_[simdgroup] = ++now_; }

  Time dispatch_began() const { return dispatch_began_; }
  Time threadgroup_began() const { return threadgroup_began_; }
  Time epoch() const { return epoch_; }
  Time load_epoch() const { return load_epoch_; }
  Time simdgroup_epoch(std::uint32_t simdgroup) const { return simdgroup_epochs_[simdgroup]; }
  // Whether what `thread` stored in `epoch`, or loaded in load epoch `epoch` (and, of its simdgroup,
  // `simdgroup_epoch`), happened before `access`. Nothing orders threads of different threadgroups.
  bool stored_before(Time epoch, Time simdgroup_epoch, std::uint32_t thread, Access access) const {
    return ordered(epoch, epoch_, simdgroup_epoch, thread, access);
  }
  bool loaded_before(Time epoch, Time simdgroup_epoch, std::uint32_t thread, Access access) const {
    return ordered(epoch, load_epoch_, simdgroup_epoch, thread, access);
  }

 private:
  bool ordered(Time epoch, Time now, Time simdgroup_epoch, std::uint32_t thread, Access access) const;

  Time now_ = 0, epoch_ = 0, load_epoch_ = 0, threadgroup_began_ = 0, dispatch_began_ = 0;
  std::array<Time, kMaxThreadsPerThreadgroup / kSimdWidth> simdgroup_epochs_{};
};

// What is known of four bytes; masks have a bit a byte. Where threads share a word byte by byte, some of it
// is forgotten: races may then go unseen, but none is made up.
class WordHistory {
 public:
  // Notes an access to the bytes of `mask`. `since`: what happened before that time counts no more. `other`
  // is set to the thread that races with it.
  Finding note(std::uint8_t mask, Access access, const BarrierClock& clock, BarrierClock::Time since,
               std::uint32_t& other);
  // Whether the same thread read the same bytes in this epoch, and nobody has written them: most loads are of
  // this kind, and need no further note.
  bool read_before(std::uint8_t mask, Access access, const BarrierClock& clock,
                   BarrierClock::Time since) const {
    return !access.store && since_ == since && read_in_ == clock.load_epoch() && reader_ == access.thread &&
           (read_ & mask) == mask && written_in_ != clock.epoch() && (foreign_written_ & mask) == 0;
  }
  // Whether any thread has written all bytes of `mask`.
  bool initialised(std::uint8_t mask, BarrierClock::Time since) const {
    return since_ == since && (initialised_ & mask) == mask;
  }

 private:
  using Time = BarrierClock::Time;
  void keep_foreign(const BarrierClock& clock);
  bool races_with_reader(std::uint8_t mask, Access access, const BarrierClock& clock) const;
  void note_store(std::uint8_t mask, Access access, const BarrierClock& clock);
  void note_load(std::uint8_t mask, Access access, const BarrierClock& clock);

  Time since_ = 0;
  Time written_in_ = 0, read_in_ = 0;                      // the epochs of the last write and read
  Time written_in_simdgroup_ = 0, read_in_simdgroup_ = 0;  // those of their threads' simdgroups
  std::uint16_t writer_ = 0, reader_ = 0;                  // threads
  std::uint8_t initialised_ = 0, written_ = 0, read_ = 0;
  std::uint8_t foreign_written_ = 0, foreign_read_ = 0;  // by earlier threadgroups, not atomically
  bool several_readers_ : 1 = false;
  bool several_simdgroups_read_ : 1 = false;
  bool mixed_readers_ : 1 = false;  // of different bytes: which of them read what is not known
  bool written_atomically_ : 1 = false;
};

}  // namespace emberline::metal_sim
