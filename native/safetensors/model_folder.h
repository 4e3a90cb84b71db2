// A model as a folder: Hugging Face's layout with SafeTensors, plain or quantised by MLX.
//
// config.json, tokenizer.json, perhaps tokenizer_config.json and chat_template.jinja, and model.safetensors
// or the shards that model.safetensors.index.json lists. The result speaks GGUF's terms (keys, names of
// tensors, extents fastest first), so that nothing above this layer knows where a model comes from.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "gguf/gguf_file.h"

namespace emberline {

enum class FolderUse {
  kLoad,
  kLook,  // matrices that would have to be unpacked are zeros: for headers alone
};

// Matrices in BF16, F16 and F32 lie in the mapping; vectors are F32 in memory; MLX's are unpacked
// (mlx_weights.h). FILE_*; MODEL_NOT_GGUF where there is no config.json; MODEL_*; OUT_OF_MEMORY.
Result<std::unique_ptr<GgufFile>> open_model_folder(const std::string& utf8_folder, FolderUse use);

}  // namespace emberline
