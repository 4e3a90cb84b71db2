// Pages of the KV cache: who holds them, when they are copied, and where memory goes.
#include "model/kv_cache.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "forwarding_device.h"
#include "model/hyperparameters.h"
#include "reference/reference_device.h"
#include "take.h"

namespace emberline::testing {
namespace {

constexpr std::uint32_t kPage = kKvPagePositions;

class KvCacheTest : public ::testing::Test {
 protected:
  KvCacheTest() : device_(make_reference_device()) {
    h_.layers = 2;
    h_.kv_heads = 1;
    h_.head_width = 4;
    pool_ = take(KvPool::create(*device_, h_, kKvF16));
  }

  std::size_t used_pages() const { return pool_->pages() - pool_->free_pages(); }
  // The device's copy of the table.
  std::vector<std::uint32_t> table(const KvCache& cache, std::size_t pages) {
    std::vector<std::uint32_t> ids(pages);
    EXPECT_TRUE(device_->read(cache.pages().buffer, 0, ids.data(), ids.size() * 4).ok());
    return ids;
  }
  Binding page(std::uint32_t id, std::uint32_t layer) const {
    Binding at = pool_->values(layer);
    at.offset += std::uint64_t{id} * pool_->page_stride();
    return at;
  }
  void mark(std::uint32_t id, std::uint32_t mark) {
    for (std::uint32_t layer : {0u, 1u}) {
      const Binding at = page(id, layer);
      EXPECT_TRUE(device_->write(at.buffer, at.offset, &mark, 4).ok());
    }
  }
  std::uint32_t mark_of(std::uint32_t id) {
    std::uint32_t marks[2] = {};
    for (std::uint32_t layer : {0u, 1u}) {
      const Binding at = page(id, layer);
      EXPECT_TRUE(device_->read(at.buffer, at.offset, &marks[layer], 4).ok());
    }
    EXPECT_EQ(marks[0], marks[1]);
    return marks[0];
  }

  Hyperparameters h_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<KvPool> pool_;
};

TEST_F(KvCacheTest, MemoryOfPositionsIsThatOfTheirPages) {
  KvCache cache = take(KvCache::create(*pool_, 10 * kPage));
  for (const std::uint32_t positions : {1u, kPage, kPage + 1, 10 * kPage}) {
    ASSERT_TRUE(cache.prepare_write(0, positions).ok());
    EXPECT_EQ(kv_cache_bytes(h_, kKvF16, positions), cache.held_pages() * pool_->page_stride());
  }
}

TEST_F(KvCacheTest, TakesPagesAsPositionsAreWritten) {
  KvCache cache = take(KvCache::create(*pool_, 10 * kPage + 1));
  EXPECT_EQ(pool_->pages(), 0u);
  ASSERT_TRUE(cache.prepare_write(0, 1).ok());
  EXPECT_EQ(used_pages(), 1u);
  ASSERT_TRUE(cache.prepare_write(1, kPage).ok());
  EXPECT_EQ(used_pages(), 1u);
  ASSERT_TRUE(cache.prepare_write(kPage, kPage).ok());  // nothing to write
  EXPECT_EQ(used_pages(), 1u);
  ASSERT_TRUE(cache.prepare_write(kPage - 1, kPage + 1).ok());
  EXPECT_EQ(used_pages(), 2u);
  ASSERT_TRUE(cache.prepare_write(2 * kPage, 10 * kPage + 1).ok());
  EXPECT_EQ(used_pages(), 11u);
  const auto ids = table(cache, 11);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(ids[i], ids[j]);
  }
}

TEST_F(KvCacheTest, PagesGoBackAndAreTakenAgain) {
  {
    KvCache cache = take(KvCache::create(*pool_, 4 * kPage));
    ASSERT_TRUE(cache.prepare_write(0, 4 * kPage).ok());
    cache.truncate(2 * kPage + 1);
    EXPECT_EQ(used_pages(), 3u);
    cache.truncate(2 * kPage);
    EXPECT_EQ(used_pages(), 2u);
    cache.truncate(3 * kPage);
    EXPECT_EQ(used_pages(), 2u);
    cache.truncate(0);
    EXPECT_EQ(used_pages(), 0u);
    ASSERT_TRUE(cache.prepare_write(0, 3 * kPage).ok());
  }
  EXPECT_EQ(used_pages(), 0u);
  EXPECT_EQ(pool_->pages(), 4u);
}

TEST_F(KvCacheTest, AForkSharesEveryPage) {
  KvCache cache = take(KvCache::create(*pool_, 4 * kPage));
  ASSERT_TRUE(cache.prepare_write(0, 3 * kPage - 5).ok());
  std::vector<KvCache> forks;
  for (int i = 0; i < 5; ++i) forks.push_back(take(cache.fork()));
  EXPECT_EQ(used_pages(), 3u);
  for (const KvCache& fork : forks) {
    EXPECT_EQ(table(fork, 3), table(cache, 3));
    EXPECT_EQ(fork.context(), cache.context());
  }
  forks.clear();
  cache.truncate(0);
  EXPECT_EQ(used_pages(), 0u);
}

TEST_F(KvCacheTest, WhoWritesToASharedPageGetsACopy) {
  KvCache cache = take(KvCache::create(*pool_, 4 * kPage));
  ASSERT_TRUE(cache.prepare_write(0, 2 * kPage).ok());
  const auto before = table(cache, 2);
  mark(before[0], 100);
  mark(before[1], 101);
  KvCache fork = take(cache.fork());
  ASSERT_TRUE(fork.prepare_write(kPage + 7, kPage + 8).ok());
  const auto after = table(fork, 2);
  EXPECT_EQ(after[0], before[0]);
  EXPECT_NE(after[1], before[1]);
  EXPECT_EQ(mark_of(after[1]), 101u);
  EXPECT_EQ(table(cache, 2), before);
  EXPECT_EQ(used_pages(), 3u);
  // Nobody shares the old page any more.
  ASSERT_TRUE(cache.prepare_write(kPage + 7, kPage + 8).ok());
  EXPECT_EQ(table(cache, 2), before);
  EXPECT_EQ(used_pages(), 3u);
}

TEST_F(KvCacheTest, APageThatIsWrittenFromItsStartIsNotCopied) {
  KvCache cache = take(KvCache::create(*pool_, 2 * kPage));
  ASSERT_TRUE(cache.prepare_write(0, 2 * kPage).ok());
  mark(table(cache, 2)[1], 55);
  KvCache fork = take(cache.fork());
  const std::uint32_t next = take(pool_->take()).id();  // what the fork will get
  mark(next, 66);
  ASSERT_TRUE(fork.prepare_write(kPage, kPage + 1).ok());
  ASSERT_EQ(table(fork, 2)[1], next);
  EXPECT_EQ(mark_of(next), 66u);
}

// The reference, with memory for two pages.
class TwoPages final : public ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  std::size_t page_bytes = 0;
  Status grow(BufferId buffer, std::size_t bytes) override {
    if (bytes > 2 * page_bytes) return Status(ErrorCode::kOutOfMemory, "two pages are enough");
    return ForwardingDevice::grow(buffer, bytes);
  }
};

TEST_F(KvCacheTest, NoMemoryIsAnErrorThatLeavesWhatIsThere) {
  TwoPages device(make_reference_device());
  Hyperparameters h{};
  h.layers = h.kv_heads = h.head_width = 1;
  const auto pool = take(KvPool::create(device, h, kKvF16));
  device.page_bytes = pool->page_stride();
  KvCache cache = take(KvCache::create(*pool, 8 * kPage));
  ASSERT_TRUE(cache.prepare_write(0, 1).ok());
  EXPECT_EQ(cache.prepare_write(0, 3 * kPage).code(), ErrorCode::kOutOfMemory);
  EXPECT_EQ(cache.held_pages(), 2u);
  KvCache fork = take(cache.fork());
  EXPECT_EQ(fork.prepare_write(1, 2).code(), ErrorCode::kOutOfMemory);
  EXPECT_EQ(fork.held_pages(), 2u);
  cache.truncate(0);
  EXPECT_TRUE(fork.prepare_write(1, 2 * kPage).ok());
}

TEST_F(KvCacheTest, AModelWhosePagesCannotBeIsAnError) {
  Hyperparameters h{};
  h.layers = 1 << 16;
  h.kv_heads = 64;
  h.head_width = 128;
  EXPECT_EQ(KvPool::create(*device_, h, kKvF16).code(), ErrorCode::kOutOfMemory);
}

}  // namespace
}  // namespace emberline::testing
