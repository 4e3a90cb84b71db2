// The first reason why a schema is not compiled.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"
#include "grammar/schema/schema_document.h"

namespace emberline::grammar {

// What compiles a schema goes on with empty values behind a failure, and stops where it next looks.
class Refusal {
 public:
  explicit Refusal(const SchemaDocument& document) : document_(document) {}

  bool any() const { return !status_.ok(); }
  const Status& status() const { return status_; }

  void take(Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  // `at`: a value of the document. `why`: a clause.
  void invalid(const Json& at, std::string_view why) { add(ErrorCode::kGrammarInvalid, at, why); }
  void unsupported(const Json& at, std::string_view why) { add(ErrorCode::kGrammarUnsupported, at, why); }
  // nullptr: of what has no place of its own.
  void unsupported(const Json* at, std::string_view why) {
    static const Json kNowhere;
    unsupported(at != nullptr ? *at : kNowhere, why);
  }
  // A status that does not say where.
  void take_at(const Json& at, const Status& status) {
    if (!any()) take(Status(status.code(), document_.pointer(at) + ": " + status.message()));
  }
  void too_large() {
    take(Status(ErrorCode::kGrammarTooLarge,
                "The schema takes more work to compile than the engine allows; leave out parts of it."));
  }

  // Counts steps; false once there were too many.
  bool spend(std::size_t steps) {
    spent_ += steps;
    if (spent_ > kMostSteps) too_large();
    return !any();
  }

 private:
  static constexpr std::size_t kMostSteps = 4'000'000;

  void add(ErrorCode code, const Json& at, std::string_view why) {
    if (!any()) take(Status(code, document_.pointer(at) + ": " + std::string(why) + "."));
  }

  const SchemaDocument& document_;
  Status status_;
  std::size_t spent_ = 0;
};

}  // namespace emberline::grammar
