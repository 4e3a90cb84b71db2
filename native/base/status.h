// Errors are values: a closed code and one sentence that tells the user what to do.
//
// Every fallible function of the engine returns Status or Result<T>. Nothing in native/ aborts on a user's
// mistake, or prints. The one thing that is thrown is std::bad_alloc: addon/guarded.h makes a value of it.
#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace emberline {

// The closed set of error codes. The name of each (`code_name`) is part of the public surface: it appears in
// the addon's errors, in the terminal and in the log. core/engine/native_result.ts lists the same names;
// a test compares the two.
enum class ErrorCode {
  kOk = 0,
  kFileNotFound,
  kFileAccessDenied,
  kFileNotRegular,
  kFileIo,
  kModelNotGguf,
  kModelVersionUnsupported,
  kModelTruncated,
  kModelCorrupt,
  kModelMetadataMissing,
  kModelMetadataInvalid,
  kModelArchitectureUnsupported,
  kModelTensorTypeUnsupported,
  kModelTensorMissing,
  kModelTensorShape,
  kModelTokenizerUnsupported,
  kModelExceedsMemory,
  kDraftTokenizerDiffers,
  kInvalidArgument,
  kOutOfMemory,
  kContextOverflow,
  kSessionClosed,
  kModelClosed,
  kLogitsNotFinite,
  kAllTokensMasked,
  kDeviceUnavailable,
  kDeviceFailed,
  kGrammarInvalid,
  kGrammarUnsupported,
  kGrammarTooLarge,
  kGrammarRejectsPrefix,
  kInternal,
};

// "MODEL_TRUNCATED" for kModelTruncated, and so on. Never null.
const char* code_name(ErrorCode code);

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(ErrorCode code, std::string message) : code_(code), message_(std::move(message)) {}

  bool ok() const { return code_ == ErrorCode::kOk; }
  ErrorCode code() const { return code_; }
  // One sentence, without the code. Empty when ok().
  const std::string& message() const { return message_; }

 private:
  ErrorCode code_ = ErrorCode::kOk;
  std::string message_;
};

// A value of type T, or the error that kept it from being made.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT
  Result(Status error) : state_(std::in_place_index<1>, std::move(error)) {  // NOLINT
    assert(!std::get<1>(state_).ok());
  }

  bool ok() const { return state_.index() == 0; }
  // Preconditions: ok() for value(), !ok() for error().
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  const Status& error() const { return std::get<1>(state_); }
  ErrorCode code() const { return ok() ? ErrorCode::kOk : error().code(); }

 private:
  std::variant<T, Status> state_;
};

}  // namespace emberline
