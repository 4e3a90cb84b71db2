#include "grammar/schema/uri.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace emberline::grammar {
namespace {

// RFC 3986, section 5.4.
TEST(Uri, ResolvesTheExamplesOfTheRfc) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q#s"},
      {"g#s", "http://a/b/c/g#s"},
      {"g?y#s", "http://a/b/c/g?y#s"},
      {";x", "http://a/b/c/;x"},
      {"g;x", "http://a/b/c/g;x"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
  };
  for (const auto& [reference, expected] : cases)
    EXPECT_EQ(resolved_uri("http://a/b/c/d;p?q", reference), expected) << reference;
}

TEST(Uri, ResolvesAgainstWhatHasNoHierarchy) {
  EXPECT_EQ(resolved_uri("", "#a"), "#a");
  EXPECT_EQ(resolved_uri("", "item.json#a"), "item.json#a");
  EXPECT_EQ(resolved_uri("urn:uuid:1", "#a"), "urn:uuid:1#a");
  EXPECT_EQ(resolved_uri("http://a", "b"), "http://a/b");
}

TEST(Uri, Splits) {
  EXPECT_EQ(split_uri("a#b#c").document, "a");
  EXPECT_EQ(split_uri("a#b").fragment, "b");
  EXPECT_EQ(split_uri("a").fragment, "");
  EXPECT_EQ(percent_decoded("a%25b%2f%zz%4"), "a%b/%zz%4");
}

}  // namespace
}  // namespace emberline::grammar
