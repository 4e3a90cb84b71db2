// The device's memory: what is mapped and what is copied, buffers that grow, and what is refused.
#include <cstddef>
#include <cstring>
#include <fstream>
#include <numeric>

#include "base/mmap_file.h"
#include "device/small_model.h"
#include "device/table_harness.h"
#include "device_fixture.h"
#include "reference/random_data.h"
#include "temporary_directory.h"

namespace emberline::testing {
namespace {

class MetalMemory : public SimulatedMac {
 protected:
  MetalMemory() : device_(metal_device()) { metal_sim::clear_counts(); }

  std::vector<std::uint8_t> read(BufferId buffer, std::size_t offset, std::size_t bytes) {
    std::vector<std::uint8_t> data(bytes);
    EXPECT_TRUE(device_->read(buffer, offset, data.data(), bytes).ok());
    return data;
  }

  std::unique_ptr<Device> device_;
};

// Two matrices in a file, the second not on a page.
class MappedMatrices {
 public:
  MappedMatrices() {
    Random random(41);
    first_ = random_weights(TensorType::kQ4_0, 300, 64, random);
    second_ = random_weights(TensorType::kF16, 50, 32, random);
    const std::string path = folder_.file("matrices");
    std::ofstream file(path, std::ios::binary);
    const std::vector<char> header(kFirst);
    file.write(header.data(), kFirst);
    for (const auto* matrix : {&first_, &second_})
      file.write(reinterpret_cast<const char*>(matrix->data()), static_cast<std::streamsize>(matrix->size()));
    file.close();
    auto mapped = MappedFile::open(path);
    EXPECT_TRUE(mapped.ok());
    if (mapped.ok()) file_ = std::move(mapped).value();
  }
  std::vector<MatrixSource> sources() const {
    const auto bytes = file_.bytes();
    return {{bytes.subspan(kFirst, first_.size()), TensorType::kQ4_0, 300, 64},
            {bytes.subspan(kFirst + first_.size(), second_.size()), TensorType::kF16, 50, 32}};
  }
  MatrixLoading loading() const {
    MatrixLoading loading;
    loading.mapping = file_.bytes();
    return loading;
  }
  const std::vector<std::uint8_t>& first() const { return first_; }
  const std::vector<std::uint8_t>& second() const { return second_; }

 private:
  static constexpr std::size_t kFirst = 96;
  TemporaryDirectory folder_;
  std::vector<std::uint8_t> first_, second_;
  MappedFile file_;
};

TEST_F(MetalMemory, MapsMatricesWithoutACopy) {
  const MappedMatrices matrices;
  const auto sources = matrices.sources();
  const auto loaded = device_->load_matrices(sources, matrices.loading());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_TRUE(loaded.value().keeps_sources);
  EXPECT_EQ(metal_sim::counts().wrapped_buffers, 1u);
  EXPECT_EQ(metal_sim::counts().buffers, 1u);
  const BufferId buffer = loaded.value().buffer;
  EXPECT_EQ(read(buffer, loaded.value().offsets[0], matrices.first().size()), matrices.first());
  EXPECT_EQ(read(buffer, loaded.value().offsets[1], matrices.second().size()), matrices.second());
  const std::uint8_t byte = 0;
  EXPECT_EQ(device_->write(buffer, 0, &byte, 1).code(), ErrorCode::kInvalidArgument);
  device_->release(buffer);
}

TEST_F(MetalMemory, CopiesMatricesThatCannotBeMapped) {
  const MappedMatrices matrices;
  std::vector<MatrixSource> sources = matrices.sources();
  std::vector<std::uint8_t> elsewhere(matrices.second().size() + 1);
  const std::size_t misaligned = reinterpret_cast<std::uintptr_t>(elsewhere.data()) % 2 == 0 ? 1 : 0;
  std::copy(matrices.second().begin(), matrices.second().end(), elsewhere.begin() + misaligned);
  for (const bool refused : {true, false}) {
    SCOPED_TRACE(refused);
    metal_sim::clear_counts();
    if (refused) {
      let_fail(metal_sim::Operation::kWrapBuffer);
    } else {
      sources[1].data = std::span(elsewhere).subspan(misaligned, matrices.second().size());
    }
    std::size_t consumed = 0;
    MatrixLoading loading = matrices.loading();
    loading.consumed = [&](std::span<const std::uint8_t> source) { consumed += source.size(); };
    const auto loaded = device_->load_matrices(sources, loading);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
    EXPECT_FALSE(loaded.value().keeps_sources);
    EXPECT_EQ(metal_sim::counts().wrapped_buffers, 0u);
    EXPECT_EQ(consumed, matrices.first().size() + matrices.second().size());
    EXPECT_EQ(read(loaded.value().buffer, loaded.value().offsets[0], matrices.first().size()),
              matrices.first());
    EXPECT_EQ(read(loaded.value().buffer, loaded.value().offsets[1], matrices.second().size()),
              matrices.second());
    device_->release(loaded.value().buffer);
  }
}

// As memory of malloc is: wherever it lies, and whatever else lies on its pages. What is called a mapping and
// does not begin a page is none.
TEST_F(MetalMemory, CopiesMatricesThatLieInNoMapping) {
  const MappedMatrices matrices;
  std::vector<std::uint8_t> memory(matrices.first().size() + 2 * 4096);
  const std::size_t page = 4096 - reinterpret_cast<std::uintptr_t>(memory.data()) % 4096;
  for (const std::size_t at : {page, page + 64}) {
    const auto to = memory.begin() + static_cast<std::ptrdiff_t>(at);
    std::copy(matrices.first().begin(), matrices.first().end(), to);
    const MatrixSource source{std::span(memory).subspan(at, matrices.first().size()), TensorType::kQ4_0, 300,
                              64};
    MatrixLoading of_memory;
    of_memory.mapping = std::span(memory).subspan(page - 16);
    for (const MatrixLoading& loading : {MatrixLoading{}, matrices.loading(), of_memory}) {
      const auto loaded = device_->load_matrices({&source, 1}, loading);
      ASSERT_TRUE(loaded.ok()) << loaded.error().message();
      EXPECT_FALSE(loaded.value().keeps_sources);
      EXPECT_EQ(read(loaded.value().buffer, loaded.value().offsets[0], matrices.first().size()),
                matrices.first());
      device_->release(loaded.value().buffer);
    }
  }
  EXPECT_EQ(metal_sim::counts().wrapped_buffers, 0u);
}

TEST_F(MetalMemory, KeepsWeightsResidentWhileTheyAreLoaded) {
  const MappedMatrices matrices;
  const std::int64_t before = metal_sim::resident_allocations();
  const BufferId mapped = device_->load_matrices(matrices.sources(), matrices.loading()).value().buffer;
  EXPECT_EQ(metal_sim::counts().residency_requests, 1u);
  EXPECT_EQ(metal_sim::resident_allocations(), before + 1);
  // Copied, as where Metal does not take the mapping.
  let_fail(metal_sim::Operation::kWrapBuffer);
  const BufferId copied = device_->load_matrices(matrices.sources(), matrices.loading()).value().buffer;
  EXPECT_EQ(metal_sim::counts().residency_requests, 2u);
  EXPECT_EQ(metal_sim::resident_allocations(), before + 2);
  const BufferId other = device_->allocate(4096).value();  // no weights
  EXPECT_EQ(metal_sim::resident_allocations(), before + 2);
  device_->release(other);
  device_->release(mapped);
  EXPECT_EQ(metal_sim::resident_allocations(), before + 1);
  EXPECT_EQ(metal_sim::counts().residency_requests, 2u);
  device_->release(copied);
  EXPECT_EQ(metal_sim::resident_allocations(), before);
  device_->load_matrices(matrices.sources(), matrices.loading()).value();
  device_.reset();  // with weights
  EXPECT_EQ(metal_sim::resident_allocations(), before);
}

// As the self-test's are.
TEST_F(MetalMemory, DoesNotKeepMatricesOfNoFileResident) {
  const MappedMatrices matrices;
  const std::int64_t before = metal_sim::resident_allocations();
  const BufferId buffer = device_->load_matrices(matrices.sources(), {}).value().buffer;
  EXPECT_EQ(metal_sim::counts().residency_requests, 0u);
  EXPECT_EQ(metal_sim::resident_allocations(), before);
  device_->release(buffer);
}

TEST_F(MetalMemory, KeepsNoMoreResidentThanMetalRecommends) {
  const MappedMatrices matrices;
  const auto load = [&] {
    return device_->load_matrices(matrices.sources(), matrices.loading()).value().buffer;
  };
  metal_sim::Machine machine;
  // The pages of one of them, and a little.
  machine.recommended_working_set_bytes = matrices.first().size() + matrices.second().size() + (8u << 10);
  metal_sim::set_machine(machine);
  device_ = metal_device();
  const std::int64_t before = metal_sim::resident_allocations();
  const BufferId first = load(), second = load();
  EXPECT_EQ(metal_sim::resident_allocations(), before + 1);
  device_->release(second);
  EXPECT_EQ(metal_sim::resident_allocations(), before + 1);
  device_->release(first);
  EXPECT_EQ(metal_sim::resident_allocations(), before);
  const BufferId third = load();
  EXPECT_EQ(metal_sim::resident_allocations(), before + 1);
  device_->release(third);
}

TEST_F(MetalMemory, DoesWithoutResidencyWhereThereIsNone) {
  const MappedMatrices matrices;
  let_fail(metal_sim::Operation::kResidencySet);
  const auto loaded = device_->load_matrices(matrices.sources(), matrices.loading());
  ASSERT_TRUE(loaded.ok()) << loaded.error().message();
  EXPECT_EQ(metal_sim::counts().residency_requests, 0u);
  device_->release(loaded.value().buffer);
}

TEST_F(MetalMemory, RefusesMatricesThatAreShorterThanTheirShape) {
  const MappedMatrices matrices;
  std::vector<MatrixSource> sources = matrices.sources();
  sources[1].data = sources[1].data.first(sources[1].data.size() - 1);
  EXPECT_EQ(device_->load_matrices(sources, {}).code(), ErrorCode::kInvalidArgument);
  sources = matrices.sources();
  sources[0].columns = 63;
  EXPECT_EQ(device_->load_matrices(sources, {}).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(device_->load_matrices({}, {}).code(), ErrorCode::kInvalidArgument);
}

TEST_F(MetalMemory, IsZeroAndKeepsWhatIsWritten) {
  const BufferId buffer = device_->allocate(100).value();
  EXPECT_EQ(read(buffer, 0, 100), std::vector<std::uint8_t>(100));
  const std::vector<std::uint8_t> data = {1, 2, 3};
  ASSERT_TRUE(device_->write(buffer, 97, data.data(), 3).ok());
  ASSERT_TRUE(device_->copy(buffer, 97, buffer, 10, 3).ok());
  EXPECT_EQ(read(buffer, 10, 3), data);
  EXPECT_EQ(device_->write(buffer, 98, data.data(), 3).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(device_->copy(buffer, 0, buffer, 2, 3).code(), ErrorCode::kInvalidArgument);
  std::uint8_t byte;
  EXPECT_EQ(device_->read(buffer, 100, &byte, 1).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(device_->read(buffer + 1, 0, &byte, 1).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(device_->allocate(0).code(), ErrorCode::kInvalidArgument);
  device_->release(buffer);
  EXPECT_EQ(device_->read(buffer, 0, &byte, 1).code(), ErrorCode::kInvalidArgument);
}

TEST_F(MetalMemory, GrowsSeldomAndKeepsItsContents) {
  constexpr std::size_t kMost = 1 << 20, kStep = 1 << 12;
  const BufferId buffer = device_->reserve(kMost).value();
  EXPECT_EQ(metal_sim::counts().buffers, 0u);
  std::vector<std::uint8_t> expected;
  for (std::size_t bytes = kStep; bytes <= kMost; bytes += kStep) {
    ASSERT_TRUE(device_->grow(buffer, bytes).ok());
    expected.resize(bytes);
    EXPECT_EQ(read(buffer, bytes - kStep, kStep), std::vector<std::uint8_t>(kStep));
    std::vector<std::uint8_t> fresh(kStep);
    std::iota(fresh.begin(), fresh.end(), static_cast<std::uint8_t>(bytes / kStep));
    ASSERT_TRUE(device_->write(buffer, bytes - kStep, fresh.data(), kStep).ok());
    std::copy(fresh.begin(), fresh.end(), expected.end() - kStep);
  }
  EXPECT_EQ(read(buffer, 0, kMost), expected);
  EXPECT_LE(metal_sim::counts().buffers, 9u);  // log2 of kMost / kStep, and one
  EXPECT_TRUE(device_->grow(buffer, 1).ok());  // never fewer
  EXPECT_EQ(read(buffer, 0, kMost), expected);
  EXPECT_EQ(device_->grow(buffer, kMost + 1).code(), ErrorCode::kInvalidArgument);
  EXPECT_EQ(device_->reserve(std::size_t{1} << 45).code(), ErrorCode::kOutOfMemory);
}

TEST_F(MetalMemory, SaysWhenThereIsNone) {
  const BufferId growing = device_->reserve(1 << 16).value();
  let_fail(metal_sim::Operation::kBuffer);
  EXPECT_EQ(device_->allocate(64).code(), ErrorCode::kOutOfMemory);
  metal_sim::clear_injections();
  let_fail(metal_sim::Operation::kBuffer, 2);
  EXPECT_EQ(device_->grow(growing, 64).code(), ErrorCode::kOutOfMemory);
  metal_sim::clear_injections();
  EXPECT_TRUE(device_->grow(growing, 64).ok());
}

// The cache is bound to a chain that is under way while it moves.
TEST_F(MetalMemory, GrowsUnderASubmission) {
  TableHarness table(*device_);
  const BufferId pool = device_->reserve(1 << 20).value();
  ASSERT_TRUE(device_->grow(pool, 64).ok());
  const std::vector<float> ones(16, 1.0f);
  const Binding x = table.floats(ones);
  table.add(Op::kGatedUnit, {x, x, {pool, 0}}, GatedUnitParams{16});
  ASSERT_TRUE(table.prepare(1).ok());
  SubmissionId submission = 0;
  {
    // The submission is encoded for the old memory, and starts once growing waits for it.
    const auto submitted = device_->submit(table.table(), Replay{});
    ASSERT_TRUE(submitted.ok());
    submission = submitted.value();
  }
  const long before = metal_sim::live_objects_by_class()["SimulatedBuffer"];
  ASSERT_TRUE(device_->grow(pool, 1 << 16).ok());
  EXPECT_EQ(metal_sim::live_objects_by_class()["SimulatedBuffer"], before);  // the old memory is gone
  EXPECT_EQ(device_->wait(submission).value().steps_completed, 1u);
  EXPECT_NEAR(table.read_floats({pool, 0}, 16)[15], 0.7310586f, 1e-6);
  // And again, in the new memory: the table stays prepared.
  ASSERT_TRUE(device_->write(pool, 0, std::vector<float>(16).data(), 64).ok());
  ASSERT_TRUE(table.replay(Replay{}).ok());
  EXPECT_NEAR(table.read_floats({pool, 0}, 16)[15], 0.7310586f, 1e-6);
  device_->release(pool);
  EXPECT_EQ(table.replay(Replay{}).code(), ErrorCode::kInvalidArgument);  // not prepared any more
}

TEST_F(MetalMemory, LeavesNoObjects) {
  device_.reset();
  metal_sim::reset();
  const long before = metal_sim::live_objects();
  {
    const auto device = metal_device();
    SmallModel model(*device, TensorType::kQ4_0, 20);
    model.set_tokens({1});
    Replay request;
    request.steps = 3;
    ASSERT_TRUE(model.table().replay(request).ok());
    const auto submitted = device->submit(model.table().table(), request);
    ASSERT_TRUE(submitted.ok());  // and never waited for
  }
  EXPECT_EQ(metal_sim::live_objects(), before);
}

}  // namespace
}  // namespace emberline::testing
