// The texts beside a prompt in which drafts are looked up, each read once.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decode/speculation/prompt_lookup.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

class ReferenceTexts {
 public:
  // Of the first `count` of `texts`, nearest first, the ones that `most` tokens in all have room for, the
  // last one cut. A text that was read before is not read again; nor is it forgotten as long as it is among
  // those behind, which a later call may ask for. Where `cancel` is seen, those read whole so far.
  std::vector<ReferenceText> read(std::span<const std::string> texts, std::size_t count,
                                  const Tokenizer& tokenizer, std::size_t most,
                                  const std::atomic<bool>* cancel);

 private:
  struct Text {
    std::string text;
    std::size_t room;  // tokens it was cut to, at most
    ReferenceText read;
  };
  std::vector<Text> texts_;
};

}  // namespace emberline
