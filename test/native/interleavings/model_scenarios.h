// Models on threads of their own, as the addon has them; `Host` is ModelHost, or a broken one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "interleavings/js_side.h"

namespace emberline::testing {

inline ModelOptions drawn_options(Course& course) {
  return Stage::get().options(static_cast<int>(1 + course.draw(3)));
}

// A cancel while a request is queued, in prefill or in decode; the next one is right.
template <typename Host>
void cancel_at_any_moment(Course& course) {
  Environment environment;
  JsModel<Host> model(course, environment, drawn_options(course));
  const SessionKey session = model.session(model.create());
  const auto asked = model.complete(session, Stage::long_request());
  if (course.draw_bool()) {
    const int pieces = static_cast<int>(1 + course.draw(4));
    environment.until([&] { return *asked.pieces >= pieces || environment.is_settled(asked.ticket); });
  }
  course.let_pass();
  model.cancel(session, asked);
  model.expect_some_answer(asked);
  model.expect_right_text(session);
  environment.until_settled(model.close());
  course.expect(!environment.settled_twice(), "nothing is settled twice");
  course.expect(environment.pending() == 0 && environment.workers() == 0, "nobody is left waiting");
}

// A model is closed while it loads, makes a session, reads or writes: whoever waits is answered.
template <typename Host>
void close_at_any_moment(Course& course) {
  Environment environment;
  JsModel<Host> model(course, environment, drawn_options(course));
  std::vector<typename JsModel<Host>::Asked> asked;
  std::vector<Ticket> tickets = {model.loaded()};
  if (course.draw(3) > 0) {
    const Ticket created = model.create();
    tickets.push_back(created);
    if (course.draw(3) > 0) {
      environment.until_settled(created);
      const SessionKey session = environment.answer_of(created).number;
      for (std::uint64_t i = 0; i < 1 + course.draw(2); ++i)
        asked.push_back(model.complete(session, Stage::long_request()));
    }
  }
  course.let_pass();
  environment.until_settled(model.close());
  for (const Ticket& ticket : tickets) {
    environment.until_settled(ticket);
    const ErrorCode code = environment.answer_of(ticket).error;
    course.expect(code == ErrorCode::kOk || code == ErrorCode::kModelClosed, "closed is what can be wrong");
  }
  for (const auto& each : asked) model.expect_some_answer(each);
  course.expect(!environment.settled_twice(), "nothing is settled twice");
  course.expect(environment.pending() == 0 && environment.workers() == 0, "nobody is left waiting");
}

// Two sessions of a model: what is cancelled and closed in one leaves the other right.
template <typename Host>
void close_one_of_two_sessions(Course& course) {
  Environment environment;
  JsModel<Host> model(course, environment, drawn_options(course));
  const Ticket created[2] = {model.create(), model.create()};
  const SessionKey one = model.session(created[0]), two = model.session(created[1]);
  const auto first = model.complete(one, Stage::long_request());
  const auto second = model.complete(two, Stage::short_request());
  course.let_pass();
  if (course.draw_bool()) model.cancel(one, first);
  const Ticket closed = model.close_session(one);
  const auto late = model.complete(one, Stage::short_request());
  model.expect_some_answer(first);
  environment.until_settled(second.ticket);
  const JsValue& answer = environment.answer_of(second.ticket);
  course.expect(answer.completion.has_value() && answer.completion->ids == Stage::get().expected(),
                "a session that is not closed is answered");
  environment.until_settled(closed);
  environment.until_settled(late.ticket);
  course.expect(environment.answer_of(late.ticket).error == ErrorCode::kSessionClosed,
                "a session that was closed says so");
  model.expect_right_text(two);
  course.expect(!environment.settled_twice(), "nothing is settled twice");
}

// A fork is closed while its parent writes, and the parent while its fork does.
template <typename Host>
void close_a_fork(Course& course) {
  Environment environment;
  JsModel<Host> model(course, environment, drawn_options(course));
  const SessionKey parent = model.session(model.create());
  if (course.draw_bool()) model.expect_right_text(parent);
  const SessionKey fork = model.session(model.fork(parent));
  const bool parent_writes = course.draw_bool();
  const SessionKey writing = parent_writes ? parent : fork, leaving = parent_writes ? fork : parent;
  const auto asked = model.complete(writing, Stage::long_request());
  course.let_pass();
  const Ticket closed = model.close_session(leaving);
  if (course.draw_bool()) model.cancel(writing, asked);
  model.expect_some_answer(asked);
  environment.until_settled(closed);
  model.expect_right_text(writing);
  course.expect(!environment.settled_twice(), "nothing is settled twice");
}

// Two models of one file, which write its packed copy, read it, or both; one is closed at any moment.
template <typename Host>
void share_a_packed_copy(Course& course) {
  ModelOptions options = drawn_options(course);
  options.packed_folder = Stage::get().empty_folder();
  Environment environment;
  JsModel<Host> one(course, environment, options);
  if (course.draw_bool()) course.let_pass();
  JsModel<Host> two(course, environment, options);
  const Ticket created = two.create();
  course.let_pass();
  const Ticket closed = one.close();
  const SessionKey session = two.session(created);
  two.expect_right_text(session);
  environment.until_settled(closed);
  JsModel<Host> three(course, environment, options);
  three.expect_right_text(three.session(three.create()));
  course.expect(!environment.settled_twice(), "nothing is settled twice");
}

// The environment ends in the middle of everything.
template <typename Host>
void end_the_environment(Course& course) {
  Environment environment;
  JsModel<Host> one(course, environment, drawn_options(course));
  std::optional<JsModel<Host>> two;
  if (course.draw_bool()) two.emplace(course, environment, drawn_options(course));
  for (std::uint64_t steps = course.draw(5); steps > 0; --steps) {
    switch (course.draw(5)) {
      case 0: one.create(); break;
      case 1: one.complete(one.session(one.create()), Stage::long_request()); break;
      case 2: one.close_session(1); break;
      case 3: course.let_pass(); break;
      default:
        if (two) two->close();
        break;
    }
    while (course.draw_bool() && environment.turn()) {
    }
  }
  course.let_pass();
  environment.shut_down();
  course.expect(!environment.settled_twice(), "nothing is settled twice");
  course.expect(environment.workers() == 0, "no worker is left");
}

}  // namespace emberline::testing
