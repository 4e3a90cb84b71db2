// The exact law of a program that takes uniform numbers: every interval of numbers that changes nothing is
// found, and its length counted.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "decode/speculation/uniform_source.h"

namespace emberline::testing {

// Numbers written down beforehand, in the order they are asked for; behind them zeros.
class ScriptedUniforms final : public UniformSource {
 public:
  explicit ScriptedUniforms(std::span<const double> script) : script_(script) {}
  double uniform(std::uint64_t, RandomStream) override {
    const std::size_t index = asked_++;
    return index < script_.size() ? script_[index] : 0;
  }
  std::size_t asked() const { return asked_; }

 private:
  std::span<const double> script_;
  std::size_t asked_ = 0;
};

// What a program does with its numbers, as an integer.
using UniformProgram = std::function<std::uint32_t(UniformSource&)>;

// The probability of each outcome, when the numbers are independent and uniform over the multiples of 2^-53
// in [0, 1). The program must respond to each number, those before it held fixed, in intervals: one for each
// thing that it does; numbers between the found ends are tried for that.
class UniformEnumeration {
 public:
  explicit UniformEnumeration(UniformProgram program) : program_(std::move(program)) {}

  std::map<std::uint32_t, double> law() {
    law_.clear();
    script_.clear();
    split(1);
    return law_;
  }

 private:
  static constexpr std::uint64_t kNumbers = std::uint64_t{1} << 53;

  struct Response {
    std::uint32_t outcome;  // with zeros behind the script
    std::size_t asked;
    bool operator==(const Response&) const = default;
  };

  Response respond() {
    ScriptedUniforms uniforms(script_);
    const std::uint32_t outcome = program_(uniforms);
    return {outcome, uniforms.asked()};
  }
  Response respond(std::uint64_t number) {
    script_.back() = static_cast<double>(number) * 0x1p-53;
    return respond();
  }

  // Adds what the program does behind script_, all of it together having the probability `weight`.
  void split(double weight) {
    const Response response = respond();
    if (response.asked <= script_.size()) {
      law_[response.outcome] += weight;
      return;
    }
    script_.push_back(0);
    for (std::uint64_t first = 0; first < kNumbers;) {
      const Response here = respond(first);
      std::uint64_t last = kNumbers - 1;
      if (respond(last) != here) {
        std::uint64_t beyond = last;
        for (last = first; beyond - last > 1;) {
          const std::uint64_t middle = last + (beyond - last) / 2;
          (respond(middle) == here ? last : beyond) = middle;
        }
      }
      try_between(first, last, here);
      script_.back() = static_cast<double>(first) * 0x1p-53;
      split(weight * static_cast<double>(last - first + 1) * 0x1p-53);
      first = last + 1;
    }
    script_.pop_back();
  }

  void try_between(std::uint64_t first, std::uint64_t last, const Response& expected) {
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(respond(first + random_() % (last - first + 1)), expected) << "not an interval";
    }
  }

  UniformProgram program_;
  std::vector<double> script_;
  std::map<std::uint32_t, double> law_;
  std::mt19937_64 random_{1};
};

}  // namespace emberline::testing
