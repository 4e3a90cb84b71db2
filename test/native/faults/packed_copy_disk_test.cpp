// A disk that is full or read-only while a packed copy is written, at each write in turn: the model is loaded
// all the same, and what a later load finds is whole or not there.
#if defined(__linux__)
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "device/cpu/packed/load_matrices.h"
#include "device/cpu/packed/packed_copy.h"
#include "faults/failing_files.h"
#include "take.h"
#include "temporary_directory.h"

namespace emberline::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostWrites = 100;

class PackedCopyOnAFailingDisk : public ::testing::TestWithParam<int> {
 protected:
  PackedCopyOnAFailingDisk() : data_(std::size_t{kRows} * kColumns * 2) {
    // Numbers of 16 bits; more than two blocks of what is written at once.
    for (std::size_t i = 0; i < data_.size(); ++i) data_[i] = static_cast<std::uint8_t>(i * i + (i >> 9));
    pool_ = take(ThreadPool::create(2));
  }

  PackedMatrices load(const std::string& path) {
    PackedMatrices packed = take(load_packed(sources_, {{}, path}, *pool_));
    if (packed.writer != nullptr) packed.writer->wait();
    return packed;
  }
  static std::vector<std::uint8_t> bytes_of(const PackedMatrices& packed) {
    return {packed.data(), packed.data() + packed.layout.bytes};
  }

  static constexpr std::uint32_t kRows = 1280, kColumns = 1024;
  std::vector<std::uint8_t> data_;
  std::vector<MatrixSource> sources_{{data_, TensorType::kF16, kRows, kColumns}};
  std::unique_ptr<ThreadPool> pool_;
};

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none))
    names.push_back(entry.path().filename().string());
  return names;
}

TEST_P(PackedCopyOnAFailingDisk, IsWholeOrNotThere) {
  const std::vector<std::uint8_t> expected = bytes_of(take(load_packed(sources_, {{}, ""}, *pool_)));
  for (const Shortage shortage : {Shortage::kOnce, Shortage::kLasting}) {
    std::uint64_t first = 1;
    for (bool reached = true; reached && first < kMostWrites; ++first) {
      SCOPED_TRACE(first);
      const TemporaryDirectory directory;
      const fs::path folder = directory.path() / "storage" / "packed";
      const std::string path = (folder / "model.packed").string();
      {
        const FailingFiles failing(first, GetParam(), shortage);
        const PackedMatrices packed = load(path);
        reached = failing.reached();
        EXPECT_FALSE(packed.from_copy());
        EXPECT_EQ(bytes_of(packed), expected);
      }
      // A part that could not be removed either is never read, and removed a day later.
      const std::vector<std::string> names = names_in(folder);
      if (GetParam() == ENOSPC) {
        for (const std::string& name : names) EXPECT_EQ(name, "model.packed");
      }
      EXPECT_LE(names.size(), 1u);
      if (fs::exists(path)) {
        EXPECT_EQ(fs::file_size(path), kPackedCopyHeaderBytes + expected.size());
      }
      EXPECT_EQ(bytes_of(load(path)), expected);
      const PackedMatrices third = load(path);
      EXPECT_TRUE(third.from_copy());
      EXPECT_EQ(bytes_of(third), expected);
    }
    EXPECT_GT(first, 8u) << "too few of its writes failed";
    EXPECT_LT(first, kMostWrites);
  }
}

TEST_P(PackedCopyOnAFailingDisk, IsMappedWhereItsLastUseCannotBeNoted) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("model.packed");
  const std::vector<std::uint8_t> expected = bytes_of(load(path));
  const FailingFiles failing(1, GetParam(), Shortage::kLasting);
  const PackedMatrices again = load(path);
  EXPECT_TRUE(failing.reached());
  EXPECT_TRUE(again.from_copy());
  EXPECT_EQ(bytes_of(again), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Disks, PackedCopyOnAFailingDisk, ::testing::Values(ENOSPC, EROFS, EACCES), [](const auto& tested) {
      return std::string(tested.param == ENOSPC ? "Full" : tested.param == EROFS ? "ReadOnly" : "NotOurs");
    });

}  // namespace
}  // namespace emberline::testing
#endif
