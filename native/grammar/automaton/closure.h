// A state in the making.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

#include "grammar/automaton/frame.h"
#include "grammar/automaton/guides.h"
#include "grammar/automaton/limits.h"
#include "grammar/automaton/stacks.h"
#include "grammar/automaton/state_table.h"
#include "grammar/automaton/terminal_guide.h"

namespace emberline::grammar {

class UniqueItems;

// Goes on from where a byte led to through calls, forks and returns, until every way reads a byte again: what
// predicting and completing do to a set of Earley's.
class Closure {
 public:
  Closure(const Program& program, Limits& limits, Stacks& stacks, Guides<TerminalGuide, Terminal>& terminals,
          UniqueItems& unique_items);

  void begin();
  // Reads on at `pc`, on `stack`.
  void go_on(Pc pc, NodeId stack);
  // Reads on with `leaf`, where some text can be completed so.
  void keep(const Frame& leaf);
  // The same for one that was kept before.
  void keep_again(NodeId leaf) { making_.leaves.push_back(leaf); }
  void keep_terminal(const Frame& leaf);
  // A text may end here.
  void end() { making_.ends = true; }
  // What is complete when all that reads no byte is done: as StateTable::intern() has it, good until the next
  // begin(). Empty where no text leads on.
  const std::vector<std::uint32_t>& finish();

 private:
  struct Thread {
    Pc pc;
    NodeId stack;
    bool operator==(const Thread&) const = default;
  };
  struct Making {
    std::vector<Thread> work;
    std::vector<Thread> seen;
    std::unordered_set<std::uint64_t> many_seen;  // the same, where they are many
    std::vector<std::uint32_t> leaves;
    bool ends = false;
  };

 public:
  // While it lives, other states can be made: searches inside a step do.
  class Aside {
   public:
    explicit Aside(Closure& closure) : closure_(closure), making_(std::exchange(closure.making_, {})) {}
    ~Aside() { closure_.making_ = std::move(making_); }
    Aside(const Aside&) = delete;
    Aside& operator=(const Aside&) = delete;

   private:
    Closure& closure_;
    Making making_;
  };

 private:
  void run(Thread thread);
  void call(Pc rule, Pc behind, NodeId stack);
  void returned_to(NodeId stack);

  const Program& program_;
  Limits& limits_;
  Stacks& stacks_;
  Guides<TerminalGuide, Terminal>& terminals_;
  UniqueItems& unique_items_;
  Making making_;
};

}  // namespace emberline::grammar
