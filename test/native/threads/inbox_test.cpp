// The queue between the JS thread and the engines' threads: nothing is lost, doubled or overtaken, and what
// is refused is refused for good.
#include "addon/inbox.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

#include "addon/work_thread.h"

namespace emberline::testing {
namespace {

using addon::Inbox;

struct Numbered : Inbox::Link {
  int sender = 0;
  int number = 0;
};

std::vector<int> numbers_of(const Inbox::Link* links) {
  std::vector<int> numbers;
  for (; links != nullptr; links = links->next)
    numbers.push_back(static_cast<const Numbered*>(links)->number);
  return numbers;
}

std::vector<Numbered> numbered(int count, int sender = 0) {
  std::vector<Numbered> all(static_cast<std::size_t>(count));
  for (int number = 0; number < count; ++number) {
    all[static_cast<std::size_t>(number)].sender = sender;
    all[static_cast<std::size_t>(number)].number = number;
  }
  return all;
}

TEST(Inbox, GivesWhatThereIsInOrder) {
  Inbox inbox;
  EXPECT_EQ(inbox.take(), nullptr);
  std::vector<Numbered> all = numbered(5);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(inbox.push(all[static_cast<std::size_t>(i)]));
  EXPECT_EQ(numbers_of(inbox.take()), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(inbox.take(), nullptr);
  // What was taken may be put in again.
  for (const int i : {4, 1, 3}) EXPECT_TRUE(inbox.push(all[static_cast<std::size_t>(i)]));
  EXPECT_EQ(numbers_of(inbox.take()), (std::vector<int>{4, 1, 3}));
}

TEST(Inbox, TakesNothingOnceClosedAndGivesWhatItHas) {
  Inbox inbox;
  std::vector<Numbered> all = numbered(4);
  EXPECT_TRUE(inbox.push(all[0]));
  EXPECT_TRUE(inbox.close(all[1]));
  EXPECT_FALSE(inbox.push(all[2]));
  EXPECT_FALSE(inbox.close(all[3]));
  EXPECT_EQ(numbers_of(inbox.take()), (std::vector<int>{0, 1}));
  EXPECT_FALSE(inbox.push(all[2]));
  inbox.close();
  EXPECT_EQ(inbox.take(), nullptr);
}

TEST(Inbox, KeepsTheOrderOfEachOfManySenders) {
  constexpr int kSenders = 4, kEach = 20'000;
  Inbox inbox;
  std::vector<std::vector<Numbered>> all;
  for (int sender = 0; sender < kSenders; ++sender) all.push_back(numbered(kEach, sender));
  std::vector<std::thread> senders;
  for (std::vector<Numbered>& own : all) {
    senders.emplace_back([&inbox, &own] {
      for (Numbered& one : own) EXPECT_TRUE(inbox.push(one));
    });
  }
  std::vector<int> next(kSenders, 0);
  bool in_order = true;
  for (int received = 0; received < kSenders * kEach;) {
    const Inbox::Link* link = inbox.take();
    if (link == nullptr) std::this_thread::yield();
    for (; link != nullptr; link = link->next, ++received) {
      const auto* const one = static_cast<const Numbered*>(link);
      in_order = in_order && one->number == next[static_cast<std::size_t>(one->sender)]++;
    }
  }
  for (std::thread& sender : senders) sender.join();
  EXPECT_TRUE(in_order);
  EXPECT_EQ(next, std::vector<int>(kSenders, kEach));
  EXPECT_EQ(inbox.take(), nullptr);
}

// Whoever hands jobs over while another ends the thread is told of each whether it runs.
TEST(WorkThread, RunsEveryJobThatItTookAndTheLastAtLast) {
  constexpr int kRounds = 50, kJobs = 50;
  for (int round = 0; round < kRounds; ++round) {
    std::atomic<int> ran{0};
    int ran_before_last = -1;
    std::atomic<int> taken{0};
    addon::WorkThread thread;
    ASSERT_TRUE(thread.start().ok());
    std::thread other([&] {
      for (int job = 0; job < kJobs; ++job)
        if (thread.post([&ran] { ++ran; })) ++taken;
    });
    while (taken < round) std::this_thread::yield();
    thread.finish([&] { ran_before_last = ran; });
    thread.finish([&] { ran_before_last = -2; });
    other.join();
    thread.join();
    EXPECT_FALSE(thread.post([] {}));
    EXPECT_EQ(ran, taken);
    EXPECT_EQ(ran_before_last, taken);
  }
}

}  // namespace
}  // namespace emberline::testing
