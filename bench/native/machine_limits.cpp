// What the machine itself can do, for the floors of the bench: THREADS.
//
// A worker of the bench: `read BYTES` answers with bytes a second, `int8` with operations a second.
#include <cstdlib>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

#include "base/read_bandwidth.h"
#include "base/thread_pool.h"
#include "int8_peak.h"

namespace emberline_bench {

namespace {

std::string answer(emberline::ThreadPool& pool, const std::string& line) {
  std::istringstream words(line);
  std::string request;
  words >> request;
  std::size_t bytes = 0;
  if (request == "read" && words >> bytes) {
    const double bandwidth = read_bandwidth(pool, bytes);
    if (bandwidth == 0)
      return R"({"error":"There is no memory for a buffer of the model's size.","code":"OUT_OF_MEMORY"})";
    return "{\"bytesPerSecond\":" + std::to_string(bandwidth) + "}";
  }
  if (request == "int8") {
    const Int8Peak peak = int8_peak(pool);
    return "{\"operationsPerSecond\":" + std::to_string(peak.operations_per_second) + ",\"instruction\":\"" +
           peak.instruction + "\"}";
  }
  return R"({"error":"The requests are 'read BYTES' and 'int8'."})";
}

}  // namespace

}  // namespace emberline_bench

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: emberline_machine_limits THREADS\n";
    return 2;
  }
  const emberline::Result<std::unique_ptr<emberline::ThreadPool>> pool =
      emberline::ThreadPool::create(std::atoi(argv[1]));
  if (!pool.ok()) {
    std::cout << "{\"error\":\"" << pool.error().message() << "\"}" << std::endl;
    return 1;
  }
  std::cout << R"({"ready":true})" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << emberline_bench::answer(*pool.value(), line) << std::endl;
  }
  return 0;
}
