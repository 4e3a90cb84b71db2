#include "engine/packed_copy_path.h"

#include <gtest/gtest.h>

#include <string>

namespace emberline {
namespace {

const FileIdentity kIdentity{0xABC, 0x12, 0x3};

TEST(PackedCopyPath, IsNamedByTheModelAndWhichFileItIs) {
  EXPECT_EQ(packed_copy_path("/copies", "/models/small.Q4_1.gguf", kIdentity),
            "/copies/small.Q4_1-abc-12-3.packed");
  EXPECT_EQ(packed_copy_path("C:/copies", "D:\\models\\small.gguf", kIdentity),
            "C:/copies/small-abc-12-3.packed");
  EXPECT_EQ(packed_copy_path("", "/models/small.gguf", kIdentity), "");
}

TEST(PackedCopyPath, CutsALongNameBetweenCharacters) {
  const std::string end = "-abc-12-3.packed";
  const auto stem_of = [&](const std::string& stem) {
    return packed_copy_path("/c", "/m/" + stem + ".gguf", kIdentity);
  };
  EXPECT_EQ(stem_of(std::string(128, 'x')), "/c/" + std::string(128, 'x') + end);
  EXPECT_EQ(stem_of(std::string(200, 'x')), "/c/" + std::string(128, 'x') + end);
  for (const std::string character : {"\u00E9", "\u6A21", "\U0001F600"}) {
    for (std::size_t before = 120; before <= 128; ++before) {
      std::string stem(before, 'x');
      while (stem.size() + character.size() <= 128) stem += character;
      EXPECT_EQ(stem_of(stem + character + character), "/c/" + stem + end) << character << ' ' << before;
    }
  }
}

}  // namespace
}  // namespace emberline
