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
    h_.architecture = find_architecture("llama");
    memory_ = take(KvMemory::create(*device_, h_, kKvF16));
    pool_ = memory_->kinds().front().pool.get();
  }

  std::size_t used_pages() const { return pool_->pages() - pool_->free_pages(); }
  // The device's copy of the table.
  std::vector<std::uint32_t> table(const KvCache& cache, std::size_t pages) {
    std::vector<std::uint32_t> ids(pages);
    EXPECT_TRUE(device_->read(cache.pages(0).buffer, 0, ids.data(), ids.size() * 4).ok());
    return ids;
  }
  Binding page(std::uint32_t id, std::uint32_t layer) const {
    Binding at = memory_->values(layer);
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
  std::unique_ptr<KvMemory> memory_;
  KvPool* pool_;
};

TEST_F(KvCacheTest, MemoryOfPositionsIsThatOfTheirPages) {
  KvCache cache = take(KvCache::create(*memory_, 10 * kPage));
  for (const std::uint32_t positions : {1u, kPage, kPage + 1, 10 * kPage}) {
    ASSERT_TRUE(cache.prepare_write(0, positions).ok());
    EXPECT_EQ(kv_cache_bytes(h_, kKvF16, positions), cache.held_bytes());
  }
}

TEST_F(KvCacheTest, TakesPagesAsPositionsAreWritten) {
  KvCache cache = take(KvCache::create(*memory_, 10 * kPage + 1));
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
    KvCache cache = take(KvCache::create(*memory_, 4 * kPage));
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
  KvCache cache = take(KvCache::create(*memory_, 4 * kPage));
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
  KvCache cache = take(KvCache::create(*memory_, 4 * kPage));
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
  KvCache cache = take(KvCache::create(*memory_, 2 * kPage));
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
  h_.layers = h_.kv_heads = h_.head_width = 1;
  const auto memory = take(KvMemory::create(device, h_, kKvF16));
  device.page_bytes = memory->page_stride(0);
  KvCache cache = take(KvCache::create(*memory, 8 * kPage));
  ASSERT_TRUE(cache.prepare_write(0, 1).ok());
  EXPECT_EQ(cache.prepare_write(0, 3 * kPage).code(), ErrorCode::kOutOfMemory);
  EXPECT_EQ(cache.held_bytes(), 2 * device.page_bytes);
  KvCache fork = take(cache.fork());
  EXPECT_EQ(fork.prepare_write(1, 2).code(), ErrorCode::kOutOfMemory);
  EXPECT_EQ(fork.held_bytes(), 2 * device.page_bytes);
  cache.truncate(0);
  EXPECT_TRUE(fork.prepare_write(1, 2 * kPage).ok());
}

TEST_F(KvCacheTest, AModelWhosePagesCannotBeIsAnError) {
  h_.layers = 1 << 16;
  h_.kv_heads = 64;
  h_.head_width = 128;
  EXPECT_EQ(KvMemory::create(*device_, h_, kKvF16).code(), ErrorCode::kOutOfMemory);
}

// Three layers with a window of 300 positions to one that sees everything.
class WindowedKvCache : public ::testing::Test {
 protected:
  WindowedKvCache() : device_(make_reference_device()) {
    h_.architecture = find_architecture("olmo2");
    h_.layers = 8;
    h_.kv_heads = 1;
    h_.head_width = 4;
    h_.window = kWindow;
    h_.global_every = 4;
    memory_ = take(KvMemory::create(*device_, h_, kKvF16));
  }
  std::size_t used_pages(std::size_t kind) const {
    const KvPool& pool = *memory_->kinds()[kind].pool;
    return pool.pages() - pool.free_pages();
  }

  static constexpr std::uint32_t kWindow = 300, kContext = 20 * kPage;
  Hyperparameters h_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<KvMemory> memory_;
};

TEST_F(WindowedKvCache, LayersOfAKindShareAPool) {
  EXPECT_EQ(kv_layers(h_), (std::vector<KvLayers>{{0, 2}, {kWindow, 6}}));
  std::vector<std::uint64_t> next(2);
  for (std::uint32_t layer = 0; layer < h_.layers; ++layer) {
    const std::size_t kind = memory_->kind(layer);
    EXPECT_EQ(kind, layer % 4 == 3 ? 0u : 1u);
    const Binding keys = memory_->keys(layer), values = memory_->values(layer);
    EXPECT_EQ(keys.buffer, values.buffer);
    EXPECT_EQ(keys.offset, next[kind]);
    EXPECT_EQ(values.offset - keys.offset, kv_page_bytes(1, 4, kKvF16));
    next[kind] = values.offset + kv_page_bytes(1, 4, kKvF16);
    EXPECT_EQ(memory_->page_stride(layer), kv_page_bytes(memory_->kinds()[kind].layers, h_, kKvF16));
  }
  EXPECT_NE(memory_->keys(0).buffer, memory_->keys(3).buffer);
}

// Wherever in a page the writes begin: of some the largest number of pages is held, of none more.
TEST_F(WindowedKvCache, HoldsNoMoreThanIsSaid) {
  for (const std::uint32_t context : {kPage, 3 * kPage, kContext}) {
    std::uint64_t most = 0;
    for (std::uint32_t offset = 1; offset <= kPage; offset += 51) {
      KvCache cache = take(KvCache::create(*memory_, context));
      ASSERT_TRUE(cache.prepare_write(0, offset).ok());
      for (std::uint32_t begin = offset; begin < context; begin += kMostWritten) {
        ASSERT_TRUE(cache.prepare_write(begin, std::min(begin + kMostWritten, context)).ok());
        most = std::max(most, cache.held_bytes());
      }
    }
    EXPECT_EQ(most, kv_cache_bytes(h_, kKvF16, context));
  }
  EXPECT_LT(kv_pages_held(kWindow, kContext), kv_page_count(kContext) / 2);
  EXPECT_EQ(kv_pages_held(0, kContext), kv_page_count(kContext));
  EXPECT_EQ(kv_pages_held(std::uint32_t{1} << 31, kContext), kv_page_count(kContext));
}

TEST_F(WindowedKvCache, GoesOnFromWhereAllIsHeldThatARowSees) {
  KvCache cache = take(KvCache::create(*memory_, kContext));
  EXPECT_TRUE(cache.can_continue(0));
  for (std::uint32_t begin = 0; begin < kContext; begin += 64) {
    ASSERT_TRUE(cache.prepare_write(begin, begin + 64).ok());
    EXPECT_TRUE(cache.can_continue(0));
    const std::uint32_t least = begin > kKvMargin ? begin - kKvMargin : 0;
    for (std::uint32_t position = least; position <= begin + 64; ++position)
      ASSERT_TRUE(cache.can_continue(position)) << position << " behind " << begin;
    // What lies before is held as far as whole pages are.
    const std::uint32_t held = kv_kept_from(kWindow, begin) / kPage * kPage;
    for (std::uint32_t position = 1; position < least; ++position)
      ASSERT_EQ(cache.can_continue(position), held == 0 || position + 1 >= held + kWindow) << position;
  }
  EXPECT_EQ(cache.prepare_write(500, 501).code(), ErrorCode::kInternal);
  cache.truncate(0);
  EXPECT_EQ(cache.held_bytes(), 0u);
  EXPECT_TRUE(cache.can_continue(500));
  ASSERT_TRUE(cache.prepare_write(0, 10).ok());
  EXPECT_EQ(used_pages(1), 1u);
}

TEST_F(WindowedKvCache, BeginsAnewWithoutBeingTruncated) {
  KvCache cache = take(KvCache::create(*memory_, kContext));
  for (std::uint32_t begin = 0; begin < kContext; begin += kPage)
    ASSERT_TRUE(cache.prepare_write(begin, begin + kPage).ok());
  ASSERT_TRUE(cache.prepare_write(0, 10).ok());
  EXPECT_EQ(used_pages(1), 1u);
  EXPECT_TRUE(cache.can_continue(10));
}

TEST_F(WindowedKvCache, AForkKeepsWhatItsOriginGivesUp) {
  KvCache cache = take(KvCache::create(*memory_, kContext));
  for (std::uint32_t begin = 0; begin < 8 * kPage; begin += kPage)
    ASSERT_TRUE(cache.prepare_write(begin, begin + kPage).ok());
  const std::size_t held = used_pages(1);
  KvCache fork = take(cache.fork());
  EXPECT_EQ(used_pages(1), held);
  EXPECT_EQ(fork.held_bytes(), cache.held_bytes());
  for (std::uint32_t begin = 8 * kPage; begin < kContext; begin += kPage)
    ASSERT_TRUE(cache.prepare_write(begin, begin + kPage).ok());
  EXPECT_FALSE(cache.can_continue(7 * kPage));
  EXPECT_TRUE(fork.can_continue(7 * kPage));
  EXPECT_TRUE(fork.prepare_write(7 * kPage, 8 * kPage).ok());
  fork.truncate(0);
  cache.truncate(0);
  EXPECT_EQ(used_pages(0) + used_pages(1), 0u);
}

}  // namespace
}  // namespace emberline::testing
