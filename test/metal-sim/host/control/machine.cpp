#include "host/control/machine.h"

#include <unistd.h>

#include <mutex>

#include "host/control/reset.h"

namespace emberline::metal_sim {
namespace {

struct State {
  std::mutex lock;
  Machine machine;
};

State& state() {
  static auto* const made = new State;
  return *made;
}

}  // namespace

void set_machine(const Machine& machine) {
  const std::lock_guard guard(state().lock);
  state().machine = machine;
}

Machine machine() {
  const std::lock_guard guard(state().lock);
  return state().machine;
}

std::size_t machine_page_bytes() {
  const std::size_t chosen = machine().page_bytes;
  return chosen != 0 ? chosen : static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void reset_machine() {
  set_machine({});
}

}  // namespace emberline::metal_sim
