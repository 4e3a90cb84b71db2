// Faults put into the shipped kernels one by one, every one of which the comparisons of the other tests must
// catch: the negative controls of the attention, argmax and sampler tests.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <span>

#include "argmax_run.h"
#include "attention_run.h"
#include "mutations_check.h"
#include "sampler_run.h"
#include "sampling/exact_law.h"
#include "sampling/gumbel_noise.h"

namespace emberline::metal_sim {
namespace {

// -- what is examined: true where the kernels do as they should

bool near(const std::vector<float>& out, const AttentionCase& test, double tolerance) {
  const std::vector<double> expected = test.reference();
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!(std::abs(out[i] - expected[i]) <= tolerance)) return false;
  }
  return true;
}

bool attention_decode_is_right(const Library& library) {
  for (const AttentionShape& shape : {AttentionShape{64, 3, 2, 0, 2}, AttentionShape{64, 3, 2, 300, 2},
                                      AttentionShape{64, 3, 2, 300, 2, 40, 3.0f}}) {
    AttentionCase test(shape);
    AttentionRun run;
    run.library = &library;
    run.decode(test);
    if (!run.fault.empty() || !near(run.out, test, test.tolerance())) return false;
  }
  return true;
}

bool attention_prefill_is_right(const Library& library) {
  for (const AttentionShape& shape :
       {AttentionShape{64, 3, 2, 250, 20}, AttentionShape{64, 3, 2, 250, 20, 40, 3.0f}}) {
    AttentionCase test(shape);
    AttentionRun run;
    run.library = &library;
    run.prefill(test);
    if (!run.fault.empty() || !near(run.out, test, test.tolerance() * 4)) return false;
  }
  return true;
}

bool argmax_is_right(const Library& library) {
  for (const Order& order : all_orders()) {
    for (const std::uint32_t second : {100u, 101u, 701u, 4103u}) {
      std::vector<float> logits(4104, -1.0f);
      logits[100] = logits[second] = 2.0f;
      ArgmaxRun run(logits);
      run.library = &library;
      run.chained = true;
      run.position = 4;
      run.run(order);
      if (!run.fault.empty() || run.state().halted != 0 || run.state().end != 5) return false;
      run.position = 5;
      run.stop_at(100);
      run.run(order);
      if (!run.fault.empty() || run.token() != 100 || run.state().halted != 1 || run.state().end != 6) {
        return false;
      }
      const double others = 4102.0 - (second != 100 ? 0 : -1), largest = second != 100 ? 2 : 1;
      if (std::abs(run.log_prob() + std::log(largest + others * std::exp(-3.0))) > 1e-5) return false;
      run.position = 6;  // the same once more, behind the stop
      run.run(order);
      if (!run.fault.empty() || run.token() != ArgmaxRun::kNoToken) return false;
    }
  }
  return true;
}

bool sampler_is_right(const Library& library) {
  std::mt19937_64 random(1);
  const SamplingParams settings[] = {
      {.temperature = 0.8f, .top_k = 40, .top_p = 0.9f, .repeat_penalty = 1.3f, .seed = 7},
      {.temperature = 1.2f, .top_p = 0.7f, .min_p = 0.05f, .repeat_penalty = 1.3f, .seed = 8},
      {.temperature = 1.0f, .top_k = 1500, .seed = 9},
  };
  for (const SamplingParams& params : settings) {
    for (const float step : {0.0f, 0.5f}) {  // smooth logits, and logits with many ties
      std::vector<float> logits(3001);
      for (float& logit : logits) logit = std::normal_distribution<float>(0, 2)(random);
      if (step > 0) {
        for (float& logit : logits) logit = std::round(logit / step) * step;
      }
      SamplerRun run(logits, params);
      run.library = &library;
      run.threads = 128;
      run.tokens = {2, 9, 2, 9, 2999, 9};
      run.position = 5;
      run.params.penalty_window = 64;

      std::vector<std::uint32_t> kept = exact_law(logits, run.tokens, run.params).tokens;
      std::sort(kept.begin(), kept.end());
      run.run();
      if (!run.fault.empty() || run.survivors() != kept) return false;
      // Of two penalised alike or not at all, scores differ by noise and logits alone.
      const std::uint32_t first = kept.front();
      if (first == 2 || first == 9 || first == 2999) continue;
      std::uint32_t largest = first;
      for (const std::uint32_t token : kept) {
        if (token != 2 && token != 9 && token != 2999 && logits[token] > logits[largest]) largest = token;
      }
      const auto noise = [&](std::uint32_t token) { return gumbel_noise(params.seed, 6, token); };
      const double expected =
          (double{logits[largest]} - logits[first]) / params.temperature + noise(largest) - noise(first);
      if (std::abs(run.scores[largest] - run.scores[first] - expected) > 1e-4) return false;
    }
  }
  return true;
}

// -- the faults

TEST(DeepMutations, OfAttentionDecodeAreCaught) {
  expect_every_fault_caught(
      {"attention_decode",
       attention_decode_is_right,
       {{"attention_decode.metal", "attend_heads<16>", "attend_heads<8>"},
        {"attention_decode.metal", "attend_heads<32>", "attend_heads<8>"},
        {"attention_decode.h", "attend<LANES, kDecodeHeads>", "attend<LANES, 3>"}},
       {{"a wrong stride of the query heads",
         {"attention_decode.metal", "group.x * HEADS_PER_KV", "group.x"}},
        {"a wrong stride of the KV heads", {"attention_decode.h", "p.kv_heads + kv_head", "p.kv_heads"}},
        {"a KV length that is one too short",
         {"attention_decode.metal", "p.position + group.z + 1", "p.position + group.z"}},
        {"a KV length that is one too long",
         {"attention_decode.metal", "p.position + group.z + 1", "p.position + group.z + 2"}},
        {"a page table that is not read",
         {"attention_decode.h", "pages[first / kKvPagePositions]", "first / kKvPagePositions"}},
        {"a window that is one too long",
         {"attention_decode.h", "length - p.window :", "length - p.window - 1 :"}},
        {"entries in front of the window that are read",
         {"attention_decode.h", "entry >= task.first && entry < task.length", "entry < task.length"}},
        {"a block of the window that is left out",
         {"attention_decode.h", "task.first / kBlock * kBlock", "(task.first / kBlock + 1) * kBlock"}},
        {"a cap that is not in base 2", {"attention_decode.h", "p.soft_cap * kLog2E)", "p.soft_cap)"}},
        {"simdgroups merged without rescaling",
         {"attention_decode.h", "exp2(partials.largest[h][s] - largest)", "1.0f"}},
        {"teams that are not merged", {"attention_decode.h", "merge_teams<LANES>(states[h]);", "(void)0;"}},
        {"no barriers around the merge",
         {"attention_decode.h", "threadgroup_barrier(mem_flags::mem_threadgroup);", ""}}}});
}

TEST(DeepMutations, OfAttentionPrefillAreCaught) {
  std::vector<Edit> narrowed = {{"attention_decode.h", "attend<LANES, kDecodeHeads>", "attend<LANES, 3>"}};
  for (const char* width : {"attend_tile<16, prefill_entries(16)>", "attend_tile<32, prefill_entries(32)>",
                            "attend_tile<48, prefill_entries(48)>", "attend_tile<80, prefill_entries(80)>",
                            "attend_tile<96, prefill_entries(96)>", "attend_tile<128, prefill_entries(128)>",
                            "attend_tile<256, prefill_entries(256)>"}) {
    narrowed.push_back({"attention_prefill.metal", width, "attend_tile<64, prefill_entries(64)>"});
  }
  expect_every_fault_caught(
      {"attention_prefill",
       attention_prefill_is_right,
       narrowed,
       {{"a causal mask that is off by one",
         {"attention_prefill.h", "&& entry < length;", "&& entry + 1 < length;"}},
        {"every row with the window of the tile's first",
         {"attention_prefill.h", "entry >= first_in_window(p, length)", "entry >= task.first"}},
        {"entries in front of the window that are not zero",
         {"attention_prefill.h", "first + entry >= task.first && ", ""}},
        {"scores that are not capped",
         {"attention_prefill.h", "capped_score(p, scores[i * ENTRIES + place.lane])",
          "scores[i * ENTRIES + place.lane]"}},
        {"values loaded while keys are read",
         {"attention_prefill.h",
          "threadgroup_barrier(mem_flags::mem_threadgroup);  // also: the keys have been read",
          "simdgroup_barrier(mem_flags::mem_threadgroup);"}},
        {"keys loaded while values are read",
         {"attention_prefill.h",
          "threadgroup_barrier(mem_flags::mem_threadgroup);  // the tile has been read", ""}},
        {"results that are not rescaled",
         {"attention_prefill.h", "diagonal[9 * i] = rescale", "diagonal[9 * i] = 1.0f"}},
        {"keys that are not transposed", {"attention_prefill.h", "ulong2(0), true", "ulong2(0), false"}}}});
}

TEST(Mutations, OfArgmaxAreCaught) {
  expect_every_fault_caught(
      {"argmax",
       argmax_is_right,
       {},
       {{"the last of equal logits within a thread",
         {"logit_scan.h", "if (key > summary.key)", "if (key >= summary.key)"}},
        {"the last of equal logits across threads",
         {"logit_scan.h", "simd_min(own.key == all.key ? own.id : 0xFFFFFFFFu)",
          "simd_max(own.key == all.key ? own.id : 0u)"}},
        {"no barrier before the partial results are read",
         {"logit_scan.h", "threadgroup_barrier(mem_flags::mem_threadgroup);", ""}},
        {"sums that are not rescaled",
         {"logit_scan.h", "own.sum * exp(own.largest - all.largest)", "own.sum"}},
        {"the stop set read from its other end", {"argmax.h", ">> (token % 32)", ">> (31 - token % 32)"}},
        {"a stop that the next step does not look at",
         {"chain_guard.h", "CHAINED && chain->halted != 0", "false"}},
        {"a step that is not counted", {"argmax.h", "chain->end = p.position + 1;", ""}},
        {"an end that is one too early",
         {"argmax.h", "halt_chain(chain, kHaltedByStop, p.position + 1, grids)",
          "halt_chain(chain, kHaltedByStop, p.position, grids)"}}}});
}

TEST(DeepMutations, OfTheSamplerAreCaught) {
  expect_every_fault_caught(
      {"gumbel",
       sampler_is_right,
       {},
       {{"a history read past its end", {"gumbel.h", "tokens[position - i]", "tokens[position + 1 - i]"}},
        {"a history read before its start", {"gumbel.h", "min(window, position + 1)", "window"}},
        {"a penalty for every occurrence",
         {"gumbel.h", "penalised_logit(logits[token], penalty)", "penalised_logit(scores[token], penalty)"}},
        {"ties that go to the higher id", {"survivors.h", "((1u << kTokenBits) - 1 - id)", "id"}},
        {"mass over something else than the whole",
         {"survivors.h", "top_p_mass(sums.total.mass", "top_p_mass(sums.total.mass / 2"}},
        {"a carry that is lost", {"survivors.h", "if (before + low < before) high += 1;", ""}},
        {"a histogram that is read while it is filled",
         {"survivors.h",
          "place);\n  threadgroup_barrier(mem_flags::mem_threadgroup);\n  const PrefixGoal goal",
          "place);\n  const PrefixGoal goal"}},
        {"a k that is one too large", {"survivors.h", "goal.count = top_k;", "goal.count = top_k + 1;"}},
        {"noise of the position before",
         {"gumbel.h", "sampling, position + 1, scores", "sampling, position, scores"}}}});
}

}  // namespace
}  // namespace emberline::metal_sim
