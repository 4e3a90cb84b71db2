#include "addon/grammar_object.h"

#include <string>
#include <utility>
#include <vector>

#include "addon/functions.h"
#include "addon/js_values.h"
#include "addon/one_task.h"
#include "addon/utf16.h"
#include "base/stopwatch.h"
#include "base/try.h"
#include "grammar/program.h"

namespace emberline::addon {
namespace {

constexpr std::size_t kMaxUnit = 16;  // of indentation
constexpr std::size_t kMaxUri = 65'536;
constexpr std::size_t kMaxDocuments = 1'000;

// Tells an object of ours from any other. Random.
constexpr napi_type_tag kGrammarTag = {0x3f1c6d0b9a824e57u, 0xb2d40e6185c97a13u};

struct GrammarHandle {
  std::shared_ptr<const grammar::Grammar> grammar;  // null: closed
};
using SharedGrammar = std::shared_ptr<GrammarHandle>;

Status grammar_closed_error() {
  return {ErrorCode::kInvalidArgument, "The grammar was closed; compile it again."};
}

Napi::Value check(const SharedGrammar& handle, const Napi::CallbackInfo& info) {
  Arguments arguments(info.Env());
  auto instance = std::make_shared<std::u16string>(arguments.string(info[0], "instance", kMaxGrammar));
  if (!arguments.ok()) return settled_error(info.Env(), arguments.status());
  if (handle->grammar == nullptr) return settled_error(info.Env(), grammar_closed_error());
  return run_once<bool>(
      info.Env(),
      [grammar = handle->grammar, instance] { return grammar->conforms(utf8_from_utf16(*instance)); },
      [](napi_env env, bool& accepted) {
        return js_string(env, accepted ? std::string_view("accept") : std::string_view("reject"));
      });
}

Napi::Value close(const SharedGrammar& handle, const Napi::CallbackInfo& info) {
  handle->grammar.reset();
  return info.Env().Undefined();
}

struct Compiled {
  std::shared_ptr<const grammar::Grammar> grammar;
  double ms = 0;
  bool empty = false;
};

napi_value make_grammar_object(napi_env env, Compiled& compiled) {
  const auto handle = std::make_shared<GrammarHandle>(GrammarHandle{std::move(compiled.grammar)});
  const napi_value object = ObjectBuilder(env)
                                .add("compileMs", compiled.ms)
                                .add("empty", compiled.empty)
                                .add("check", js_function(env, "check", handle, check))
                                .add("close", js_function(env, "close", handle, close))
                                .build();
  if (object == nullptr) return nullptr;
  const auto finalize = [](napi_env, void* data, void*) { delete static_cast<SharedGrammar*>(data); };
  auto owned = std::make_unique<SharedGrammar>(handle);
  if (napi_type_tag_object(env, object, &kGrammarTag) != napi_ok ||
      napi_wrap(env, object, owned.get(), finalize, nullptr, nullptr) != napi_ok) {
    clear_exception(env);
    return nullptr;
  }
  owned.release();  // the object's; NOLINT(bugprone-unused-return-value)
  return object;
}

grammar::Layout read_layout(Arguments& arguments, napi_value from) {
  const napi_value object = arguments.object(from, "layout");
  const auto text = [&](const char* name, std::size_t most) {
    return utf8_from_utf16(arguments.string(arguments.property(object, name), name, most));
  };
  const std::string kind = text("kind", 16);
  grammar::Layout layout;
  if (kind == "free") {
    layout.kind = grammar::LayoutKind::kFree;
  } else if (kind == "indented") {
    layout.kind = grammar::LayoutKind::kIndented;
    layout.unit = text("unit", kMaxUnit);
    layout.newline = text("newline", 2);
    if (layout.unit.find_first_not_of(" \t") != std::string::npos)
      arguments.fail("'unit' must be of spaces and tabs.");
    if (layout.newline != "\n" && layout.newline != "\r\n")
      arguments.fail("'newline' must be \\n or \\r\\n.");
  } else if (kind != "compact") {
    arguments.fail("'kind' must be 'compact', 'free' or 'indented'.");
  }
  return layout;
}

// What a schema is compiled from, as it comes: read on the thread of JavaScript.
struct SchemaSource {
  std::u16string uri;
  std::vector<std::u16string> uris, texts;

  grammar::SchemaLibrary library() const {
    grammar::SchemaLibrary library{utf8_from_utf16(uri), {}};
    for (std::size_t i = 0; i < uris.size(); ++i)
      library.documents.emplace(utf8_from_utf16(uris[i]), utf8_from_utf16(texts[i]));
    return library;
  }
};

SchemaSource read_schema_source(Arguments& arguments, napi_value source) {
  SchemaSource read;
  if (const napi_value uri = arguments.optional_property(source, "uri"))
    read.uri = arguments.string(uri, "uri", kMaxUri);
  if (const napi_value from = arguments.optional_property(source, "documents")) {
    const napi_value documents = arguments.object(from, "documents");
    read.uris = arguments.strings(arguments.property(documents, "uris"), "uris", kMaxDocuments, kMaxUri);
    read.texts =
        arguments.strings(arguments.property(documents, "texts"), "texts", kMaxDocuments, kMaxGrammar);
    if (read.uris.size() != read.texts.size()) arguments.fail("'uris' and 'texts' must be as many.");
    std::size_t units = 0;
    for (const std::u16string& text : read.texts) units += text.size();
    if (units > kMaxGrammar) arguments.fail("'texts' are too long together; leave out some of them.");
  }
  return read;
}

}  // namespace

std::shared_ptr<const grammar::Grammar> read_grammar(Arguments& arguments, napi_env env, napi_value value) {
  const napi_value object = arguments.object(value, "grammar");
  bool ours = false;
  void* wrapped = nullptr;
  if (object != nullptr && napi_check_object_type_tag(env, object, &kGrammarTag, &ours) == napi_ok && ours)
    napi_unwrap(env, object, &wrapped);
  clear_exception(env);
  if (wrapped == nullptr) {
    arguments.fail("'grammar' must be what compileGrammar gave.");
    return nullptr;
  }
  const auto& grammar = (*static_cast<SharedGrammar*>(wrapped))->grammar;
  if (grammar == nullptr) arguments.fail(grammar_closed_error().message());
  return grammar;
}

Napi::Value compile_grammar(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Arguments arguments(env);
  const napi_value source = arguments.object(info[0], "source");
  const napi_value gbnf = arguments.optional_property(source, "gbnf");
  const bool is_gbnf = gbnf != nullptr;
  auto text = std::make_shared<std::u16string>(
      is_gbnf ? arguments.string(gbnf, "gbnf", kMaxGrammar)
              : arguments.string(arguments.property(source, "schema"), "schema", kMaxGrammar));
  grammar::Layout layout;
  auto beside = std::make_shared<SchemaSource>();
  if (!is_gbnf) {
    layout = read_layout(arguments, arguments.property(source, "layout"));
    *beside = read_schema_source(arguments, source);
  }
  if (!arguments.ok()) return settled_error(env, arguments.status());
  return run_once<Compiled>(
      env,
      [text, is_gbnf, layout, beside]() -> Result<Compiled> {
        const Stopwatch watch;
        const std::string utf8 = utf8_from_utf16(*text);
        TRY_VALUE(auto grammar, is_gbnf ? grammar::Grammar::from_gbnf(utf8)
                                        : grammar::Grammar::from_schema(utf8, layout, beside->library()));
        const double ms = watch.milliseconds();
        const bool empty = grammar->empty();
        return Compiled{std::move(grammar), ms, empty};
      },
      make_grammar_object);
}

}  // namespace emberline::addon
