// Any text as a plan for any text: an error, or a report. What the verifier passes has no two
// tensors of one graph in the same bytes at one time, told by the planner's own reading.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "expectation.h"
#include "json_mutation.h"
#include "json_walker.h"
#include "lifetimes.h"
#include "options_byte.h"
#include "plan_job.h"
#include "plan_reader.h"
#include "plan_writer.h"
#include "storages.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace memplan {
namespace {

std::vector<char> Padded(std::string_view text) {
  std::vector<char> bytes(text.begin(), text.end());
  bytes.resize(text.size() + kJsonPadding, '\0');
  return bytes;
}

bool ShareBytes(Bytes at, Bytes size, Bytes other, Bytes other_size) {
  return at < other + other_size && other < at + size;
}

void CheckGraph(const Program& program, const GraphPlan& plan) {
  const Graph& graph = *program.graph;
  const Result<Storages> storages = FindStorages(graph, program.names, "", {});
  if (!storages) return;
  const Lifetimes lifetimes = FindLifetimes(graph, *storages, &graph.signature);
  std::vector<TensorIndex> placed;
  for (TensorIndex t = 0; t < graph.tensors.size(); ++t) {
    // Nothing is in no bytes at all.
    if (plan.mem_id[t] == kNoPool || graph.tensors.nbytes[t] == 0) continue;
    if (lifetimes.of[storages->of[t]].exists()) placed.push_back(t);
  }
  for (const TensorIndex a : placed) {
    for (const TensorIndex b : placed) {
      const StorageIndex one = storages->of[a], two = storages->of[b];
      if (one == two || plan.mem_id[a] != plan.mem_id[b]) continue;
      const bool meet = lifetimes.of[one].Overlaps(lifetimes.of[two]) &&
                        ShareBytes(plan.mem_offset[a], graph.tensors.nbytes[a], plan.mem_offset[b],
                                   graph.tensors.nbytes[b]);
      Expect(!meet, "the verifier sees tensors " + std::to_string(a) + " and " + std::to_string(b));
    }
  }
}

bool MeetInTime(const IntervalFile& file, int32_t a, int32_t b) {
  const auto live = [&file](int32_t row, int64_t time) {
    if (time < file.lower[row] || time >= file.upper[row]) return false;
    if (file.first_gap.empty()) return true;
    return std::none_of(file.gaps.begin() + file.first_gap[row],
                        file.gaps.begin() + file.first_gap[row + 1],
                        [time](const auto& gap) { return gap.from <= time && time < gap.to; });
  };
  // If they meet at all, then where one of them begins or comes back.
  std::vector<int64_t> times{file.lower[a], file.lower[b]};
  if (!file.first_gap.empty()) {
    for (const int32_t row : {a, b}) {
      for (uint32_t g = file.first_gap[row]; g < file.first_gap[row + 1]; ++g) {
        times.push_back(file.gaps[g].to);
      }
    }
  }
  return std::any_of(times.begin(), times.end(),
                     [&](int64_t time) { return live(a, time) && live(b, time); });
}

void CheckIntervals(const IntervalFile& file, const GraphPlan& plan) {
  for (int32_t a = 0; a < file.count(); ++a) {
    for (int32_t b = 0; b < a; ++b) {
      if (plan.mem_id[a] != plan.mem_id[b] || !MeetInTime(file, a, b)) continue;
      Expect(!ShareBytes(plan.mem_offset[a], file.size[a], plan.mem_offset[b], file.size[b]) ||
                 file.size[a] == 0 || file.size[b] == 0,
             "the verifier sees rows " + std::to_string(a) + " and " + std::to_string(b));
    }
  }
}

void Verify(std::string_view text, std::string_view plan_text, const Options& options) {
  const auto report =
      VerifyPlan({text.begin(), text.end()}, {plan_text.begin(), plan_text.end()}, options);
  if (!report) {
    return Expect(report.error().code != ErrorCode::kInternal, report.error().message);
  }
  const std::string json = WriteReportJson(*report);
  Expect(!json.empty() && json.back() == '}', "a report is JSON");
  if (!report->ok || options.rules != Rules::kSound) return;
  std::vector<char> bytes(text.begin(), text.end());
  const auto input = ReadInput(&bytes, options.inplace);
  std::vector<char> plan_bytes = Padded(plan_text);
  const std::span<char> plan_json{plan_bytes.data(), plan_text.size()};
  if (input->intervals != nullptr) {
    const auto plan = ReadIntervalPlan(plan_json, *input->intervals);
    return CheckIntervals(*input->intervals, plan->plan.top);
  }
  const Program& program = *input->program;
  if (program.graph == nullptr || !program.graph->control_flow.empty() || options.inplace) return;
  CheckGraph(program, ReadPlan(plan_json, program)->plan.top);
}

// The input: a graph (or buffers), a line end, the plan, and a byte for the options.
size_t PlanBegin(std::string_view text) {
  const size_t end = text.substr(0, text.size() - 1).rfind('\n');
  return end == std::string_view::npos ? 0 : end + 1;
}

}  // namespace
}  // namespace memplan

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  const size_t at = memplan::PlanBegin(text);
  if (at == 0) return 0;
  memplan::Verify(text.substr(0, at - 1), text.substr(at, size - 1 - at),
                  memplan::OptionsOf(data[size - 1]));
  return 0;
}

// Alters the graph, or more often the plan.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const size_t at = size > 2 ? memplan::PlanBegin(text) : 0;
  if (at == 0 || seed % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const bool alters_graph = seed % 8 < 3;
  const std::string graph = text.substr(0, at - 1), plan = text.substr(at, size - 1 - at);
  const std::string altered = memplan::MutatedJson(alters_graph ? graph : plan, seed);
  if (altered.empty()) return LLVMFuzzerMutate(data, size, max_size);
  std::string result = (alters_graph ? altered : graph) + '\n' + (alters_graph ? plan : altered);
  result += seed % 64 == 5 ? static_cast<char>(seed >> 16) : text.back();
  if (result.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, result.data(), result.size());
  return result.size();
}
