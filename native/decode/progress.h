// How far a request has come, for whoever looks from another thread while it runs.
#pragma once

#include <atomic>
#include <cstdint>

namespace emberline {

// Written by the thread that runs the request, at each slice of the prompt and each step of the text.
struct Progress {
  std::atomic<bool> decodes{false};             // the prompt is read
  std::atomic<std::uint32_t> prompt_tokens{0};  // of the prompt, how many are in the KV cache
  std::atomic<std::uint32_t> generated_tokens{0};

  void begin() {
    decodes = false;
    prompt_tokens = 0;
    generated_tokens = 0;
  }
};

}  // namespace emberline
