// How a dispatch is launched: grids, bindings, function constants, threadgroup memory, counters.
#include <cmath>
#include <set>

#include "kernel_dispatch.h"

namespace emberline::metal_sim {
namespace {

std::string with_header(const std::string& text) {
  return "#include <metal_stdlib>\nusing namespace metal;\n" + text;
}

// -- function constants

const std::string kConstants = with_header(R"(
constant uint FACTOR [[function_constant(3)]];
constant bool NEGATE [[function_constant(4)]];
constant float SHIFT [[function_constant(5)]];
constant bool HAS_SHIFT = true;
inline float shifted(float x) { return is_function_constant_defined(SHIFT) ? x + SHIFT : x; }
kernel void scale(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  const float y = x[i] * float(FACTOR);
  x[i] = HAS_SHIFT ? shifted(NEGATE ? -y : y) : 0.0f;
}
kernel void plain(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = 1.0f; }
)");

std::vector<float> scaled(std::vector<ConstantValue> constants) {
  const auto library = compiled(kConstants);
  std::vector<float> x = {1.0f, 2.0f};
  Dispatch dispatch{.pipeline = pipeline(*library, "scale", std::move(constants))};
  dispatch.buffers[0] = bind(x);
  dispatch.threads_per_threadgroup = {2};
  expect_runs(dispatch);
  return x;
}

TEST(FunctionConstants, HaveTheValuesOfThePipeline) {
  EXPECT_EQ(scaled({constant_uint(3, 5), constant_bool(4, true)}), (std::vector<float>{-5.0f, -10.0f}));
  EXPECT_EQ(scaled({constant_uint(3, 2), constant_bool(4, false), constant_float(5, 0.5f)}),
            (std::vector<float>{2.5f, 4.5f}));
}

TEST(FunctionConstants, AreFaultsWhereTheyAreReadAndHaveNoValue) {
  const auto library = compiled(kConstants);
  std::vector<float> x(2);
  Dispatch dispatch{.pipeline = pipeline(*library, "scale", {constant_uint(3, 5)})};
  dispatch.buffers[0] = bind(x);
  const auto fault = run(dispatch);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->kind, FaultKind::kConstantUnset) << fault->sentence;
  dispatch.pipeline = pipeline(*library, "plain");
  expect_runs(dispatch);
}

TEST(FunctionConstants, AreTyped) {
  const auto library = compiled(kConstants);
  const ConstantValue wrong = constant_float(3, 5.0f);
  EXPECT_FALSE(make(*library, "scale", {&wrong, 1}).ok());
  EXPECT_FALSE(make(*library, "absent").ok());
  ASSERT_EQ(library->constants().size(), 3u);
  EXPECT_EQ(library->constants()[1].name, "NEGATE");
  EXPECT_EQ(library->constants()[1].type, ConstantType::kBool);
}

// -- grids

const std::string kPositions = with_header(R"(
struct Record { uint3 in_grid, in_threadgroup, group, size; uint index, lane, simdgroup, simdgroups; };
kernel void record(device Record* out [[buffer(0)]], uint3 p [[thread_position_in_grid]],
                   uint3 g [[threads_per_grid]], ushort3 t [[thread_position_in_threadgroup]],
                   uint3 tg [[threadgroup_position_in_grid]], uint3 s [[threads_per_threadgroup]],
                   uint index [[thread_index_in_threadgroup]], ushort lane [[thread_index_in_simdgroup]],
                   uint sg [[simdgroup_index_in_threadgroup]], uint nsg [[simdgroups_per_threadgroup]],
                   uint width [[threads_per_simdgroup]]) {
  Record r;
  r.in_grid = p; r.in_threadgroup = uint3(t); r.group = tg; r.size = s;
  r.index = index; r.lane = lane + width - 32; r.simdgroup = sg; r.simdgroups = nsg;
  out[(p.z * g.y + p.y) * g.x + p.x] = r;
}
)");
struct Record {
  std::uint32_t in_grid[4], in_threadgroup[4], threadgroup[4], size[4];
  std::uint32_t index, lane, simdgroup, simdgroups;
};

void expect_positions(Size grid, Size group, const std::vector<Record>& records) {
  for (std::uint32_t z = 0; z < grid.depth; ++z) {
    for (std::uint32_t y = 0; y < grid.height; ++y) {
      for (std::uint32_t x = 0; x < grid.width; ++x) {
        const Record& r = records[(z * grid.height + y) * grid.width + x];
        const std::uint32_t at[3] = {x, y, z}, size[3] = {group.width, group.height, group.depth};
        const std::uint32_t limit[3] = {grid.width, grid.height, grid.depth};
        std::uint32_t own[3];
        for (int i = 0; i < 3; ++i) {
          ASSERT_EQ(r.in_grid[i], at[i]);
          ASSERT_EQ(r.in_threadgroup[i], at[i] % size[i]);
          ASSERT_EQ(r.threadgroup[i], at[i] / size[i]);
          own[i] = std::min(size[i], limit[i] - at[i] / size[i] * size[i]);
          ASSERT_EQ(r.size[i], own[i]);
        }
        const std::uint32_t index = (z % size[2] * own[1] + y % size[1]) * own[0] + x % size[0];
        ASSERT_EQ(r.index, index);
        ASSERT_EQ(r.lane, index % 32);
        ASSERT_EQ(r.simdgroup, index / 32);
        ASSERT_EQ(r.simdgroups, (own[0] * own[1] * own[2] + 31) / 32);
      }
    }
  }
}

TEST(Grids, GiveEveryThreadItsPlace) {
  const auto library = compiled(kPositions);
  for (const Order& order : three_orders()) {
    std::vector<Record> records(12 * 10 * 4);
    Dispatch dispatch{.pipeline = pipeline(*library, "record")};
    dispatch.buffers[0] = bind(records);
    dispatch.threadgroups = {2, 5, 2};
    dispatch.threads_per_threadgroup = {6, 2, 2};
    expect_runs(dispatch, order);
    expect_positions({12, 10, 4}, {6, 2, 2}, records);
  }
}

TEST(Grids, HaveSmallerThreadgroupsAtUnevenEdges) {
  const auto library = compiled(kPositions);
  std::vector<Record> records(13 * 9 * 3);
  Dispatch dispatch{.pipeline = pipeline(*library, "record")};
  dispatch.buffers[0] = bind(records);
  dispatch.threads = Size{13, 9, 3};
  dispatch.threads_per_threadgroup = {6, 4, 2};
  Counters counters;
  expect_runs(dispatch, Order::descending(), &counters);
  expect_positions({13, 9, 3}, {6, 4, 2}, records);
  EXPECT_EQ(counters.threads, 13u * 9 * 3);
  EXPECT_EQ(counters.threadgroups, 3u * 3 * 2);
}

TEST(Grids, MayBeEmpty) {
  const auto library = compiled(kPositions);
  std::vector<Record> records(1);
  Dispatch dispatch{.pipeline = pipeline(*library, "record")};
  dispatch.buffers[0] = bind(records);
  dispatch.threadgroups = {0, 1, 1};
  Counters counters;
  expect_runs(dispatch, {}, &counters);
  EXPECT_EQ(counters.threads, 0u);
}

// -- what Metal's validation refuses

const std::string kLaunches = with_header(R"(
constant bool HAS_BIAS [[function_constant(0)]];
kernel void add(device float* x [[buffer(0)]], device const float* bias [[buffer(7), function_constant(HAS_BIAS)]],
                threadgroup float* s [[threadgroup(1)]], uint i [[thread_position_in_grid]]) {
  s[i] = HAS_BIAS ? bias[i] : 1.0f;
  x[i] += s[i];
}
[[max_total_threads_per_threadgroup(64)]]
kernel void small(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]]) { x[i] = 1.0f; }
kernel void reads_bias(device float* x [[buffer(0)]],
                       device const float* bias [[buffer(7), function_constant(HAS_BIAS)]],
                       uint i [[thread_position_in_grid]]) { x[i] = bias[i]; }
)");

struct Launch {
  std::vector<float> x = std::vector<float>(64), bias = std::vector<float>(64, 3.0f);
  Dispatch dispatch;
  Launch(std::string_view kernel, bool has_bias)
      : dispatch{.pipeline = pipeline(*compiled(kLaunches), kernel, {constant_bool(0, has_bias)})} {
    dispatch.buffers[0] = bind(x);
    dispatch.threadgroup_bytes[1] = 256;
    dispatch.threads_per_threadgroup = {64};
  }
  void expect(FaultKind kind) {
    const auto fault = run(dispatch);
    ASSERT_TRUE(fault.has_value());
    EXPECT_STREQ(fault_name(fault->kind), fault_name(kind)) << fault->sentence;
  }
};

TEST(Launches, NeedEveryBufferThatIsThere) {
  Launch without("add", false);
  expect_runs(without.dispatch);
  EXPECT_EQ(without.x, std::vector<float>(64, 1.0f));
  Launch with("add", true);
  with.expect(FaultKind::kUnboundBuffer);
  with.dispatch.buffers[7] = bind(with.bias);
  expect_runs(with.dispatch);
  EXPECT_EQ(with.x, std::vector<float>(64, 3.0f));
  with.dispatch.buffers[0] = {};
  with.expect(FaultKind::kUnboundBuffer);
}

TEST(Launches, FindTheUseOfABufferThatIsNotThere) {
  Launch("reads_bias", false).expect(FaultKind::kUnboundBuffer);
}

TEST(Launches, KeepTheLimits) {
  Launch many("small", false);
  many.dispatch.threads_per_threadgroup = {65};
  many.expect(FaultKind::kLaunch);
  Launch none("small", false);
  none.dispatch.threads_per_threadgroup = {0};
  none.expect(FaultKind::kLaunch);
  Launch odd("add", false);
  odd.dispatch.threadgroup_bytes[1] = 250;
  odd.expect(FaultKind::kLaunch);
  Launch missing("add", false);
  missing.dispatch.threadgroup_bytes[1] = 0;
  missing.expect(FaultKind::kLaunch);
  Launch large("add", false);
  large.dispatch.threadgroup_bytes[1] = 32768 + 16;
  large.expect(FaultKind::kThreadgroupMemory);
  Launch small("add", false);  // the last two threads are behind its end
  small.dispatch.threadgroup_bytes[1] = 240;
  small.expect(FaultKind::kThreadgroupOverrun);
}

// -- counters

const std::string kCounted = with_header(R"(
kernel void sum(device float* out [[buffer(0)]], device const float* a [[buffer(1)]], device const half* b [[buffer(2)]],
                constant uint& n [[buffer(3)]], uint i [[thread_position_in_grid]],
                uint tid [[thread_index_in_threadgroup]]) {
  threadgroup float shared[64];
  shared[tid] = a[i] + float(b[i]);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  const float total = simd_sum(shared[tid ^ 32u]);
  if (i < n) out[i] = total;
}
)");

TEST(Counters, AreExact) {
  const auto library = compiled(kCounted);
  std::vector<float> out(128), a(128, 1.0f);
  std::vector<std::uint16_t> b(128, 0x3C00);
  std::uint32_t n = 100;
  Dispatch dispatch{.pipeline = pipeline(*library, "sum")};
  dispatch.buffers[0] = bind(out);
  dispatch.buffers[1] = bind(a);
  dispatch.buffers[2] = bind(b);
  dispatch.buffers[3] = bind(n);
  dispatch.threadgroups = {2};
  dispatch.threads_per_threadgroup = {64};
  for (const Order& order : three_orders()) {
    Counters counters;
    expect_runs(dispatch, order, &counters);
    EXPECT_EQ(counters.threadgroups, 2u);
    EXPECT_EQ(counters.threads, 128u);
    EXPECT_EQ(counters.barriers, 2u);
    EXPECT_EQ(counters.simdgroup_operations, 4u);
    EXPECT_EQ(counters.bytes_read[1], 128u * 4);
    EXPECT_EQ(counters.bytes_read[2], 128u * 2);
    EXPECT_EQ(counters.bytes_read[3], 128u * 4);
    EXPECT_EQ(counters.bytes_written[0], 100u * 4);
    EXPECT_EQ(counters.bytes_read[0], 0u);
    EXPECT_EQ(out[99], 64.0f);
  }
}

TEST(Counters, TellOverlappingBuffersApartByTheirStarts) {
  const auto library = compiled(kCounted);
  std::vector<float> pool(128 + 128 + 64);  // out, a and b, each bound up to the end of the pool
  std::uint32_t n = 128;
  Dispatch dispatch{.pipeline = pipeline(*library, "sum")};
  dispatch.buffers[0] = {pool.data(), pool.size() * 4};
  dispatch.buffers[1] = {pool.data() + 128, (128 + 64) * 4};
  dispatch.buffers[2] = {pool.data() + 256, 64 * 4};
  dispatch.buffers[3] = bind(n);
  dispatch.threadgroups = {2};
  dispatch.threads_per_threadgroup = {64};
  Counters counters;
  expect_runs(dispatch, {}, &counters);
  EXPECT_EQ(counters.bytes_read[1], 128u * 4);
  EXPECT_EQ(counters.bytes_read[2], 128u * 2);
  EXPECT_EQ(counters.bytes_written[0], 128u * 4);
}

// -- unchecked libraries

TEST(Unchecked, FindsWhatGuardPagesAndNaNsShow) {
  const auto library = compiled(with_header(R"(
kernel void past(device float* out [[buffer(0)]], device const float* in [[buffer(1)]], constant uint& n [[buffer(2)]],
                 uint i [[thread_position_in_grid]]) { out[i] = in[i + n]; }
kernel void unwritten(device float* out [[buffer(0)]], device const float* in [[buffer(1)]], constant uint& n [[buffer(2)]],
                      uint i [[thread_position_in_grid]]) {
  threadgroup float shared[64];
  if (i < n) shared[i] = in[i];
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[i] = shared[63 - i];
})"),
                                false);
  ASSERT_TRUE(library.has_value());
  GuardedMemory in(256), out(256);
  std::uint32_t n = 0;
  Dispatch dispatch{.pipeline = pipeline(*library, "past")};
  dispatch.buffers[0] = {out.data(), 256};
  dispatch.buffers[1] = {in.data(), 256};
  dispatch.buffers[2] = bind(n);
  dispatch.threads_per_threadgroup = {64};
  expect_runs(dispatch);
  n = 4;
  const auto fault = run(dispatch);
  ASSERT_TRUE(fault.has_value());
  EXPECT_EQ(fault->kind, FaultKind::kOutOfBounds) << fault->sentence;
  EXPECT_NE(fault->sentence.find("past the end of buffer(1)"), std::string::npos) << fault->sentence;

  dispatch.pipeline = pipeline(*library, "unwritten");
  expect_runs(dispatch);
  EXPECT_TRUE(std::isnan(static_cast<float*>(out.data())[0]));
  EXPECT_FALSE(std::isnan(static_cast<float*>(out.data())[63]));
}

// The three orders are what remains to find races without checks.
TEST(Unchecked, ShowsRacesAsResultsThatDependOnTheOrder) {
  const auto library = compiled(with_header(R"(
kernel void last(device uint* out [[buffer(0)]], uint i [[thread_position_in_grid]]) { out[0] = i; }
)"),
                                false);
  std::set<std::uint32_t> results;
  for (const Order& order : three_orders()) {
    std::uint32_t out = 0;
    Dispatch dispatch{.pipeline = pipeline(*library, "last")};
    dispatch.buffers[0] = bind(out);
    dispatch.threadgroups = {4};
    dispatch.threads_per_threadgroup = {64};
    expect_runs(dispatch, order);
    results.insert(out);
  }
  EXPECT_GE(results.size(), 2u);
}

TEST(Libraries, SayWhatIsNoLibrary) {
  EXPECT_FALSE(Library::open("/nonexistent/library.so").ok());
  EXPECT_FALSE(Library::open("/proc/self/exe").ok());
}

}  // namespace
}  // namespace emberline::metal_sim
