// The joint law of all that a round of speculative decoding can put out, enumerated: the shipped rules are
// driven through every interval of their random numbers, and what they make has the target's probability.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "decode/speculation/speculative_round.h"
#include "decode/speculation/uniform_enumeration.h"

namespace emberline::testing {
namespace {

using JointLaw = std::map<Text, long double>;

Text followed_by(const Text& text, TokenId token) {
  Text longer = text;
  longer.push_back(token);
  return longer;
}

// The target's own law of `length` tokens.
void add_plain(ToyLaws& laws, const Text& text, std::size_t length, long double weight, JointLaw& joint) {
  if (text.size() == length) {
    joint[text] += weight;
    return;
  }
  const Distribution& law = laws.target(text);
  for (std::size_t i = 0; i < law.tokens.size(); ++i) {
    const long double p = static_cast<long double>(law.masses[i]) / static_cast<long double>(law.total);
    add_plain(laws, followed_by(text, law.tokens[i]), length, weight * p, joint);
  }
}

// The law of one round with `drafts` drafted tokens; what ends early is carried on by the target.
class RoundLaw {
 public:
  RoundLaw(ToyLaws& laws, Mistake mistake, std::size_t drafts)
      : laws_(laws), round_(laws, mistake), drafts_(drafts) {}

  JointLaw joint() {
    joint_.clear();
    from({}, 1);
    return joint_;
  }

 private:
  void from(const Text& text, long double weight) {
    if (text.size() == drafts_) {
      for (const auto& [token, p] :
           UniformEnumeration([&](UniformSource& uniforms) { return round_.bonus(text, uniforms); }).law()) {
        add_plain(laws_, followed_by(text, token), drafts_ + 1, weight * p, joint_);
      }
      return;
    }
    const auto drafting =
        UniformEnumeration([&](UniformSource& uniforms) { return round_.drafted(text, uniforms); }).law();
    for (const auto& [drafted, proposed] : drafting) {
      const auto deciding = UniformEnumeration([&, token = drafted](UniformSource& uniforms) {
                              return round_.decided(text, token, uniforms);
                            }).law();
      for (const auto& [token, p] : deciding) {
        const long double share = weight * proposed * p;
        if (token == drafted) {
          from(followed_by(text, token), share);
        } else {
          add_plain(laws_, followed_by(text, token), drafts_ + 1, share, joint_);
        }
      }
    }
  }

  ToyLaws& laws_;
  SpeculativeRound round_;
  std::size_t drafts_;
  JointLaw joint_;
};

// The largest difference of two probabilities.
long double distance(const JointLaw& a, const JointLaw& b) {
  long double most = 0;
  const auto one_way = [&](const JointLaw& from, const JointLaw& to) {
    for (const auto& [text, p] : from) {
      const auto found = to.find(text);
      most = std::max(most, std::abs(p - (found == to.end() ? 0 : found->second)));
    }
  };
  one_way(a, b);
  one_way(b, a);
  return most;
}

long double distance_from_plain(const ToyLanguage& language, Mistake mistake, std::size_t drafts) {
  ToyLaws laws(language);
  JointLaw plain;
  add_plain(laws, {}, drafts + 1, 1, plain);
  return distance(RoundLaw(laws, mistake, drafts).joint(), plain);
}

TEST(AcceptanceLaw, TheJointLawOfARoundIsTheTargets) {
  for (const ToyLanguage& language : toy_languages()) {
    for (const std::size_t drafts : {1u, 2u, 3u}) {
      EXPECT_LT(distance_from_plain(language, Mistake::kNone, drafts), 1e-12L)
          << language.name << ", " << drafts << " drafted";
    }
  }
}

TEST(AcceptanceLaw, EveryMistakeShows) {
  const ToyLanguage language = {.vocabulary = 5};
  for (const Mistake mistake :
       {Mistake::kAcceptAlways, Mistake::kWrongResidual, Mistake::kBonusFromTheWrongRow}) {
    for (const std::size_t drafts : {1u, 2u, 3u}) {
      EXPECT_GT(distance_from_plain(language, mistake, drafts), 1e-3L)
          << mistake_name(mistake) << ", " << drafts << " drafted";
    }
  }
}

// With the same law nothing is ever replaced; with nothing in common everything is.
TEST(AcceptanceLaw, TheShareThatIsKeptIsTheOverlapOfTheLaws) {
  for (const ToyLanguage& language : toy_languages()) {
    ToyLaws laws(language);
    SpeculativeRound round(laws, Mistake::kNone);
    const Distribution& p = laws.target({});
    const Distribution& q = laws.draft({});
    double kept = 0, overlap = 0;
    for (std::size_t i = 0; i < q.tokens.size(); ++i) {
      const double proposed = static_cast<double>(q.masses[i]) / static_cast<double>(q.total);
      const auto deciding = UniformEnumeration([&](UniformSource& uniforms) {
                              return round.decided({}, q.tokens[i], uniforms);
                            }).law();
      const auto found = deciding.find(q.tokens[i]);
      kept += proposed * (found == deciding.end() ? 0 : found->second);
      for (std::size_t j = 0; j < p.tokens.size(); ++j) {
        if (p.tokens[j] != q.tokens[i]) continue;
        overlap += std::min(proposed, static_cast<double>(p.masses[j]) / static_cast<double>(p.total));
      }
    }
    EXPECT_NEAR(kept, overlap, 1e-12) << language.name;
  }
}

}  // namespace
}  // namespace emberline::testing
