// The embedded model, loaded once for all tests of the program.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "engine/model.h"
#include "take.h"

namespace emberline::testing {

inline ModelOptions real_model_options(int threads = 0) {
  ModelOptions options;
  options.path = EMBERLINE_EMBEDDED_MODEL;
  options.threads = threads;
  return options;
}

// With the kernels of one instruction set, loaded anew.
inline std::shared_ptr<Model> real_model_with(const std::string& isa) {
  ModelOptions options = real_model_options();
  options.isa = isa;
  return take(Model::load(options));
}

inline std::shared_ptr<Model> real_model() {
  static const std::shared_ptr<Model> model = take(Model::load(real_model_options()));
  return model;
}

}  // namespace emberline::testing
