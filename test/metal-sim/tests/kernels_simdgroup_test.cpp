// Simdgroup operations against loops over the lanes.
#include <algorithm>
#include <functional>
#include <numeric>
#include <random>

#include "kernel_dispatch.h"

namespace emberline::metal_sim {
namespace {

// One kernel an operation: out[i] = operation(in[i]), for two simdgroups.
std::string kernels() {
  std::string source = "#include <metal_stdlib>\nusing namespace metal;\n";
  const auto add = [&](const std::string& name, const std::string& type, const std::string& expression) {
    source += "kernel void " + name + "_" + type + "(device " + type + "* out [[buffer(0)]], device const " +
              type +
              "* in [[buffer(1)]], uint i [[thread_position_in_grid]], uint lane "
              "[[thread_index_in_simdgroup]]) { " +
              type + " x = in[i]; out[i] = " + expression + "; }\n";
  };
  for (const char* type : {"float", "int", "uint"}) {
    for (const char* name : {"simd_sum", "simd_max", "simd_min", "simd_prefix_exclusive_sum",
                             "simd_prefix_inclusive_sum", "simd_broadcast_first", "quad_sum", "quad_max"}) {
      add(name, type, std::string(name) + "(x)");
    }
    add("simd_shuffle", type, "simd_shuffle(x, ushort(lane * 7u % 32u))");
    add("simd_shuffle_xor", type, "simd_shuffle_xor(x, 5)");
    add("simd_shuffle_down", type, "simd_shuffle_down(x, 3)");
    add("simd_shuffle_up", type, "simd_shuffle_up(x, 3)");
    add("simd_shuffle_rotate_down", type, "simd_shuffle_rotate_down(x, 3)");
    add("simd_broadcast", type, "simd_broadcast(x, 9)");
    add("vector_sum", type, std::string("simd_sum(") + type + "4(x, x + x, 1, 0)).y");
    add("wide_shuffle", type, std::string("simd_shuffle_xor(") + type + "4(x, x + x, 1, 0), 1).y");
  }
  for (const char* name : {"simd_and", "simd_or", "simd_xor"}) add(name, "uint", std::string(name) + "(x)");
  add("ballot", "uint", "uint(ulong(simd_ballot((x & 1u) != 0u)))");
  add("any", "uint", "uint(simd_any(x == 17u))");
  add("all", "uint", "uint(simd_all(x < 1000u))");
  add("first", "uint", "uint(simd_is_first())");
  add("mask", "uint", "uint(ulong(simd_active_threads_mask()))");
  return source;
}

const Library& library() {
  static const Library compiled_once = *compiled(kernels());
  return compiled_once;
}

template <typename T>
const char* type_name();
template <>
const char* type_name<float>() {
  return "float";
}
template <>
const char* type_name<int>() {
  return "int";
}
template <>
const char* type_name<std::uint32_t>() {
  return "uint";
}

template <typename T>
using Lanes = std::vector<T>;

template <typename T>
class Simdgroup : public testing::Test {
 protected:
  // Small integers, of which sums are exact in any order.
  Lanes<T> values() {
    std::mt19937 random(11);
    Lanes<T> values(64);
    for (T& value : values)
      value = static_cast<T>(static_cast<int>(random() % 100) - (std::is_unsigned_v<T> ? 0 : 50));
    return values;
  }
  // `reference(lanes, lane)` is what lane `lane` should get.
  void expect(const std::string& kernel, const std::function<T(const Lanes<T>&, unsigned)>& reference) {
    for (const Order& order : three_orders()) {
      Lanes<T> in = values(), out(64);
      Dispatch dispatch{.pipeline = pipeline(library(), kernel + "_" + type_name<T>())};
      dispatch.buffers[0] = bind(out);
      dispatch.buffers[1] = bind(in);
      dispatch.threads_per_threadgroup = {64};
      expect_runs(dispatch, order);
      for (unsigned group = 0; group < 2; ++group) {
        const Lanes<T> lanes(in.begin() + group * 32, in.begin() + group * 32 + 32);
        for (unsigned lane = 0; lane < 32; ++lane) {
          ASSERT_EQ(out[group * 32 + lane], reference(lanes, lane)) << kernel << " lane " << lane;
        }
      }
    }
  }
};
using Types = testing::Types<float, int, std::uint32_t>;
TYPED_TEST_SUITE(Simdgroup, Types);

TYPED_TEST(Simdgroup, Reduces) {
  using T = TypeParam;
  const auto sum = [](const Lanes<T>& x, unsigned) { return std::accumulate(x.begin(), x.end(), T{}); };
  this->expect("simd_sum", sum);
  this->expect("simd_max", [](const Lanes<T>& x, unsigned) { return *std::max_element(x.begin(), x.end()); });
  this->expect("simd_min", [](const Lanes<T>& x, unsigned) { return *std::min_element(x.begin(), x.end()); });
  this->expect("vector_sum", [&](const Lanes<T>& x, unsigned) { return static_cast<T>(2 * sum(x, 0)); });
  this->expect("quad_sum", [](const Lanes<T>& x, unsigned lane) {
    return std::accumulate(x.begin() + lane / 4 * 4, x.begin() + lane / 4 * 4 + 4, T{});
  });
  this->expect("quad_max", [](const Lanes<T>& x, unsigned lane) {
    return *std::max_element(x.begin() + lane / 4 * 4, x.begin() + lane / 4 * 4 + 4);
  });
}

TYPED_TEST(Simdgroup, SumsPrefixes) {
  using T = TypeParam;
  this->expect("simd_prefix_exclusive_sum", [](const Lanes<T>& x, unsigned lane) {
    return std::accumulate(x.begin(), x.begin() + lane, T{});
  });
  this->expect("simd_prefix_inclusive_sum", [](const Lanes<T>& x, unsigned lane) {
    return std::accumulate(x.begin(), x.begin() + lane + 1, T{});
  });
}

TYPED_TEST(Simdgroup, Shuffles) {
  using T = TypeParam;
  this->expect("simd_shuffle", [](const Lanes<T>& x, unsigned lane) { return x[lane * 7 % 32]; });
  this->expect("simd_shuffle_xor", [](const Lanes<T>& x, unsigned lane) { return x[lane ^ 5]; });
  this->expect("simd_shuffle_down",
               [](const Lanes<T>& x, unsigned lane) { return x[lane + 3 < 32 ? lane + 3 : lane]; });
  this->expect("simd_shuffle_up",
               [](const Lanes<T>& x, unsigned lane) { return x[lane < 3 ? lane : lane - 3]; });
  this->expect("simd_shuffle_rotate_down",
               [](const Lanes<T>& x, unsigned lane) { return x[(lane + 3) % 32]; });
  this->expect("simd_broadcast", [](const Lanes<T>& x, unsigned) { return x[9]; });
  this->expect("simd_broadcast_first", [](const Lanes<T>& x, unsigned) { return x[0]; });
  this->expect("wide_shuffle",
               [](const Lanes<T>& x, unsigned lane) { return static_cast<T>(2 * x[lane ^ 1]); });
}

using Votes = Simdgroup<std::uint32_t>;
using Words = Lanes<std::uint32_t>;
TEST_F(Votes, AreCounted) {
  const auto fold = [](auto combine) {
    return [combine](const Words& x, unsigned) {
      return std::accumulate(x.begin() + 1, x.end(), x[0], combine);
    };
  };
  expect("simd_and", fold(std::bit_and<>()));
  expect("simd_or", fold(std::bit_or<>()));
  expect("simd_xor", fold(std::bit_xor<>()));
  expect("ballot", [](const Words& x, unsigned) {
    std::uint32_t votes = 0;
    for (unsigned lane = 0; lane < 32; ++lane) votes |= (x[lane] & 1u) << lane;
    return votes;
  });
  expect("any", [](const Words& x, unsigned) { return std::count(x.begin(), x.end(), 17u) != 0 ? 1u : 0u; });
  expect("all", [](const Words&, unsigned) { return 1u; });
  expect("first", [](const Words&, unsigned lane) { return lane == 0 ? 1u : 0u; });
  expect("mask", [](const Words&, unsigned) { return ~0u; });
}

TEST(SimdgroupMatrices, Multiply) {
  const auto matrices = compiled(R"(
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;
kernel void product(device float* d [[buffer(0)]], device const half* a [[buffer(1)]], device const float* b [[buffer(2)]],
                    device const float* c [[buffer(3)]]) {
  simdgroup_half8x8 left;
  simdgroup_float8x8 right, sum;
  simdgroup_load(left, a, 24, ulong2(8, 2));
  simdgroup_load(right, b, 8, 0, true);
  simdgroup_load(sum, c);
  simdgroup_multiply_accumulate(sum, left, right, sum);
  simdgroup_store(sum, d, 16);
  threadgroup float stage[64];
  simdgroup_store(sum, stage, 8, 0, true);
  simdgroup_barrier(mem_flags::mem_threadgroup);
  simdgroup_load(sum, stage);
  simdgroup_store(sum, d + 8, 16);
})");
  ASSERT_TRUE(matrices.has_value());
  std::vector<std::uint16_t> a(24 * 10);
  std::vector<float> a_values(a.size()), b(64), c(64), d(128);
  // The halves of 0, 1, 2 and 3.
  const std::uint16_t halves[] = {0x0000, 0x3C00, 0x4000, 0x4200};
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = halves[i * 5 % 4], a_values[i] = static_cast<float>(i * 5 % 4);
  for (std::size_t i = 0; i < 64; ++i) b[i] = static_cast<float>(i % 7), c[i] = static_cast<float>(i % 5);
  Dispatch dispatch{.pipeline = pipeline(*matrices, "product")};
  dispatch.buffers[0] = bind(d);
  dispatch.buffers[1] = bind(a);
  dispatch.buffers[2] = bind(b);
  dispatch.buffers[3] = bind(c);
  dispatch.threads_per_threadgroup = {32};
  Counters counters;
  expect_runs(dispatch, Order::seeded(3), &counters);
  for (std::size_t row = 0; row < 8; ++row) {
    for (std::size_t column = 0; column < 8; ++column) {
      float sum = c[row * 8 + column];
      for (std::size_t k = 0; k < 8; ++k) sum += a_values[(row + 2) * 24 + 8 + k] * b[column * 8 + k];
      EXPECT_EQ(d[row * 16 + column], sum);
      EXPECT_EQ(d[column * 16 + 8 + row], sum);
    }
  }
  EXPECT_EQ(counters.bytes_read[1], 64u * 2);
  EXPECT_EQ(counters.bytes_written[0], 128u * 4);
}

// What a shuffle takes from a lane that does not exist is undefined, and shows where it is used.
TEST(PartialSimdgroups, GiveNaNsForLanesThatAreNotThere) {
  std::vector<float> out(40), in(40, 1.0f);
  Dispatch dispatch{.pipeline = pipeline(library(), "simd_shuffle_xor_float")};
  dispatch.buffers[0] = bind(out);
  dispatch.buffers[1] = bind(in);
  dispatch.threads_per_threadgroup = {40};
  expect_runs(dispatch);
  EXPECT_EQ(out[35], 1.0f);
  dispatch.pipeline = pipeline(library(), "simd_sum_float");
  expect_runs(dispatch);
  EXPECT_EQ(out[0], 32.0f);
  EXPECT_EQ(out[39], 8.0f);
  in.resize(36, 1.0f);
  out.resize(36);
  dispatch.buffers[0] = bind(out);
  dispatch.buffers[1] = bind(in);
  dispatch.threads_per_threadgroup = {36};
  dispatch.pipeline = pipeline(library(), "simd_shuffle_xor_float");
  expect_runs(dispatch);
  EXPECT_NE(out[35], out[35]);  // lane 3 ^ 5 = 6
}

}  // namespace
}  // namespace emberline::metal_sim
