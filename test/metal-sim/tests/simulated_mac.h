// A test on a simulated Mac that is as new: failures are recorded, and at the end there may be none left, nor
// an Objective-C object that was not there at the start.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "host/control.h"

namespace emberline::metal_sim {

class SimulatedMac : public testing::Test {
 protected:
  void SetUp() override {
    reset();
    set_failure_policy(FailurePolicy::kRecord);
    before_ = live_objects_by_class();
  }
  void TearDown() override {
    for (const Failure& failure : take_failures()) {
      ADD_FAILURE() << failure_name(failure.kind) << ": " << failure.sentence;
    }
    EXPECT_EQ(live_objects_by_class(), before_) << "objects leaked";
    reset();
  }

  // Takes the failures so far: there is one, of this kind, and its sentence holds `part`.
  static void expect_failure(FailureKind kind, const std::string& part) {
    const auto failures = take_failures();
    ASSERT_EQ(failures.size(), 1u) << "expected one about: " << part;
    EXPECT_EQ(failures[0].kind, kind) << failures[0].sentence;
    EXPECT_NE(failures[0].sentence.find(part), std::string::npos) << failures[0].sentence;
  }

 private:
  std::map<std::string, long> before_;
};

}  // namespace emberline::metal_sim
