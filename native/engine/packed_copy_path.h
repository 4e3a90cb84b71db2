// The name of a model's packed copy in the folder where they are kept. Internal to engine/.
#pragma once

#include <string>

#include "base/mmap_file.h"

namespace emberline {

// "FOLDER/STEM-BYTES-MODIFIED-FILE.packed", the last three of the identity in hexadecimal; empty for an empty
// folder. Both paths in UTF-8.
std::string packed_copy_path(const std::string& folder, const std::string& model_path,
                             const FileIdentity& identity);

}  // namespace emberline
