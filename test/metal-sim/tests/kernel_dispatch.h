// One dispatch of a small kernel, for the tests of the simulator.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "kernels/guarded_memory.h"
#include "kernels/simulator.h"

namespace emberline::metal_sim {

inline std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

// Compiles, or fails the test with the diagnostics.
inline std::optional<Library> compiled(const std::string& source, bool checked = true) {
  Result<Library> library = compile(source, {.checked = checked});
  EXPECT_TRUE(library.ok()) << library.error().message();
  if (!library.ok()) return std::nullopt;
  return library.value();
}

inline Pipeline pipeline(const Library& library, std::string_view kernel,
                         std::vector<ConstantValue> constants = {}) {
  Result<Pipeline> made = make(library, kernel, constants);
  EXPECT_TRUE(made.ok()) << made.error().message();
  return made.value();
}

template <typename T>
BufferBinding bind(std::vector<T>& values) {
  return {values.data(), values.size() * sizeof(T)};
}

template <typename T>
BufferBinding bind(T& value) {
  return {&value, sizeof value};
}

// Fails the test with the fault, if there is one.
inline void expect_runs(const Dispatch& dispatch, Order order = {}, Counters* counters = nullptr) {
  const std::optional<Fault> fault = run(dispatch, order, counters);
  EXPECT_FALSE(fault.has_value()) << fault_name(fault->kind) << ": " << fault->sentence << " "
                                  << fault->location;
}

inline const std::vector<Order>& three_orders() {
  static const std::vector<Order> orders = {Order::ascending(), Order::descending(), Order::seeded(7)};
  return orders;
}

}  // namespace emberline::metal_sim
