// A memory of the document, and of other files: what followed where the last tokens stood before in them,
// mixed into the model's law.
//
// A small model reads a few hundred tokens around the cursor. What stands farther off is looked up: of the
// longest match of what was just written, the tokens that followed it there make a law of their own, by how
// often each did: p_doc in the rest of the document, p_oth in other files. The law of the next token is then
//
//   p = (1 - w_doc) ((1 - w_oth) p_model + w_oth p_oth) + w_doc p_doc,
//
// where p_model is the softmax of the raw logits, and a weight is 0 without a match of kLeastMatch tokens. It
// comes before all else: masks, penalty, temperature and truncation, confidence and the verification of
// drafts see p and nothing of its making.
//
// Source: Grave, Joulin and Usunier, "Improving neural language models with a continuous cache" (ICLR 2017);
// Khandelwal, Levy, Jurafsky, Zettlemoyer and Lewis, "Generalization through memorization" (ICLR 2020); the
// longest match in place of neighbours: Liu, Min, Zettlemoyer, Choi and Hajishirzi, "Infini-gram" (COLM
// 2024); one cache within another: Hellendoorn and Devanbu, "Are deep neural networks the best choice for
// modeling source code?" (FSE 2017).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "decode/speculation/prompt_lookup.h"

namespace emberline {

class DocumentMemory {
 public:
  // Shorter matches say nothing.
  static constexpr std::uint32_t kLeastMatch = 3;

  // Whose texts they are: each kind has a weight of its own.
  enum class Kind : std::uint8_t { kDocument, kOthers };

  // What a weight goes by.
  struct Evidence {
    std::uint32_t length = 0;  // tokens of the match
    double occurrences = 0;    // of it, with something behind them
    double agreement = 0;      // of these, the share that was followed by the same token, 0..1
    double surest = 0;         // the model's largest probability, 0..1
  };
  // w_doc or w_oth, 0..1.
  static double weight(Kind kind, const Evidence& evidence);

  // A new request: texts of the document that its prompt does not hold, and of other files, with counted
  // occurrences. None: p is p_model.
  void begin(std::span<const ReferenceText> document, std::span<const ReferenceText> others = {});

  // Tokens of the longest match of the end of `sequence`, which goes on from that of the last call since
  // begin().
  std::uint32_t match_length(std::span<const TokenId> sequence);
  // For how many tokens behind `sequence` p is p_model, whatever they are.
  std::size_t silent_tokens(std::span<const TokenId> sequence);

  // Turns the raw logits of the token behind `sequence` into those of p. `log_total`: the logarithm of the
  // sum of their exponentials.
  void mix(std::span<const TokenId> sequence, std::span<float> logits, double log_total);

 private:
  struct Text {
    ReferenceText text;  // what the cursor is in
    SuffixAutomaton::Cursor cursor;
  };
  struct Store {
    Kind kind;
    std::vector<Text> texts;

    std::uint32_t match_length() const;
  };
  // Mixes one store in, and returns the logarithm of the new sum. `surest`: as Evidence has it.
  double mix_store(const Store& store, std::span<float> logits, double log_total, double surest);

  // In the order in which they are mixed in.
  std::array<Store, 2> stores_{Store{Kind::kOthers, {}}, Store{Kind::kDocument, {}}};
  std::size_t followed_ = 0;  // tokens of the sequence
  std::vector<SuffixAutomaton::Continuation> continuations_;
};

}  // namespace emberline
