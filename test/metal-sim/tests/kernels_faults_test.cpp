// Every file of kernels/faults holds a faulty kernel, which must be caught in every order of threads, and a
// correct twin of it, which must run and give the same result in all of them.
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "kernel_dispatch.h"

namespace emberline::metal_sim {
namespace {

struct Seeded {
  const char* file;
  FaultKind kind;
  // One for each way to find a fault is tried by npm test, the others by the deep run.
  bool everyday = false;
};

const Seeded kSeeded[] = {
    {"barrier_after_return", FaultKind::kBarrierNotReached, true},
    {"barrier_in_branch", FaultKind::kBarrierNotReached, true},
    {"barrier_of_other_memory", FaultKind::kRace},
    {"barriers_of_two_branches", FaultKind::kBarrierNotReached},
    {"count_without_atomics", FaultKind::kRace},
    {"division_by_zero", FaultKind::kUndefinedBehaviour, true},
    {"load_across_the_end", FaultKind::kOutOfBounds},
    {"load_before_the_start", FaultKind::kOutOfBounds},
    {"load_past_the_end", FaultKind::kOutOfBounds, true},
    {"matrix_store_in_branch", FaultKind::kDivergentSimdgroup},
    {"misaligned_load", FaultKind::kUndefinedBehaviour, true},
    {"missing_barrier", FaultKind::kRace, true},
    {"missing_device_barrier", FaultKind::kRace},
    {"missing_second_barrier", FaultKind::kRace},
    {"missing_simdgroup_barrier", FaultKind::kRace},
    {"private_array_overrun", FaultKind::kUndefinedBehaviour, true},
    {"shuffle_with_uneven_delta", FaultKind::kDivergentSimdgroup, true},
    {"simd_sum_in_branch", FaultKind::kDivergentSimdgroup, true},
    {"simd_sum_of_uneven_loop", FaultKind::kDivergentSimdgroup},
    {"simd_sums_of_two_branches", FaultKind::kDivergentSimdgroup},
    {"store_past_the_end", FaultKind::kOutOfBounds, true},
    {"store_to_const", FaultKind::kReadOnlyWrite, true},
    {"threadgroup_index_overrun", FaultKind::kUndefinedBehaviour},
    {"threadgroup_overrun", FaultKind::kThreadgroupOverrun, true},
    {"threadgroup_overwrites_input_of_another", FaultKind::kRace},
    {"threadgroup_reads_of_another", FaultKind::kRace},
    {"threadgroup_uninitialised", FaultKind::kUninitialisedThreadgroup, true},
    {"threadgroups_write_one_place", FaultKind::kRace, true},
    {"too_much_private_memory", FaultKind::kStackOverflow, true},
    {"too_much_threadgroup_memory", FaultKind::kThreadgroupMemory, true},
    {"wait_for_a_threadgroup", FaultKind::kStepLimit},
    {"wait_on_plain_memory", FaultKind::kStepLimit, true},
    {"wait_with_a_simdgroup", FaultKind::kStepLimit},
};

// Two threadgroups of 64 threads over 128 numbers.
struct Setting {
  std::uint32_t count = 128;
  GuardedMemory out{128 * sizeof(float)}, in{128 * sizeof(float)};
  std::vector<std::uint32_t> flags = std::vector<std::uint32_t>(4);

  Setting() {
    for (std::uint32_t i = 0; i < count; ++i) static_cast<float*>(in.data())[i] = static_cast<float>(i % 32);
  }
  Dispatch dispatch(const Pipeline& pipeline) {
    Dispatch dispatch{.pipeline = pipeline};
    dispatch.buffers[0] = bind(count);
    dispatch.buffers[1] = {out.data(), out.bytes()};
    dispatch.buffers[2] = {in.data(), in.bytes()};
    dispatch.buffers[3] = bind(flags);
    dispatch.threadgroups = {2};
    dispatch.threads_per_threadgroup = {64};
    return dispatch;
  }
  std::vector<float> result() const {
    const auto* first = static_cast<const float*>(out.data());
    return {first, first + count};
  }
};

class SeededFault : public testing::TestWithParam<Seeded> {
 protected:
  std::string source() const {
    return read_text(std::string(METAL_SIM_FAULTS_DIR) + "/" + GetParam().file + ".metal");
  }
};

TEST_P(SeededFault, IsCaughtInEveryOrder) {
  const auto library = compiled(source());
  ASSERT_TRUE(library.has_value());
  for (const Order& order : three_orders()) {
    Setting setting;
    const auto fault = run(setting.dispatch(pipeline(*library, "faulty")), order);
    ASSERT_TRUE(fault.has_value()) << "order " << static_cast<int>(order.kind);
    EXPECT_STREQ(fault_name(fault->kind), fault_name(GetParam().kind)) << fault->sentence;
    EXPECT_NE(fault->sentence.find("kernel faulty"), std::string::npos) << fault->sentence;
  }
}

TEST_P(SeededFault, HasACorrectTwin) {
  const auto library = compiled(source());
  ASSERT_TRUE(library.has_value());
  std::set<std::vector<float>> results;
  for (const Order& order : three_orders()) {
    Setting setting;
    expect_runs(setting.dispatch(pipeline(*library, "correct")), order);
    results.insert(setting.result());
  }
  EXPECT_EQ(results.size(), 1u);
}

std::vector<Seeded> seeded_faults(bool everyday) {
  std::vector<Seeded> found;
  for (const Seeded& one : kSeeded) {
    if (one.everyday == everyday) found.push_back(one);
  }
  return found;
}
std::string file_of(const testing::TestParamInfo<Seeded>& test) {
  return test.param.file;
}
INSTANTIATE_TEST_SUITE_P(Kernels, SeededFault, testing::ValuesIn(seeded_faults(true)), file_of);
INSTANTIATE_TEST_SUITE_P(DeepKernels, SeededFault, testing::ValuesIn(seeded_faults(false)), file_of);

TEST(SeededFaults, AreAllTried) {
  std::set<std::string> listed, present;
  for (const Seeded& seeded : kSeeded) listed.insert(seeded.file);
  for (const auto& entry : std::filesystem::directory_iterator(METAL_SIM_FAULTS_DIR)) {
    present.insert(entry.path().stem().string());
  }
  EXPECT_EQ(listed, present);
}

}  // namespace
}  // namespace emberline::metal_sim
