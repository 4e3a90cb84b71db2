// Packed copies: what a load leaves in a folder, and which files a later load believes.
#include "device/cpu/packed/packed_copy.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "device/cpu/packed/load_matrices.h"
#include "device/table_harness.h"
#include "reference/random_data.h"
#include "simd/instruction_sets.h"
#include "take.h"
#include "temporary_directory.h"

namespace emberline::testing {
namespace {

namespace fs = std::filesystem;

class PackedCopyTest : public ::testing::Test {
 protected:
  PackedCopyTest() {
    add(TensorType::kQ4_1, 40, 96);
    add(TensorType::kQ8_0, 16, 64);
    add(TensorType::kF16, 5, 7);
    pool_ = take(ThreadPool::create(2));
  }

  void add(TensorType type, std::uint32_t rows, std::uint32_t columns) {
    data_.push_back(random_weights(type, rows, columns, random_));
    sources_.push_back({data_.back(), type, rows, columns});
  }

  std::string path() const { return directory_.file("model-1-2-3.packed"); }
  PackedMatrices load(const SourceConsumed& consumed = {}) {
    return take(load_packed(sources_, {consumed, path()}, *pool_));
  }
  static std::vector<std::uint8_t> bytes_of(const PackedMatrices& packed) {
    return {packed.data(), packed.data() + packed.layout.bytes};
  }

  // Loads without a copy, and waits for the one that is written meanwhile.
  std::vector<std::uint8_t> make_copy() {
    const PackedMatrices packed = load();
    EXPECT_FALSE(packed.from_copy());
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!fs::exists(path()) && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    EXPECT_TRUE(fs::exists(path()));
    return bytes_of(packed);
  }
  std::vector<char> read_copy() const {
    std::ifstream file(path(), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void write_copy(const std::vector<char>& bytes) const {
    std::ofstream(path(), std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  TemporaryDirectory directory_;
  Random random_{5};
  std::vector<std::vector<std::uint8_t>> data_;
  std::vector<MatrixSource> sources_;
  std::unique_ptr<ThreadPool> pool_;
};

TEST_F(PackedCopyTest, IsWrittenByTheFirstLoadAndMappedByTheNext) {
  const std::vector<std::uint8_t> expected = make_copy();
  std::size_t consumed = 0;
  const PackedMatrices again = load([&](std::span<const std::uint8_t> bytes) { consumed += bytes.size(); });
  EXPECT_TRUE(again.from_copy());
  EXPECT_EQ(bytes_of(again), expected);
  EXPECT_EQ(consumed, data_[0].size() + data_[1].size() + data_[2].size());
}

#if !defined(_WIN32)  // where a file is its user's by the folder it lies in
TEST_F(PackedCopyTest, IsForTheEyesOfItsUserAlone) {
  const fs::path folder = fs::path(path()).parent_path() / "packed";
  const PackedMatrices packed = take(load_packed(sources_, {{}, (folder / "model.packed").string()}, *pool_));
  packed.writer->wait();
  EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(folder / "model.packed").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}
#endif

TEST_F(PackedCopyTest, GivesTheSameProducts) {
  make_copy();
  const std::vector<float> x = random_.normals(96);
  const auto run = [&](const std::string& copy_path) {
    const auto device = cpu_device("auto", 2);
    TableHarness table(*device);
    const LoadedMatrices loaded = take(device->load_matrices(sources_, {{}, copy_path}));
    EXPECT_EQ(loaded.from_copy, !copy_path.empty());
    const Binding y = table.zeros(40 * 4);
    table.add(Op::kMatMul, {table.floats(x), {loaded.buffer, loaded.offsets[0]}, kAbsent, y},
              MatMulParams{96, 40, static_cast<std::uint32_t>(TensorType::kQ4_1), 0, 0});
    table.run(1);
    const std::vector<float> result = table.read_floats(y, 40);
    device->release(loaded.buffer);
    return result;
  };
  EXPECT_EQ(run(path()), run(""));
}

#if !defined(_WIN32)  // where a mapped file cannot be shortened
TEST_F(PackedCopyTest, ThatIsShortenedInUseIsAnError) {
  make_copy();
  const auto device = cpu_device("auto", 2);
  TableHarness table(*device);
  const LoadedMatrices loaded = take(device->load_matrices(sources_, {{}, path()}));
  ASSERT_TRUE(loaded.from_copy);
  table.add(
      Op::kMatMul,
      {table.floats(random_.normals(96)), {loaded.buffer, loaded.offsets[0]}, kAbsent, table.zeros(40 * 4)},
      MatMulParams{96, 40, static_cast<std::uint32_t>(TensorType::kQ4_1), 0, 0});
  table.run(1);
  fs::resize_file(path(), 0);
  Replay request;
  request.rows = 1;
  const Result<ReplayOutcome> outcome = table.replay(request);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.code(), ErrorCode::kDeviceFailed);
  device->release(loaded.buffer);
  EXPECT_FALSE(load().from_copy());
}
#endif

TEST_F(PackedCopyTest, IsNotBelievedForOtherSources) {
  make_copy();
  std::vector<std::uint8_t> changed = data_[1];
  changed.back() ^= 1;  // in the last panel
  sources_[1].data = changed;
  EXPECT_FALSE(load().from_copy());
  sources_[1].data = data_[1];
  std::swap(sources_[1].rows, sources_[1].columns);  // 64 x 16 is no shape of Q8_0
  sources_[1] = {data_[0], TensorType::kQ4_1, 40, 96};
  EXPECT_FALSE(load().from_copy());
}

TEST_F(PackedCopyTest, IsNotBelievedWhenItIsDamaged) {
  make_copy();
  const std::vector<char> good = read_copy();
  const PackedLayout layout = load().layout;
  const auto refused = [&](const std::vector<char>& bytes) {
    write_copy(bytes);  // and no load from here on: it would replace a damaged copy
    return !open_packed_copy(path(), sources_, layout, {}).has_value();
  };
  for (const std::size_t at : {std::size_t{0}, std::size_t{8}, std::size_t{12}, std::size_t{16},
                               std::size_t{24}, kPackedCopyHeaderBytes - 1, kPackedCopyHeaderBytes}) {
    std::vector<char> bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    write_copy(bytes);
    EXPECT_FALSE(load().from_copy()) << "byte " << at;
  }
  EXPECT_TRUE(refused({}));
  EXPECT_TRUE(refused(std::vector<char>(good.begin(), good.end() - 1)));
  std::vector<char> longer = good;
  longer.push_back(0);
  EXPECT_TRUE(refused(longer));
  EXPECT_FALSE(refused(good)) << "the control";
}

TEST_F(PackedCopyTest, OfAnotherVersionIsMadeAnew) {
  const std::vector<std::uint8_t> expected = make_copy();
  const std::vector<char> good = read_copy();
  for (const int step : {-1, 1}) {  // an older one, and a newer one
    std::vector<char> bytes = good;
    bytes[8] = static_cast<char>(bytes[8] + step);  // the version of the layout
    write_copy(bytes);
    {
      const PackedMatrices packed = load();
      EXPECT_FALSE(packed.from_copy());
      EXPECT_EQ(bytes_of(packed), expected);
      packed.writer->wait();
    }
    EXPECT_EQ(read_copy(), good);
    EXPECT_TRUE(load().from_copy());
  }
}

// So a copy that was made on another processor is no other.
TEST_F(PackedCopyTest, IsTheSameOfEveryInstructionSet) {
  make_copy();
  for (const std::string& isa : runnable_isas()) {
    const auto device = cpu_device(isa, 2);
    const LoadedMatrices loaded = take(device->load_matrices(sources_, {{}, path()}));
    EXPECT_TRUE(loaded.from_copy) << isa;
    device->release(loaded.buffer);
  }
  const std::vector<char> expected = read_copy();
  for (const std::string& isa : runnable_isas()) {
    const std::string own = directory_.file(isa + ".packed");
    const auto device = cpu_device(isa, 2);
    const LoadedMatrices loaded = take(device->load_matrices(sources_, {{}, own}));
    EXPECT_FALSE(loaded.from_copy);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!fs::exists(own) && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    std::ifstream file(own, std::ios::binary);
    EXPECT_EQ(std::vector<char>(std::istreambuf_iterator<char>(file), {}), expected) << isa;
    device->release(loaded.buffer);
  }
}

TEST_F(PackedCopyTest, AFolderThatCannotBeMadeIsNoFailure) {
  write_copy({'x'});  // a file where a folder would have to be
  const PackedMatrices packed = take(load_packed(sources_, {{}, path() + "/model.packed"}, *pool_));
  EXPECT_FALSE(packed.from_copy());
}

TEST_F(PackedCopyTest, LeavesNothingUnfinishedBehind) {
  for (int i = 0; i < 20; ++i) {
    load();  // gives up, or just made it
    for (const auto& entry : fs::directory_iterator(fs::path(path()).parent_path())) {
      EXPECT_EQ(entry.path().extension(), ".packed");
      fs::remove(entry.path());
    }
  }
}

TEST_F(PackedCopyTest, RemovesWhatNobodyMappedForAMonth) {
  const auto file = [&](const char* name, int hours) {
    std::ofstream(directory_.file(name)) << "x";
    fs::last_write_time(directory_.file(name), fs::file_time_type::clock::now() - std::chrono::hours(hours));
  };
  file("old.packed", 31 * 24);
  file("young.packed", 29 * 24);
  file("old.part", 25);
  file("young.part", 1);
  file("old.gguf", 1000 * 24);
  {
    const PackedMatrices packed = load();
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (fs::exists(directory_.file("old.part")) && std::chrono::steady_clock::now() < deadline)
      std::this_thread::yield();
  }
  EXPECT_FALSE(fs::exists(directory_.file("old.packed")));
  EXPECT_FALSE(fs::exists(directory_.file("old.part")));
  EXPECT_TRUE(fs::exists(directory_.file("young.packed")));
  EXPECT_TRUE(fs::exists(directory_.file("young.part")));
  EXPECT_TRUE(fs::exists(directory_.file("old.gguf")));
}

}  // namespace
}  // namespace emberline::testing
