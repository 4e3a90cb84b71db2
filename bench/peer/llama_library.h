// The few functions of llama.cpp's C interface that the bench times, found at run time in the library of the
// installed package: it ships no headers.
//
// Its parameter structs are passed by value. Both ABIs this runs on (System V x86-64, AArch64) pass and
// return a struct of more than 16 bytes in memory, so a block larger than the real struct does as well: the
// callee reads and writes its own part of it. Which part holds what is checked against the documented
// defaults before use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace emberline_bench {

// Stands for llama_model_params and llama_context_params, whatever their real size.
struct ParameterBlock {
  static constexpr std::size_t kBytes = 1024;
  alignas(16) unsigned char bytes[kBytes];
};

// llama_batch: the tokens of one forward pass.
struct LlamaBatch {
  std::int32_t n_tokens;
  std::int32_t* token;
  float* embd;
  std::int32_t* pos;
  std::int32_t* n_seq_id;
  std::int32_t** seq_id;
  std::int8_t* logits;  // [n_tokens] whether the logits after this token are wanted
};
static_assert(sizeof(LlamaBatch) == 56, "the layout on every 64-bit machine");

struct LlamaModel;    // opaque
struct LlamaContext;  // opaque
struct LlamaMemory;   // opaque
struct LlamaVocab;    // opaque
struct GgmlDevice;    // opaque
struct GgmlRegistry;  // opaque
struct GgmlPool;      // opaque

struct LlamaLibrary {
  using LogCallback = void (*)(int level, const char* text, void* context);

  void (*log_set)(LogCallback callback, void* context);
  void (*backend_init)();
  void (*backend_load_all_from_path)(const char* folder);
  ParameterBlock (*model_default_params)();
  ParameterBlock (*context_default_params)();
  LlamaModel* (*model_load_from_file)(const char* path, ParameterBlock params);
  void (*model_free)(LlamaModel* model);
  LlamaContext* (*init_from_model)(LlamaModel* model, ParameterBlock params);
  void (*free_context)(LlamaContext* context);
  ParameterBlock (*threadpool_params_default)(int threads);
  GgmlDevice* (*backend_dev_by_type)(int type);
  GgmlRegistry* (*backend_dev_backend_reg)(GgmlDevice* device);
  void* (*backend_reg_get_proc_address)(GgmlRegistry* registry, const char* name);
  void (*attach_threadpool)(LlamaContext* context, GgmlPool* one_token, GgmlPool* many);
  void (*set_n_threads)(LlamaContext* context, std::int32_t one_token, std::int32_t many);
  std::int32_t (*n_threads)(LlamaContext* context);
  std::int32_t (*n_threads_batch)(LlamaContext* context);
  std::uint32_t (*n_ctx)(const LlamaContext* context);
  std::uint32_t (*n_batch)(const LlamaContext* context);
  std::uint32_t (*n_ubatch)(const LlamaContext* context);
  LlamaMemory* (*get_memory)(const LlamaContext* context);
  void (*memory_clear)(LlamaMemory* memory, bool data);
  bool (*memory_seq_rm)(LlamaMemory* memory, std::int32_t sequence, std::int32_t first, std::int32_t end);
  const LlamaVocab* (*model_get_vocab)(const LlamaModel* model);
  std::int32_t (*vocab_n_tokens)(const LlamaVocab* vocab);
  LlamaBatch (*batch_init)(std::int32_t tokens, std::int32_t embedding, std::int32_t sequences);
  void (*batch_free)(LlamaBatch batch);
  std::int32_t (*decode)(LlamaContext* context, LlamaBatch batch);
  void (*synchronize)(LlamaContext* context);
  float* (*get_logits_ith)(LlamaContext* context, std::int32_t row);
};

// Opens the library in `folder` and its CPU back ends. Gives an empty string, or a sentence that says what is
// wrong.
std::string open_llama_library(const std::string& folder, LlamaLibrary& library);

// Threads that outlive a forward pass; without them llama.cpp makes new ones for each. Null when there are
// none.
GgmlPool* make_thread_pool(const LlamaLibrary& library, int threads);

// The leading fields of llama_context_params.
struct ContextSize {
  std::uint32_t context, batch, physical_batch;  // tokens
};

// The library's default parameters with `size` written into them. Gives a sentence when the defaults are not
// where this version of the library is known to have them.
std::string context_parameters(const LlamaLibrary& library, ContextSize size, ParameterBlock& params);

// The same parameters for keys and values in F32, and attention that rounds none of them.
std::string round_nothing(ParameterBlock& params);

}  // namespace emberline_bench
