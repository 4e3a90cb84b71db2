// tokenizer.json of a Hugging Face model as GGUF's `tokenizer.ggml.*`.
#pragma once

#include "base/status.h"
#include "grammar/json/json_value.h"
#include "safetensors/config_metadata.h"
#include "safetensors/gguf_terms.h"

namespace emberline {

// Adds the keys that read_vocabulary_spec knows. BPE with bytes in GPT-2's alphabet is `gpt2`, BPE that falls
// back on byte tokens `llama`, its scores being the ranks of the merges. What is neither keeps its name, by
// which it is refused when the tokenizer is built: `inspect` can show the rest until then.
// `settings`: tokenizer_config.json, an empty object where there is none; `config`: for the ids that end a
// text. MODEL_METADATA_MISSING, MODEL_METADATA_INVALID.
Status read_tokenizer_json(const grammar::Json& tokenizer, const grammar::Json& settings,
                           const FolderConfig& config, GgufTerms& terms);

}  // namespace emberline
