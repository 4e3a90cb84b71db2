// Loading: what info says, and a typed error for every file and option that cannot be.
#include "engine/model.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/model_impl.h"
#include "engine/model_outline.h"
#include "engine/session.h"
#include "toy_session.h"

namespace emberline::testing {
namespace {

Status load_status(const ToyModel& toy) {
  const TemporaryDirectory directory;
  ModelOptions options;
  options.path = directory.file("toy.gguf");
  EXPECT_TRUE(toy.writer().write(options.path));
  const auto model = Model::load_on(make_reference_device(), options);
  const auto file = take(GgufFile::open(options.path));
  const auto inspected = outline(*file);
  EXPECT_EQ(inspected.ok() ? "" : inspected.error().message(), model.ok() ? "" : model.error().message())
      << "inspecting and loading must agree";
  return model.ok() ? Status() : model.error();
}

TEST(ModelLoad, InfoDescribesTheFile) {
  ToyModel toy;
  toy.type = TensorType::kQ4_1;
  toy.output_type = TensorType::kQ8_0;
  toy.layers = 6;
  const auto model = load_toy(toy);
  const ModelInfo& info = model->info();
  EXPECT_EQ(info.name, "toy");
  EXPECT_EQ(info.architecture, "llama");
  EXPECT_EQ(info.quantization, "Q4_1");
  EXPECT_EQ(info.pre_tokenizer, "smollm");
  EXPECT_EQ(info.device, make_reference_device()->description());
  EXPECT_EQ(info.layers, 6u);
  EXPECT_EQ(info.width, 64u);
  EXPECT_EQ(info.heads, 4u);
  EXPECT_EQ(info.kv_heads, 2u);
  EXPECT_EQ(info.vocabulary, toy.vocabulary());
  EXPECT_EQ(info.context_length, 256u);
  EXPECT_EQ(info.file_bytes, toy.bytes().size());
  // Embedding; a layer: query and output 64 x 64, key and value 32 x 64, three of 96 x 64, two gains; the
  // last gain.
  EXPECT_EQ(info.parameters, 64u * toy.vocabulary() + 6 * (2 * 4096 + 2 * 2048 + 3 * 6144 + 128) + 64);
  EXPECT_GT(info.load_ms, 0);
}

TEST(ModelLoad, InfoSaysHowTheModelFillsInTheMiddle) {
  EXPECT_EQ(load_toy({})->info().fim, FimTokens());
  EXPECT_EQ(load_toy({})->info().fim_layout, "");
  ToyModel toy;
  toy.also = [](GgufWriter& writer) {
    writer.add("tokenizer.ggml.fim_suf_token_id", std::uint32_t{5});
    writer.add("tokenizer.ggml.fim_pre_token_id", std::uint32_t{6});
    writer.add("emberline.fim.layout", "some_layout");
  };
  const auto model = load_toy(toy);
  EXPECT_EQ(model->info().fim,
            (FimTokens{.prefix = 6, .suffix = 5, .middle = kNoToken, .separator = kNoToken}));
  EXPECT_EQ(model->info().fim_layout, "some_layout");
  toy.also = [](GgufWriter& writer) { writer.add("emberline.fim.layout", std::uint32_t{1}); };
  EXPECT_EQ(load_toy(toy)->info().fim_layout, "");
  toy.also = [&](GgufWriter& writer) { writer.add("tokenizer.ggml.fim_suf_token_id", toy.vocabulary()); };
  EXPECT_EQ(load_status(toy).code(), ErrorCode::kModelMetadataInvalid);
}

TEST(ModelLoad, InfoHasTheTemplateOfAChat) {
  EXPECT_EQ(load_toy({})->info().chat_template, "");
  ToyModel toy;
  const std::string text = "{% for message in messages %}{{ message.content }}{% endfor %}\n";
  toy.also = [&](GgufWriter& writer) { writer.add("tokenizer.chat_template", text); };
  const auto model = load_toy(toy);
  const Tokenizer& tokenizer = model->tokenizer();
  EXPECT_EQ(model->info().chat_template, text);
  EXPECT_EQ(model->info().end_token, tokenizer.bytes(tokenizer.eos()));
  EXPECT_FALSE(model->info().end_token.empty());
  toy.also = [](GgufWriter& writer) { writer.add("tokenizer.chat_template", std::string(1 << 20, ' ')); };
  EXPECT_EQ(load_toy(toy)->info().chat_template.size(), 1u << 20);
  toy.also = [](GgufWriter& writer) {
    writer.add("tokenizer.chat_template", std::string((1 << 20) + 1, ' '));
  };
  EXPECT_EQ(load_toy(toy)->info().chat_template, "");
  toy.also = [](GgufWriter& writer) { writer.add("tokenizer.chat_template", std::uint32_t{1}); };
  EXPECT_EQ(load_toy(toy)->info().chat_template, "");
}

TEST(ModelLoad, ANamelessModelIsCalledAfterItsFile) {
  ToyModel toy;
  toy.without = {"general.name"};
  EXPECT_EQ(load_toy(toy)->info().name, "toy");
}

TEST(ModelLoad, WhatIsWrongWithAFileHasACode) {
  ToyModel toy;
  EXPECT_TRUE(load_status(toy).ok());
  toy.architecture = "gpt2";
  EXPECT_EQ(load_status(toy).code(), ErrorCode::kModelArchitectureUnsupported);
  toy = {};
  toy.without = {"llama.block_count"};
  EXPECT_EQ(load_status(toy).code(), ErrorCode::kModelMetadataMissing);
  toy = {};
  toy.without = {"blk.1.ffn_up.weight"};
  EXPECT_EQ(load_status(toy).code(), ErrorCode::kModelTensorMissing);
  toy = {};
  toy.types["blk.0.attn_k.weight"] = 19;  // IQ1_S
  EXPECT_EQ(load_status(toy).code(), ErrorCode::kModelTensorTypeUnsupported);
  // Another quantisation of it would be refused, too.
  toy.without = {"tokenizer.ggml.model"};
  toy.also = [](GgufWriter& writer) { writer.add("tokenizer.ggml.model", "bert"); };
  EXPECT_EQ(load_status(toy).code(), ErrorCode::kModelTokenizerUnsupported);
  toy = {};
  toy.without = {"tokenizer.ggml.model"};
  EXPECT_EQ(load_status(toy).code(), ErrorCode::kModelMetadataMissing);
}

TEST(ModelLoad, MoreTokensThanEmbeddingsAreInvalid) {
  ToyModel toy;
  toy.shapes["token_embd.weight"] = {64, 280};
  ASSERT_GT(toy.vocabulary(), 280u);
  EXPECT_EQ(load_status(toy).code(), ErrorCode::kModelMetadataInvalid);
}

TEST(ModelLoad, PathsThatAreNoModel) {
  const TemporaryDirectory directory;
  const auto code = [](const std::string& path) {
    ModelOptions options;
    options.path = path;
    return Model::load(options).code();
  };
  EXPECT_EQ(code(directory.file("absent.gguf")), ErrorCode::kFileNotFound);
  EXPECT_EQ(code(directory.path().string()), ErrorCode::kModelNotGguf);
  std::ofstream(directory.file("text.gguf")) << "this is no model at all, but long enough to be looked at";
  EXPECT_EQ(code(directory.file("text.gguf")), ErrorCode::kModelNotGguf);
}

TEST(ModelLoad, OptionsOutOfRangeAreRefused) {
  const auto code = [](int threads, const char* device, const char* isa) {
    ModelOptions options;
    options.path = "absent.gguf";
    options.threads = threads;
    options.device = device;
    options.isa = isa;
    return Model::load(options).code();
  };
  EXPECT_EQ(code(0, "metal", "auto"), ErrorCode::kDeviceUnavailable);
  EXPECT_EQ(code(0, "tpu", "auto"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(0, "cpu", "mmx"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(65, "cpu", "auto"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(-1, "cpu", "auto"), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(1, "auto", "portable"), ErrorCode::kFileNotFound);
}

TEST(ModelLoad, ThePortableInstructionSetIsAlwaysThere) {
  const std::vector<std::string> isas = available_isas();
  ASSERT_FALSE(isas.empty());
  EXPECT_EQ(isas.back(), "portable");
}

// As a GPU does; loading then goes on to the processor.
TEST(ModelLoad, ADeviceWithoutExpertsSaysSo) {
  class Expertless final : public ForwardingDevice {
   public:
    using ForwardingDevice::ForwardingDevice;
    bool offers(Op op, std::uint32_t max_rows) const override {
      return op != Op::kExperts && ForwardingDevice::offers(op, max_rows);
    }
  };
  ToyModel toy;
  const TemporaryDirectory directory;
  ModelOptions options;
  options.path = directory.file("toy.gguf");
  const auto load = [&] {
    EXPECT_TRUE(toy.writer().write(options.path));
    return Model::load_on(std::make_unique<Expertless>(make_reference_device()), options);
  };
  EXPECT_TRUE(load().ok());
  toy.experts = 4;
  toy.experts_used = 2;
  const Result<std::shared_ptr<Model>> refused = load();
  EXPECT_EQ(refused.code(), ErrorCode::kDeviceUnavailable);
  EXPECT_NE(refused.error().message().find("mixtures of experts"), std::string::npos);
}

// What a shortened file would end a process by, were anything still read from it.
TEST(ModelLoad, ALoadedModelDoesNotNeedItsFile) {
  const ToyModel toy;
  const TemporaryDirectory directory;
  ModelOptions options;
  options.path = directory.file("toy.gguf");
  CompletionRequest request;
  request.prompt = "def f(x):\n    return";
  request.max_tokens = 10;
  std::vector<std::vector<TokenId>> answers;
  for (const bool damaged : {false, true}) {
    ASSERT_TRUE(toy.writer().write(options.path));
    const auto model = take(Model::load(options));
    if (damaged) std::filesystem::resize_file(options.path, 0);
    answers.push_back(take(take(Session::create(model, 128))->complete(request)).ids);
    EXPECT_FALSE(model->tokenizer().encode("def", false).empty());
  }
  EXPECT_EQ(answers[0], answers[1]);
}

// Every instruction set, on the device users have, against the oracle: the same text.
TEST(ModelLoad, EveryDeviceSaysTheSame) {
  ToyModel toy;
  toy.output_scale = 3;  // ties within rounding are unlikely
  const TemporaryDirectory directory;
  ModelOptions options;
  options.path = directory.file("toy.gguf");
  ASSERT_TRUE(toy.writer().write(options.path));
  CompletionRequest request;
  request.prompt = "def f(x):\n    return";
  request.single_line = false;
  request.max_tokens = 40;
  const auto expected = take(
      take(Session::create(take(Model::load_on(make_reference_device(), options)), 128))->complete(request));
  for (const std::string& isa : available_isas()) {
    options.isa = isa;
    for (options.threads = 1; options.threads <= 2; ++options.threads) {
      const auto model = take(Model::load(options));
      EXPECT_EQ(&model->impl().sampling_kernels, &sampling_kernels(take(instruction_set(isa))));
      const auto session = take(Session::create(model, 128));
      EXPECT_EQ(take(session->complete(request)).ids, expected.ids)
          << isa << ", " << options.threads << " threads";
    }
  }
}

}  // namespace
}  // namespace emberline::testing
