// A loaded model: the mapped file, its tokenizer, its weights on a device. Shared by the sessions made from
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "tokenizer/tokenizer.h"

namespace emberline {

struct ModelOptions {
  std::string path;  // as open_model_file; UTF-8
  int threads = 0;   // 1..64; 0: chosen from the machine's cores
  // "cpu"; "metal", which is DEVICE_UNAVAILABLE where this build or machine has none; or "auto": Metal where
  // a GPU passes its self-test, else the CPU.
  std::string device = "auto";
  // A folder for what makes later loads quicker (made when there is none): packed copies of the weights,
  // which are mapped instead of packing again, and compiled Metal pipelines; empty: neither. UTF-8.
  std::string packed_folder;
  // A compiled library of the Metal kernels; empty, or where there is none: their sources are compiled.
  // UTF-8.
  std::string metal_library;
  // As what sessions keep keys and values, the draft model's too: "f16", or "q8_0", which takes 53 % of that
  // memory. A device that does not offer it keeps "f16".
  std::string kv_cache = "f16";
  // A smaller model that drafts for this one, on the same device; empty: none. UTF-8.
  std::string draft_path;
  // Where that cannot be loaded beside the model, the model is loaded alone.
  bool draft_optional = false;
  // Of the CPU device and of sampling: "auto", or one of available_isas(), forced in tests.
  std::string isa = "auto";
  // Of the sessions to come, tokens: what must have room beside the weights; 0: the least there is. Capped by
  // the model's own.
  std::uint32_t context = 0;
  // Bytes that may be taken; none: what the system says (base/available_memory.h), if it does.
  std::optional<std::uint64_t> available_memory;
};

struct ModelInfo {
  std::string name, architecture, quantization, pre_tokenizer, device;
  std::string
      device_reason;     // why "auto" did not take a GPU that this build could use: one sentence; or empty
  std::string kv_cache;  // ModelOptions::kv_cache, as the device has it
  std::string kv_cache_reason;  // why that is not what was asked for: one sentence; or empty
  std::string draft;            // the draft model's name; empty where there is none
  FimTokens fim;
  std::string
      fim_layout;  // how a prompt is made of them: `emberline.fim.layout`; empty where the file says nothing
  // How it was taught to be talked to: the file's `tokenizer.chat_template` (Jinja), none where that is
  // longer than a mebibyte; and the names of the tokens that a text begins and ends with. Empty where there
  // is none.
  std::string chat_template, begin_token, end_token;
  std::uint64_t file_bytes = 0, parameters = 0;
  // What it gives back when it is closed beyond what the system calls available while it runs, without its
  // sessions, the draft model's share too: weights that are mapped from a copy are both.
  std::uint64_t held_bytes = 0;
  std::uint32_t layers = 0, width = 0, heads = 0, kv_heads = 0, vocabulary = 0, context_length = 0;
  bool packed_copy = false;  // the weights were mapped from a copy in ModelOptions::packed_folder
  double load_ms = 0;
};

class Model {
 public:
  // What a GGUF file can have wrong, MODEL_... and FILE_...; MODEL_EXCEEDS_MEMORY; DRAFT_TOKENIZER_DIFFERS;
  // INVALID_ARGUMENT, DEVICE_UNAVAILABLE, DEVICE_FAILED, OUT_OF_MEMORY.
  static Result<std::shared_ptr<Model>> load(const ModelOptions& options);
  // The same onto a device the caller made; `options` gives the paths alone.
  static Result<std::shared_ptr<Model>> load_on(std::unique_ptr<class Device> device,
                                                const ModelOptions& options);
  ~Model();

  const ModelInfo& info() const;
  const Tokenizer& tokenizer() const;  // thread-safe

  struct Impl;  // engine/ only
  Impl& impl() { return *impl_; }

 private:
  explicit Model(std::unique_ptr<Impl> impl);
  // With its draft model, if it is to have one.
  static Result<std::shared_ptr<Model>> load_pair(const std::shared_ptr<class Device>& device,
                                                  const ModelOptions& options);
  // A model without a draft.
  static Result<std::shared_ptr<Model>> load_file(std::shared_ptr<class Device> device,
                                                  const ModelOptions& options);
  std::unique_ptr<Impl> impl_;
};

// Instruction sets that ModelOptions::isa may name on this machine, best first, for example "avx2",
// "portable".
std::vector<std::string> available_isas();

}  // namespace emberline
