#include "executorch/devices.h"

#include <algorithm>
#include <charconv>
#include <tuple>

#include "message.h"

namespace memplan::executorch {
namespace {

auto OrderOf(const Device& device) {
  const int rank = device.kind == "cpu" ? 0 : device.kind == "cuda" ? 1 : 2;
  return std::make_tuple(!device.IsFirstCpu(), rank, device.kind, device.number);
}

}  // namespace

Device ParseDevice(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return {text, 0};
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data() + colon + 1, end, number);
  if (error != std::errc() || at != end || number < 0) return {text, 0};
  return {text.substr(0, colon), number};
}

Result<std::vector<DevicePart>> PartitionByDevice(const GraphState& state, const Names& names,
                                                  const std::vector<TensorIndex>& tensors) {
  std::vector<DevicePart> parts;
  bool has_other_than_cpu = false;
  bool has_chosen_pool = false;
  for (TensorIndex t : tensors) {
    const NameId name = state.graph->tensors.device_of(t);
    const Device device = name == kNoName ? Device{} : ParseDevice(names[name]);
    auto part = std::lower_bound(
        parts.begin(), parts.end(), OrderOf(device),
        [](const DevicePart& known, const auto& order) { return OrderOf(known.device) < order; });
    if (part == parts.end() || part->device != device) part = parts.insert(part, {device, {}});
    part->tensors.push_back(t);
    has_other_than_cpu |= device.kind != "cpu";
    has_chosen_pool |= state.mem_id[t] != kNoPool;
  }
  if (has_other_than_cpu && has_chosen_pool) {
    return Fail(ErrorCode::kUnsupported,
                "executorch-2026 does not plan other devices where a tensor's mem_id is chosen "
                "beforehand",
                Message({state.path, "tensors"}));
  }
  return parts;
}

}  // namespace memplan::executorch
