// What the scenarios of models play with: a tiny model with random weights, and what it says.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/model.h"
#include "engine/session.h"
#include "temporary_directory.h"

namespace emberline::testing {

class Stage {
 public:
  static constexpr std::uint32_t kContext = 96;

  // Made when it is first asked for, under no schedule.
  static const Stage& get();

  ModelOptions options(int threads) const;
  // For packed copies, empty.
  std::string empty_folder() const;

  static CompletionRequest short_request();  // what `expected` answers
  static CompletionRequest long_request();   // a prompt of several tokens, and as many as have room
  const std::vector<TokenId>& expected() const { return expected_; }

 private:
  Stage();

  TemporaryDirectory directory_;
  std::vector<TokenId> expected_;
};

}  // namespace emberline::testing
