// The faults found so far, in words.
#ifndef MEMPLAN_VERIFIER_FAULT_LIST_H_
#define MEMPLAN_VERIFIER_FAULT_LIST_H_

#include <string>
#include <string_view>

#include "verifier.h"
#include "verifier/graph_reading.h"

namespace memplan::verifier {

// Text for messages: a name in quotes, bytes as "[0, 64) of pool 1".
std::string Quoted(std::string_view name);
std::string BytesOfPool(MemId pool, Bytes from, Bytes to);

// Collects faults into a report, up to kMaxFaults of them; the rest are counted.
class FaultList {
 public:
  explicit FaultList(Report* report) : report_(*report) {}

  // True while another fault is listed in full, so that it is worth describing.
  bool is_open() const { return report_.errors.size() < kMaxFaults; }
  void Add(Fault fault) {
    if (is_open()) report_.errors.push_back(std::move(fault));
    Count(1);
  }
  // So many more faults, without a description.
  void Count(int64_t faults) {
    report_.fault_count += faults;
    if (faults > 0) report_.ok = false;
  }

 private:
  Report& report_;
};

}  // namespace memplan::verifier

#endif  // MEMPLAN_VERIFIER_FAULT_LIST_H_
