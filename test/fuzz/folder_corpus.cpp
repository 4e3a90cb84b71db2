// Writes small pairs of config.json and tokenizer.json, a zero byte between them, into the directory that is
// its argument.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fputs("usage: folder_corpus DIRECTORY\n", stderr);
    return 2;
  }
  const std::filesystem::path directory(argv[1]);
  std::filesystem::create_directories(directory);
  const std::string numbers =
      R"("hidden_size":8,"intermediate_size":8,"num_hidden_layers":1,"num_attention_heads":2,)"
      R"("max_position_embeddings":64,"rms_norm_eps":1e-5,"eos_token_id":[3,4],"bos_token_id":2)";
  const std::string configs[] = {
      R"({"model_type":"llama","rope_scaling":{"rope_type":"llama3","factor":8.0,"low_freq_factor":1.0,)"
      R"("high_freq_factor":4.0,"original_max_position_embeddings":32},"add_bos_token":true,)" +
          numbers + "}",
      R"({"model_type":"qwen3","quantization":{"group_size":64,"bits":4,"lm_head":{"bits":8}},)"
      R"("rope_parameters":{"rope_type":"yarn","factor":4.0,"rope_theta":1e6},"eos_token":"b",)" +
          numbers + "}",
  };
  const std::string tokenizers[] = {
      R"({"added_tokens":[{"id":3,"content":"<|end|>","special":true}],"normalizer":{"type":"NFC"},)"
      R"("pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Digits","individual_digits":true},)"
      R"({"type":"ByteLevel","add_prefix_space":false}]},"post_processor":{"type":"TemplateProcessing",)"
      R"("single":[{"SpecialToken":{"id":"<|end|>"}}]},"model":{"type":"BPE","vocab":{"i":0,"n":1,"in":2},)"
      R"("merges":[["i","n"]]}})",
      R"({"normalizer":{"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"▁"},{"type":"Replace",)"
      R"("pattern":{"String":" "},"content":"▁"}]},"model":{"type":"BPE","byte_fallback":true,"unk_token":"?",)"
      R"("vocab":{"?":0,"<0x0A>":1,"▁":2,"b":3,"▁b":4},"merges":["▁ b"]}})",
  };
  int number = 0;
  for (const std::string& config : configs) {
    for (const std::string& tokenizer : tokenizers) {
      std::ofstream stream(directory / ("seed" + std::to_string(number++)), std::ios::binary);
      stream << config << '\0' << tokenizer;
      if (!stream.flush()) return 1;
    }
  }
  return 0;
}
