#include "grammar/automaton/state_space.h"

#include <utility>

#include "grammar/automaton/machine.h"

namespace emberline::grammar {

StateSpace::StateSpace(std::shared_ptr<const Program> program, const StateBounds& bounds)
    : machine_(std::make_unique<Machine>(std::move(program), bounds)) {}

StateSpace::~StateSpace() = default;

const Program& StateSpace::program() const {
  return machine_->program();
}

StateId StateSpace::start() {
  return machine_->start();
}

StateId StateSpace::step(StateId state, unsigned char byte) {
  return machine_->step(state, byte);
}

StateId StateSpace::step(StateId state, std::string_view bytes) {
  for (const char c : bytes) {
    if (state == kDead) break;
    state = machine_->step(state, static_cast<unsigned char>(c));
  }
  return state;
}

bool StateSpace::may_end(StateId state) const {
  return machine_->may_end(state);
}

bool StateSpace::may_go_on(StateId state) const {
  return state != kDead && !machine_->nodes(state).empty();
}

StateId StateSpace::replay(StateId state, std::string_view text) {
  return machine_->replay(state, text);
}

Status StateSpace::status() const {
  return machine_->status();
}

bool StateSpace::crowded() const {
  return machine_->crowded();
}

void StateSpace::start_over(std::span<StateId> kept) {
  machine_->start_over(kept);
}

std::uint64_t StateSpace::epoch() const {
  return machine_->epoch();
}

std::size_t StateSpace::bytes() const {
  return machine_->bytes();
}

std::span<const std::uint32_t> StateSpace::token_sets(StateId state) {
  return machine_->token_sets(state);
}

StateId StateSpace::step_sets(StateId state, const std::function<bool(std::uint32_t set)>& holds) {
  return machine_->step_sets(state, holds);
}

StateId StateSpace::united(StateId a, StateId b) {
  return machine_->united(a, b);
}

}  // namespace emberline::grammar
