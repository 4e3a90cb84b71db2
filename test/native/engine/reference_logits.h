// The committed reference logits of the embedded model, as test/fixtures/reference/README.md lays them out.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/half.h"

namespace emberline::testing {

// After one position of one sequence.
struct TopRecord {
  std::array<std::uint16_t, 64> ids;
  std::array<float, 64> log_probs;
  float tail_mass;  // the probability of all other ids
  float log_sum;    // log-probability + this = logit
};
static_assert(sizeof(TopRecord) == 392);

struct FullRecord {
  std::uint32_t sequence = 0, position = 0;
  std::vector<float> logits;
};

struct ReferenceLogits {
  std::vector<std::vector<std::uint32_t>> sequences;
  std::vector<TopRecord> top;  // position after position, sequence after sequence
  std::vector<FullRecord> full;
};

inline std::vector<char> read_fixture(const std::string& name) {
  std::ifstream stream(std::string(EMBERLINE_SOURCE_DIR) + "/test/fixtures/reference/" + name,
                       std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  EXPECT_FALSE(bytes.empty()) << name;
  return bytes;
}

inline ReferenceLogits read_reference_logits(std::size_t vocabulary) {
  ReferenceLogits reference;
  const std::vector<char> sequences = read_fixture("sequences.bin");
  const auto word = [](const std::vector<char>& bytes, std::size_t at) {
    std::uint32_t value = 0;
    if (at + 4 <= bytes.size()) std::memcpy(&value, bytes.data() + at, 4);
    return value;
  };
  std::size_t at = 4;
  for (std::uint32_t count = word(sequences, 0); count > 0; --count) {
    std::vector<std::uint32_t>& ids = reference.sequences.emplace_back(word(sequences, at));
    at += 4;
    for (std::uint32_t& id : ids) {
      id = word(sequences, at);
      at += 4;
    }
  }
  EXPECT_EQ(at, sequences.size());

  const std::vector<char> top = read_fixture("top64.bin");
  EXPECT_EQ(top.size() % sizeof(TopRecord), 0u);
  reference.top.resize(top.size() / sizeof(TopRecord));
  std::memcpy(reference.top.data(), top.data(), reference.top.size() * sizeof(TopRecord));

  const std::vector<char> full = read_fixture("full32.bin");
  const std::size_t record_bytes = 8 + 2 * vocabulary;
  EXPECT_EQ(full.size() % record_bytes, 0u);
  for (std::size_t start = 0; start + record_bytes <= full.size(); start += record_bytes) {
    FullRecord& record = reference.full.emplace_back();
    record.sequence = word(full, start);
    record.position = word(full, start + 4);
    record.logits.resize(vocabulary);
    for (std::size_t i = 0; i < vocabulary; ++i) {
      std::uint16_t half;
      std::memcpy(&half, full.data() + start + 8 + 2 * i, 2);
      record.logits[i] = f16_to_f32(half);
    }
  }
  return reference;
}

}  // namespace emberline::testing
