// How sure each token of a generated text was and where the text ended behind it, found out from the ids
// alone, all bytes anew for each of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "decode/generation.h"
#include "tokenizer/utf8_stream.h"
#include "toy_decoder.h"

namespace emberline::testing {

// UTF-16 units of the characters that `bytes` hold whole.
inline std::uint32_t whole_units(std::string_view bytes) {
  const std::string text = Utf8Stream().feed(bytes);
  std::uint32_t units = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Unit unit = read_utf8(text, at);
    units += unit.code_point > 0xFFFF ? 2 : 1;
    at += unit.length;
  }
  return units;
}

// Holds for every text; of one with a constraint where that reads no control token.
inline void expect_course(const ToyDecoder& decoder, const Generation& made, const TextRequest& request) {
  const std::string& prefix = request.required_prefix;
  std::string bytes;
  std::vector<std::uint32_t> ends;
  for (const TokenId& id : made.ids) {
    const std::string_view token = decoder.tokenizer->bytes(id);
    const bool goes_beyond = bytes.size() + token.size() > prefix.size() && !token.empty();
    if (!decoder.sets.ends.contains(id)) bytes += token;
    if (!goes_beyond) continue;
    ASSERT_EQ(made.id_probabilities.size(), made.ids.size());
    EXPECT_EQ(made.id_probabilities[static_cast<std::size_t>(&id - made.ids.data())],
              made.token_probabilities.at(ends.size()));
    std::string_view beyond = std::string_view(bytes).substr(prefix.size());
    if (request.single_line) beyond = beyond.substr(0, beyond.find_first_of("\r\n"));
    ends.push_back(whole_units(beyond));
  }
  EXPECT_EQ(made.token_ends, ends);
  EXPECT_TRUE(std::is_sorted(ends.begin(), ends.end()));
  EXPECT_EQ(ends.empty() ? 0u : ends.back(), whole_units(made.text));

  ASSERT_EQ(made.token_probabilities.size(), ends.size());
  double product = ends.empty() ? 0 : 1;
  for (const float probability : made.token_probabilities) {
    EXPECT_GE(probability, 0.0f);
    EXPECT_LE(probability, 1.0f);
    product *= double{probability};
  }
  // Each of them is rounded once.
  const double rounding = std::ldexp(static_cast<double>(ends.size() + 1), -23);
  EXPECT_NEAR(made.confidence, product, rounding * product);
}

// Of the same ids, chosen in another way.
inline void expect_same_course(const Generation& made, const Generation& expected) {
  EXPECT_EQ(made.token_ends, expected.token_ends);
  ASSERT_EQ(made.token_probabilities.size(), expected.token_probabilities.size());
  for (std::size_t token = 0; token < expected.token_probabilities.size(); ++token) {
    const float probability = expected.token_probabilities[token];
    EXPECT_NEAR(made.token_probabilities[token], probability, 1e-4f * probability) << token;
  }
}

}  // namespace emberline::testing
