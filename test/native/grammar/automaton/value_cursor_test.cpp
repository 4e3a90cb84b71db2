// Cursors against every spelling of small values.
#include "grammar/automaton/value_cursor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "grammar/json/normal_form.h"

namespace emberline::grammar {
namespace {

using emberline::testing::normal_form;

// Every text of `value` without whitespace.
std::vector<std::string> spellings(const Json& value) {
  const bool object = value.is(JsonKind::kObject);
  if (!object && !value.is(JsonKind::kArray)) return {emberline::testing::take(canonical_json(value))};
  std::vector<std::size_t> order(value.items.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::vector<std::string> all;
  do {
    std::vector<std::string> texts{object ? "{" : "["};
    for (std::size_t i = 0; i < order.size(); ++i) {
      std::vector<std::string> longer;
      for (const std::string& front : texts) {
        for (const std::string& each : spellings(value.items[order[i]])) {
          longer.push_back(front + (i > 0 ? "," : "") +
                           (object ? "\"" + value.keys[order[i]] + "\":" : std::string()) + each);
        }
      }
      texts = std::move(longer);
    }
    for (const std::string& each : texts) all.push_back(each + (object ? "}" : "]"));
  } while (object && std::next_permutation(order.begin(), order.end()));
  return all;
}

TEST(ValueCursor, FollowsEverySpellingAndNothingElse) {
  for (const std::string text :
       {R"({})", R"([])", R"(1)", R"("a\"b")", R"({"a":1,"ab":[1,11,{}],"b":{"c":"x","d":null}})",
        R"([{"a":1,"b":2},{"b":1,"a":2},[]])", R"({"a":{"a":{"a":"\\"},"b":1}})"}) {
    const ValueTree tree(text);
    EXPECT_EQ(tree.normalised(), normal_form(text));
    std::set<std::string> fronts, whole;
    for (const std::string& each : spellings(emberline::testing::take(read_json(text)))) {
      whole.insert(each);
      for (std::size_t length = 0; length <= each.size(); ++length) fronts.insert(each.substr(0, length));
    }
    for (const std::string& front : fronts) {
      ValueCursor cursor(tree);
      ASSERT_TRUE(cursor.step(std::string_view(front))) << front;
      EXPECT_EQ(cursor.at_end(), whole.count(front) > 0) << front;
      std::bitset<256> next;
      cursor.add_next(next);
      for (unsigned byte = 0; byte < 256; ++byte) {
        const auto each = static_cast<unsigned char>(byte);
        ValueCursor behind = cursor;
        EXPECT_EQ(behind.step(each), next[byte]) << front << " and " << byte;
        const bool space = each == ' ' || each == '\t' || each == '\n' || each == '\r';
        if (!space) {
          EXPECT_EQ(next[byte], fronts.count(front + static_cast<char>(each)) > 0) << front;
        }
      }
    }
  }
}

TEST(ValueCursor, ReadsWhitespaceBetweenTokens) {
  const ValueTree tree(R"({"a b":[1,"x y"],"c":{}})");
  const std::string text = "{ \"c\"\n: { } ,\t\"a b\" :[ 1 , \"x y\" ]\r\n}";
  EXPECT_EQ(ValueTree(text).normalised(), tree.normalised());
  ValueCursor cursor(tree);
  EXPECT_TRUE(cursor.step(std::string_view(text)));
  EXPECT_TRUE(cursor.at_end());
  EXPECT_FALSE(ValueCursor(tree).step(std::string_view("{\"a  ")));
  EXPECT_FALSE(ValueCursor(tree).step(std::string_view("{\"c\":{},\"c\"")));
  EXPECT_FALSE(ValueCursor(tree).step(std::string_view("{\"c\":{}}")));
}

}  // namespace
}  // namespace emberline::grammar
