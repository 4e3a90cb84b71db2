// What a trie of tokens knows of sets of them, against every token.
#include "grammar/automaton/token_trie.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <vector>

#include "grammar/automaton/token_bits.h"
#include "tokenizer/embedded_tokenizer.h"

namespace emberline::grammar::testing {
namespace {

using emberline::testing::load_embedded_tokenizer;

class TokenTrieRealModel : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::unique_ptr<Tokenizer> tokenizer = load_embedded_tokenizer();
    ASSERT_NE(tokenizer, nullptr);
    trie_ = TokenTrie::build(*tokenizer, tokenizer->vocabulary_size()).value();
  }
  std::shared_ptr<const TokenTrie> trie_;
};

// Without a table of forms: by code points. A character that is cut at the end counts as an ordinary one.
ByteKinds kinds_of(std::string_view text) {
  ByteKinds kinds = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto lead = static_cast<unsigned char>(text[at++]);
    if (lead < 0x80) {
      kinds |= kAsciiKinds[lead];
      continue;
    }
    const std::size_t more = lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : 1;
    if (lead < 0xC2 || lead > 0xF4) return kIllFormed;
    std::uint32_t code = lead & (0x3Fu >> more);
    std::size_t read = 0;
    for (; read < more && at < text.size(); ++read, ++at) {
      const auto byte = static_cast<unsigned char>(text[at]);
      if (byte < 0x80 || byte > 0xBF) return kIllFormed;
      code = code << 6 | (byte & 0x3Fu);
      if (read > 0) continue;
      if ((lead == 0xE0 && byte < 0xA0) || (lead == 0xED && byte > 0x9F) || (lead == 0xF0 && byte < 0x90) ||
          (lead == 0xF4 && byte > 0x8F))
        return kIllFormed;
    }
    static const std::vector<std::uint32_t> kSpaces{0xA0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003,
                                                    0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009,
                                                    0x200A, 0x202F, 0x205F, 0x3000, 0xFEFF};
    if (read == more && (code == 0x2028 || code == 0x2029)) {
      kinds |= kWideLine;
    } else if (read == more && std::find(kSpaces.begin(), kSpaces.end(), code) != kSpaces.end()) {
      kinds |= kWideSpace;
    } else {
      kinds |= kWide;
    }
  }
  return kinds;
}

TEST_F(TokenTrieRealModel, SetsOfKindsAreThoseOfEveryToken) {
  const ByteKinds letters = kAsciiKinds['a'] | kAsciiKinds['z'] | kAsciiKinds['A'] | kAsciiKinds['Z'];
  for (const ByteKinds kinds :
       {kPlainKinds, ByteKinds{0}, letters, letters | kAsciiKinds[' '] | kAsciiKinds['0'],
        kPlainKinds & ~kAsciiKinds[':'], kPlainKinds & ~kWideLine, kPlainKinds & ~(kWide | kWideSpace)}) {
    const std::vector<std::uint64_t> set = trie_->made_of(kinds);
    for (const TokenId id : trie_->all().tokens())
      ASSERT_EQ(has_token(set, id), (kinds_of(trie_->bytes(id)) & ~kinds) == 0) << id;
  }
}

TEST_F(TokenTrieRealModel, ShortTokensAreThoseOfSoManyCharacters) {
  const std::vector<std::uint64_t> some = trie_->made_of(kPlainKinds & ~kAsciiKinds['a']);
  for (const std::uint32_t most : {0u, 1u, 5u, 31u, 32u, 33u, 40u, 1000u, 0xFFFFFFFFu}) {
    std::vector<std::uint64_t> found(trie_->words(), 0);
    trie_->add_short(some, most, found);
    for (const TokenId id : trie_->all().tokens()) {
      const std::string_view text = trie_->bytes(id);
      const auto begun =
          std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xC0) != 0x80; });
      ASSERT_EQ(has_token(found, id), has_token(some, id) && begun <= std::int64_t{most})
          << id << " of " << most;
    }
  }
}

TEST_F(TokenTrieRealModel, NodesTellTheKindsOfAllThatIsBelow) {
  const ByteTrie& all = trie_->all();
  for (std::uint32_t node = 0; node < all.size(); ++node) {
    const ByteTrie::Node& each = all.nodes()[node];
    ByteKinds kinds = 0;
    std::size_t longest = 0;
    for (const TokenId id : all.tokens_below(node)) {
      const std::string_view rest = trie_->bytes(id).substr(each.depth - 1u);
      kinds |= kinds_of(rest);
      longest = std::max(longest, rest.size());
    }
    if ((kinds & kIllFormed) != 0) {
      ASSERT_NE(each.kinds & kIllFormed, 0u) << node;
    } else {
      // What whitespace begins like, ordinary characters do, too, whether there are any or not.
      const ByteKinds maybe = (kinds & (kWideSpace | kWideLine)) != 0 ? kWide : 0;
      ASSERT_EQ(each.kinds | maybe, kinds | maybe) << node;
    }
    ASSERT_EQ(each.bytes, longest) << node;
  }
}

}  // namespace
}  // namespace emberline::grammar::testing
