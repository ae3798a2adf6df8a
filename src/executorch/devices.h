// One set of buffers per device (2026, enableNonCpuMemoryPlanning).
#ifndef MEMPLAN_EXECUTORCH_DEVICES_H_
#define MEMPLAN_EXECUTORCH_DEVICES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "executorch/graph_state.h"
#include "names.h"
#include "result.h"
#include "units.h"

namespace memplan::executorch {

// "cuda:1": a kind and a number, 0 where none is written.
struct Device {
  std::string_view kind = "cpu";
  int64_t number = 0;

  bool IsFirstCpu() const { return kind == "cpu" && number == 0; }
  std::string ToString() const { return std::string(kind) + ":" + std::to_string(number); }
  friend bool operator==(const Device&, const Device&) = default;
};

Device ParseDevice(std::string_view text);

struct DevicePart {
  Device device;
  std::vector<TensorIndex> tensors;  // in the order given
};

// _partition_specs_by_device: cpu:0 first, then by kind (cpu, cuda, others by name) and number.
// UNSUPPORTED, as upstream raises NotImplementedError, where tensors lie on another kind than cpu
// and some tensor's mem_id is chosen beforehand.
Result<std::vector<DevicePart>> PartitionByDevice(const GraphState& state, const Names& names,
                                                  const std::vector<TensorIndex>& tensors);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_DEVICES_H_
