#include "kernels/executor/access_history.h"

namespace emberline::metal_sim {

bool BarrierClock::begin_dispatch() {
  const bool again = now_ > ~Time{0} / 2;
  if (again) *this = {};
  dispatch_began_ = ++now_;
  return again;
}

bool BarrierClock::ordered(Time epoch, Time now, Time simdgroup_epoch, std::uint32_t thread,
                           Access access) const {
  if (epoch < threadgroup_began_) return false;
  if (epoch != now || thread == access.thread) return true;
  return thread / kSimdWidth == access.simdgroup && simdgroup_epoch != simdgroup_epochs_[access.simdgroup];
}

// What another threadgroup did is kept as masks, before this one's threads take its place.
void WordHistory::keep_foreign(const BarrierClock& clock) {
  if (written_ != 0 && written_in_ < clock.threadgroup_began()) {
    if (!written_atomically_) foreign_written_ |= written_;
    written_ = 0;
  }
  if (read_ != 0 && read_in_ < clock.threadgroup_began()) {
    foreign_read_ |= read_;
    read_ = 0;
  }
}

bool WordHistory::races_with_reader(std::uint8_t mask, Access access, const BarrierClock& clock) const {
  if ((foreign_read_ & mask) != 0) return true;
  if ((read_ & mask) == 0 || read_in_ != clock.load_epoch() || mixed_readers_) return false;
  // Of several readers only the last is known: if that is the writer itself, take another lane of its
  // simdgroup.
  const bool own = several_readers_ && reader_ == access.thread;
  const std::uint32_t reader = own ? access.thread ^ 1u : reader_;
  return several_simdgroups_read_ || !clock.loaded_before(read_in_, read_in_simdgroup_, reader, access);
}

void WordHistory::note_store(std::uint8_t mask, Access access, const BarrierClock& clock) {
  if (written_in_ != clock.epoch() || writer_ != access.thread) written_ = 0;
  written_ |= mask;
  initialised_ |= mask;
  written_in_ = clock.epoch();
  written_in_simdgroup_ = clock.simdgroup_epoch(access.simdgroup);
  writer_ = static_cast<std::uint16_t>(access.thread);
  written_atomically_ = access.atomic;
}

void WordHistory::note_load(std::uint8_t mask, Access access, const BarrierClock& clock) {
  if (read_in_ != clock.load_epoch() || read_ == 0) {
    several_readers_ = several_simdgroups_read_ = mixed_readers_ = false;
    read_ = 0;
  } else if (reader_ != access.thread) {
    several_readers_ = true;
    if (read_ != mask) mixed_readers_ = true;
    if (reader_ / kSimdWidth != access.simdgroup) several_simdgroups_read_ = true;
  }
  read_ |= mask;
  read_in_ = clock.load_epoch();
  read_in_simdgroup_ = clock.simdgroup_epoch(access.simdgroup);
  reader_ = static_cast<std::uint16_t>(access.thread);
}

Finding WordHistory::note(std::uint8_t mask, Access access, const BarrierClock& clock, Time since,
                          std::uint32_t& other) {
  if (since_ != since) {
    *this = {};
    since_ = since;
  }
  keep_foreign(clock);
  other = writer_;
  if ((foreign_written_ & mask) != 0) return Finding::kRace;
  const bool plain = !(access.atomic && written_atomically_);
  if ((written_ & mask) != 0 && plain &&
      !clock.stored_before(written_in_, written_in_simdgroup_, writer_, access)) {
    return Finding::kRace;
  }
  if (access.store) {
    other = reader_;
    if (races_with_reader(mask, access, clock)) return Finding::kRace;
    note_store(mask, access, clock);
  } else if (!access
                  .atomic) {  // an atomic load would race with plain stores alone, and those it has just met
    note_load(mask, access, clock);
  }
  return Finding::kNone;
}

}  // namespace emberline::metal_sim
