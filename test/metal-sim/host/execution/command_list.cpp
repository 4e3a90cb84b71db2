#include "host/execution/command_list.h"

extern "C" void* objc_retain(void* object);
extern "C" void objc_release(void* object);

namespace emberline::metal_sim {
namespace {

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

}  // namespace

CommandList::CommandList() : number_(next_number()) {}

CommandList::~CommandList() {
  clear();
}

bool CommandList::use(Resource& resource) {
  if (resource.last_list.load(std::memory_order_relaxed) == number_) return false;
  resource.last_list.store(number_, std::memory_order_relaxed);
  // Two lists encoded in turns may count themselves twice; each count is taken back.
  resource.users++;
  used_.push_back(&resource);
  if (retains) objc_retain(resource.owner);
  return true;
}

void CommandList::clear() {
  for (Resource* resource : used_) {
    resource->users--;
    if (retains) objc_release(resource->owner);
  }
  used_.clear();
  commands.clear();
  arguments.clear();
  lengths.clear();
  resources.clear();
  bytes.clear();
  barriers = 0;
  encoders = 0;
  number_ = next_number();
}

}  // namespace emberline::metal_sim
