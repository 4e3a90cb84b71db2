#include "decode/spelling_choice.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/try.h"

namespace emberline {

namespace {

// Of one choice, tokens that are evaluated to see where they lead.
constexpr std::size_t kMostWeighed = 8;
// A token that leads nowhere keeps a chance: there may be no other.
constexpr double kLeastMass = 1e-300;

}  // namespace

Result<SpellingChoice> choose_spelling(const GenerationParts& parts, const ChoiceRule& rule,
                                       std::span<const TokenId> sequence, SamplingParams sampling,
                                       const std::atomic<bool>* cancel) {
  HostChoice& choice = parts.choice;
  sampling.draw_by = DrawBy::kGumbelNoise;
  std::vector<TokenId> weighed;
  while (true) {
    TRY_VALUE(const ChosenToken chosen, choice.choose(rule, sequence, sampling));
    const std::size_t spelled = parts.tokenizer.bytes(chosen.token).size();
    const bool known = std::ranges::find(weighed, chosen.token) != weighed.end();
    if (known || spelled >= rule.remaining_prefix.size() || weighed.size() == kMostWeighed)
      return SpellingChoice{.chosen = chosen, .evaluated = known && weighed.back() == chosen.token};
    choice.keep_logits();
    TRY_VALUE(const ReplayOutcome outcome,
              parts.pass.decode(chosen.token, static_cast<std::uint32_t>(sequence.size()), cancel));
    if (outcome.cancelled) return SpellingChoice{.chosen = {}, .cancelled = true};
    TRY(parts.pass.read_logits(0, choice.logits()));
    const double mass = choice.spelling_mass(rule.remaining_prefix.substr(spelled), rule.ban_blank_start);
    choice.restore_logits();
    choice.logits()[chosen.token] += static_cast<float>(std::log(std::max(mass, kLeastMass)));
    weighed.push_back(chosen.token);
  }
}

}  // namespace emberline
