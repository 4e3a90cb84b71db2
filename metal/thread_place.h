// Where a thread stands in its threadgroup.
#pragma once

#include <metal_stdlib>

using namespace metal;

struct ThreadPlace {
  uint index, threads;         // in the threadgroup, of the threadgroup
  uint lane;                   // in the simdgroup
  uint simdgroup, simdgroups;  // in the threadgroup, of the threadgroup
};
