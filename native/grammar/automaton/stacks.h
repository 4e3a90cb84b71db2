// Stacks of frames. Each is a frame on another stack, and interned: equal stacks are one number, stacks that
// differ above share what is below, and to keep one costs nothing (Tomita's tree-structured stacks).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "grammar/automaton/frame.h"
#include "grammar/automaton/interner.h"

namespace emberline::grammar {

class Stacks {
 public:
  // `deepest`: frames of a stack.
  explicit Stacks(std::uint32_t deepest) : deepest_(deepest) {}

  const Frame& operator[](NodeId node) const { return frames_[node]; }
  NodeId intern(const Frame& frame) { return frames_.intern(frame); }
  bool too_deep(NodeId stack) const { return stack != kNone && frames_[stack].depth >= deepest_; }

  // What reads the next byte on `stack`.
  Frame leaf_on(NodeId stack, FrameKind kind, Pc where) const {
    Frame leaf;
    leaf.parent = stack;
    leaf.kind = kind;
    leaf.where = where;
    if (stack != kNone) {
      leaf.level = frames_[stack].level;
      leaf.depth = frames_[stack].depth;
      leaf.flags = frames_[stack].flags;
    }
    return leaf;
  }
  // What is open on `stack`.
  Frame open_on(NodeId stack, FrameKind kind, Pc where) const {
    Frame frame = leaf_on(stack, kind, where);
    ++frame.depth;
    return frame;
  }
  // The first frame, from `node` down, that is not in an item whose text is followed.
  NodeId below_followed(NodeId node) const {
    while (node != kNone && frames_[node].followed()) node = frames_[node].parent;
    return node;
  }
  // `top` with every frame above `bottom` changed, those below first, on `there`.
  template <typename Change>
  NodeId changed(NodeId top, NodeId bottom, NodeId there, const Change& change) {
    return remade(
        top, bottom, there, [this](NodeId node) { return frames_[node].parent; },
        [&](NodeId node, NodeId parent) {
          Frame frame = frames_[node];
          frame.parent = parent;
          change(frame);
          return frames_.intern(frame);
        });
  }

  std::uint32_t size() const { return frames_.size(); }
  std::size_t bytes() const { return frames_.bytes(); }
  // Forgets all, which are handed over.
  Interner<Frame> take() { return std::exchange(frames_, {}); }

 private:
  std::uint32_t deepest_;
  Interner<Frame> frames_;
};

}  // namespace emberline::grammar
