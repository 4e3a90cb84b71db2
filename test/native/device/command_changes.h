// Commands made wrong in one place: what tables of refused commands are written with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <type_traits>

#include "device/dispatch_table.h"

namespace emberline::testing {

using Change = std::function<void(Command&)>;

struct ChangedCommand {
  const char* name;
  Change change;
};
using Changes = std::initializer_list<ChangedCommand>;

// Bindings by slot, from the first.
template <typename Params>
Command make_command(Op op, std::initializer_list<Binding> bindings, const Params& params,
                     const Change& change = {}) {
  Command command{};
  command.op = op;
  std::size_t slot = 0;
  for (const Binding& binding : bindings) command.bindings[slot++] = binding;
  command.set_params(params);
  if (change) change(command);
  return command;
}

inline Change bind(int slot, Binding binding) {
  return [=](Command& command) { command.bindings[static_cast<std::size_t>(slot)] = binding; };
}

// A field of the command's parameter block.
template <typename Params, typename Field>
Change with(Field Params::* field, std::type_identity_t<Field> value) {
  return [=](Command& command) {
    Params params = command.get_params<Params>();
    params.*field = value;
    command.set_params(params);
  };
}

inline Change patched(Patch kind) {
  return [=](Command& command) { command.patch = kind; };
}
inline Change not_patched() {
  return patched(Patch::kNone);
}

inline Change both(const Change& first, const Change& second) {
  return [=](Command& command) {
    first(command);
    second(command);
  };
}

}  // namespace emberline::testing
