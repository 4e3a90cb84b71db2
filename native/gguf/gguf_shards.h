// A model in several GGUF files. Internal to the GGUF reader; gguf_file.h is its surface.
//
// Shard `split.no` (from 0) of `split.count` is named STEM-00001-of-00003.gguf, counted from 1. The first has
// the metadata; `split.tensors.count`, where it is there, counts the tensors of all.
#pragma once

#include <string>
#include <vector>

#include "base/mmap_file.h"
#include "base/status.h"
#include "gguf/gguf_file.h"

namespace emberline {

// Adds the other shards of the one file of `files`, which holds `contents` and lies at `utf8_path`: nothing
// where it is a model by itself. Then `contents` has the metadata of the first and the tensors of all, not
// indexed. FILE_* and the codes of parse_gguf, the sentence beginning with the shard; MODEL_METADATA_INVALID
// where the keys or the name make no sense; MODEL_CORRUPT where a shard is not of this model.
Status join_shards(const std::string& utf8_path, GgufContents& contents, std::vector<MappedFile>& files);

}  // namespace emberline
