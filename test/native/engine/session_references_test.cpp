// What a session reads of the texts beside a prompt, and when.
#include <gtest/gtest.h>

#include <string>

#include "allocation_counter.h"
#include "engine/session.h"
#include "toy_session.h"

namespace emberline::testing {
namespace {

// Reading a text takes a copy of it, and a session of a toy nothing that is nearly so large.
constexpr std::size_t kLongText = 4 << 20;

std::size_t peak_bytes_of(Session& session, const CompletionRequest& request) {
  const AllocationCounter counter;
  const Completion completion = take(session.complete(request));
  EXPECT_EQ(completion.ids.size(), request.max_tokens);
  return counter.peak_bytes();
}

TEST(SessionReferences, TheFirstTokenWaitsForNoneButTheDocument) {
  ToyModel toy;
  toy.end_tokens = false;
  const auto model = load_toy(toy);
  const auto session = take(Session::create(model, 256));
  CompletionRequest request;
  request.prompt = "x = 1";
  request.single_line = false;
  request.ban_blank_start = false;
  request.drafting = {.lookup = true, .adaptive = false, .most = 4};
  request.references = {"x = 1\nreturn x\n", ""};
  for (std::string& text = request.references.back(); text.size() < kLongText;) text += "return foo(x);\n";
  request.max_tokens = 1;
  for (request.remembered = 0; request.remembered < 2; ++request.remembered) {
    EXPECT_LT(peak_bytes_of(*session, request), kLongText) << request.remembered;
  }

  // Once drafts are wanted it is read, and kept for the next request.
  request.remembered = 1;
  request.max_tokens = 8;
  EXPECT_GE(peak_bytes_of(*session, request), kLongText);
  EXPECT_LT(peak_bytes_of(*session, request), kLongText);
  request.max_tokens = 1;
  request.remembered_beside = 1;
  EXPECT_LT(peak_bytes_of(*session, request), kLongText) << "what was read before";
  const auto other = take(Session::create(model, 256));
  EXPECT_GE(peak_bytes_of(*other, request), kLongText) << "files that have a say are read";
}

TEST(SessionReferences, TheDocumentIsReadBeforeTheFirstToken) {
  ToyModel toy;
  toy.end_tokens = false;
  const auto session = take(Session::create(load_toy(toy), 256));
  CompletionRequest request;
  request.prompt = "x = 1";
  request.max_tokens = 1;
  request.references = {std::string(kLongText, 'x')};
  EXPECT_LT(peak_bytes_of(*session, request), kLongText);
  request.remembered = 1;
  EXPECT_GE(peak_bytes_of(*session, request), kLongText);
}

}  // namespace
}  // namespace emberline::testing
