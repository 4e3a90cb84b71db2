// A model by its path, whatever it is stored as.
#pragma once

#include <memory>
#include <string>

#include "base/status.h"
#include "gguf/gguf_file.h"
#include "safetensors/model_folder.h"

namespace emberline {

// `utf8_path`: a GGUF file, any shard of one, a folder of Hugging Face's or MLX's, or a .safetensors file or
// the index in such a folder. The codes of GgufFile::open and open_model_folder.
Result<std::unique_ptr<GgufFile>> open_model_file(const std::string& utf8_path, FolderUse use);

}  // namespace emberline
