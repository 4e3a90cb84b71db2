#include "base/status.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

namespace emberline {
namespace {

TEST(Status, IsOkUnlessItHasACode) {
  EXPECT_TRUE(Status().ok());
  EXPECT_EQ(Status().code(), ErrorCode::kOk);
  const Status error(ErrorCode::kModelTruncated, "Download it again.");
  EXPECT_FALSE(error.ok());
  EXPECT_EQ(error.message(), "Download it again.");
}

TEST(Status, HasADistinctNameForEveryCode) {
  std::set<std::string> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kInternal); ++code) {
    const std::string name = code_name(static_cast<ErrorCode>(code));
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_EQ(name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_"), std::string::npos) << name;
  }
  EXPECT_STREQ(code_name(ErrorCode::kModelNotGguf), "MODEL_NOT_GGUF");
}

TEST(Result, HoldsAValueThatCanOnlyBeMoved) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(3);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result.code(), ErrorCode::kOk);
  const std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 3);
}

TEST(Result, HoldsAnError) {
  const Result<int> result = Status(ErrorCode::kOutOfMemory, "Close other programs.");
  EXPECT_FALSE(result.ok());
  EXPECT_EQ(result.code(), ErrorCode::kOutOfMemory);
  EXPECT_EQ(result.error().message(), "Close other programs.");
}

}  // namespace
}  // namespace emberline
