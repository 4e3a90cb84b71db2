// Any bytes as a grammar and a walk through it by tokens: masks, states and forced text are what feeding
// every token byte by byte gives, before and behind start_over(), and a text that was written is read again,
// with other whitespace too.
//
// An input is a character that says which grammar (walk_input.h), the grammar, a zero byte, and moves of two
// bytes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "grammar/automaton/position.h"
#include "grammar/automaton/state_space.h"
#include "grammar/automaton/token_bits.h"
#include "grammar/automaton/token_masks.h"
#include "grammar/automaton/token_trie.h"
#include "grammar/grammar.h"
#include "time_limit.h"
#include "walk_input.h"
#include "walk_vocabulary.h"

namespace {

using namespace emberline::grammar;
using emberline::TokenId;
using emberline::testing::Move;
using emberline::testing::WalkInput;

constexpr std::size_t kMostMoves = 32;
constexpr std::size_t kMostText = 600;  // bytes: below the depth that stacks may have
// Of reading one text: each is gone on with each byte of each token.
constexpr std::size_t kManyWays = 100, kMostWays = 600;
constexpr StateBounds kBounds{.bytes = 8u << 20};

void require(bool condition) {
  if (!condition) __builtin_trap();
}

bool in_set(const TokenSetRule& rule, const TokenTrie& trie, TokenId token) {
  if (trie.ends_generation(token)) return false;
  bool listed = false;
  for (const TokenId id : rule.ids) listed = listed || id == token;
  for (const std::string& name : rule.names) listed = listed || trie.special(name) == token;
  return listed != rule.complement;
}

// By nothing but the token's bytes and the sets that are read next.
StateId step_token(StateSpace& space, const TokenTrie& trie, StateId state, TokenId token) {
  const std::string_view bytes = trie.bytes(token);
  const StateId read = bytes.empty() ? kDead : space.step(state, bytes);
  if (space.token_sets(state).empty()) return read;
  const auto holds = [&](std::uint32_t set) { return in_set(space.program().token_sets[set], trie, token); };
  return space.united(read, space.step_sets(state, holds));
}

// The only byte that may come next, where one has to.
std::optional<unsigned char> only_byte(StateSpace& space, StateId state) {
  if (space.may_end(state) || !space.token_sets(state).empty()) return std::nullopt;
  std::optional<unsigned char> only;
  for (int byte = 0; byte < 256; ++byte) {
    if (space.step(state, static_cast<unsigned char>(byte)) == kDead) continue;
    if (only) return std::nullopt;
    only = static_cast<unsigned char>(byte);
  }
  return only;
}

// Two spaces of one grammar: positions and masks in the one, the same text byte by byte in both.
class Walk {
 public:
  Walk(const Grammar& grammar, std::shared_ptr<const TokenTrie> trie)
      : of_json_(grammar.program()->of_json),
        trie_(trie),
        space_(grammar.program(), kBounds),
        plain_(grammar.program(), kBounds),
        masks_(space_, trie) {}

  void run(std::span<const Move> moves) {
    if (!masks_.status().ok()) return;
    places_.push_back({space_.start(), space_.start(), plain_.start(), "", true});
    if (places_[0].exact == kDead || !look()) return;
    for (const Move& move : moves) {
      if (!make(move) || !look()) return;
    }
  }

 private:
  struct Place {
    Position position;
    StateId exact;  // in space_
    StateId plain;  // in plain_
    std::string text;
    bool spelled;  // the bytes alone lead there
  };

  bool within_bounds() const { return space_.status().ok() && plain_.status().ok(); }

  // Compares everything at the last place. False where a bound is hit.
  bool look() {
    const Place& place = places_.back();
    const std::span<const std::uint64_t> mask = masks_.allowed(place.position);
    allowed_.clear();
    for (TokenId token = 0; token < trie_->vocabulary(); ++token) {
      const bool expected = step_token(plain_, *trie_, place.plain, token) != kDead;
      if (!within_bounds()) return false;
      require(has_token(mask, token) == expected);
      if (expected) allowed_.push_back(token);
    }
    require(masks_.exact(place.position) == place.exact);
    for (const StateId state : {place.position.state, place.exact}) {
      require(space_.may_end(state) == plain_.may_end(place.plain));
      require(space_.may_go_on(state) == plain_.may_go_on(place.plain));
    }
    // Every byte is a token; a set may be of none that the vocabulary has.
    require(!allowed_.empty() || plain_.may_end(place.plain) || !plain_.token_sets(place.plain).empty());
    return compare_forced(place);
  }

  bool compare_forced(const Place& place) {
    // More than the longest token, but where there are many ways.
    const std::size_t most = plain_.nodes(place.plain).size() <= kManyWays ? 100 : 10;
    const auto [forced, whole] = masks_.forced_text(place.position, most);
    forced_ = forced;
    StateId state = place.plain;
    std::size_t length = 0;
    for (std::optional<unsigned char> byte = only_byte(plain_, state); byte && length < most; ++length) {
      if (!within_bounds()) return false;
      require(length < forced_.size() && static_cast<unsigned char>(forced_[length]) == *byte);
      state = plain_.step(state, *byte);
      byte = only_byte(plain_, state);
    }
    if (!within_bounds()) return false;
    require(length == most || forced_.size() == length);
    if (length == forced_.size()) require(whole == (plain_.may_end(state) && !plain_.may_go_on(state)));
    return true;
  }

  // False where the walk is over.
  bool make(const Move& move) {
    if (space_.crowded() || plain_.crowded()) start_over(false);
    switch (move.kind) {
      case Move::Kind::kBack: places_.push_back(Place(places_[move.choice % places_.size()])); return true;
      case Move::Kind::kStartOver: start_over(move.choice % 2 != 0); return true;
      case Move::Kind::kReplay: return replay(move.choice);
      case Move::Kind::kForced: {
        if (forced_.empty()) return true;
        TokenId longest = allowed_[0];  // the byte that has to come
        for (const TokenId token : allowed_) {
          const std::string_view bytes = trie_->bytes(token);
          if (bytes.size() > trie_->bytes(longest).size() && forced_.starts_with(bytes)) longest = token;
        }
        return advance(longest);
      }
      case Move::Kind::kToken: break;
    }
    return !allowed_.empty() && advance(allowed_[move.choice * allowed_.size() / 256]);
  }

  bool advance(TokenId token) {
    Place next = places_.back();
    // A set knows more ways to go on than the bytes.
    next.spelled = next.spelled && plain_.token_sets(next.plain).empty();
    next.position = masks_.advance(next.position, token);
    next.exact = step_token(space_, *trie_, next.exact, token);
    next.plain = step_token(plain_, *trie_, next.plain, token);
    next.text += trie_->bytes(token);
    return reach(std::move(next));
  }

  bool reach(Place next) {
    if (!within_bounds() || next.text.size() > kMostText) return false;
    require(next.position.state != kDead && next.exact != kDead && next.plain != kDead);
    if (plain_.nodes(next.plain).size() > kMostWays) return false;
    places_.push_back(std::move(next));
    return true;
  }

  // `alone`: nothing but the last place is kept, as where a text is made.
  void start_over(bool alone) {
    if (alone) {
      places_ = {Place(places_.back())};
      masks_.start_over(places_[0].position);
      places_[0].exact = masks_.exact(places_[0].position);
      plain_.start_over({&places_[0].plain, 1});
      return;
    }
    std::vector<StateId> exact, plain;
    for (const Place& place : places_) {
      exact.push_back(place.exact);
      plain.push_back(place.plain);
    }
    space_.start_over(exact);
    plain_.start_over(plain);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      places_[i].position = places_[i].exact = exact[i];
      places_[i].plain = plain[i];
    }
  }

  // The text as if somebody had written it, in two pieces, and on from there.
  bool replay(unsigned choice) {
    const Place& place = places_.back();
    if (!place.spelled) return true;
    const unsigned way = choice % 4;
    Place next = place;
    if (of_json_) next.text = emberline::testing::with_whitespace(place.text, way);
    const std::string_view text = next.text;
    const std::size_t cut = text.size() * (choice / 4) / 64;
    const auto read = [&](StateSpace& space) {
      return space.replay(space.replay(space.start(), text.substr(0, cut)), text.substr(cut));
    };
    const std::uint64_t epochs = space_.epoch() + plain_.epoch();
    next.position = next.exact = read(space_);
    next.plain = read(plain_);
    // Started over for want of room: the other places are gone.
    if (!within_bounds() || space_.epoch() + plain_.epoch() != epochs) return false;
    require(next.exact != kDead);
    if (!of_json_) require(next.exact == place.exact);
    if (way == 0) {  // whatever could come can come
      const std::span<const std::uint64_t> mask = masks_.allowed(next.position);
      if (!within_bounds()) return false;
      for (const TokenId token : allowed_) require(has_token(mask, token));
      require(space_.may_end(next.exact) || !space_.may_end(place.exact));
    }
    return reach(std::move(next));
  }

  bool of_json_;
  std::shared_ptr<const TokenTrie> trie_;
  StateSpace space_, plain_;
  TokenMasks masks_;
  std::vector<Place> places_;
  // At the last of them.
  std::vector<TokenId> allowed_;
  std::string forced_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const emberline::testing::TimeLimit limit;
  static const std::shared_ptr<const TokenTrie> short_tokens = emberline::testing::walk_vocabulary(false),
                                                long_tokens = emberline::testing::walk_vocabulary(true);
  require(short_tokens != nullptr && long_tokens != nullptr);
  const WalkInput input = emberline::testing::read_walk({reinterpret_cast<const char*>(data), size});
  const auto grammar =
      input.layout ? Grammar::from_schema(input.grammar, *input.layout) : Grammar::from_gbnf(input.grammar);
  if (!grammar.ok()) return 0;
  const std::span<const Move> moves(input.moves);
  Walk(*grammar.value(), input.long_tokens ? long_tokens : short_tokens)
      .run(moves.first(std::min(moves.size(), kMostMoves)));
  return 0;
}
