// Any text as a graph, methods or buffers, under any rules: an error that says where, or a plan
// that reads back as it was written and that the verifier passes.
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "expectation.h"
#include "json_mutation.h"
#include "options_byte.h"
#include "plan_job.h"
#include "plan_writer.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace memplan {
namespace {

constexpr int64_t kSteps = 1'000;

void CheckError(const Error& error, size_t size) {
  Expect(error.code != ErrorCode::kInternal, "no input is our fault: " + error.message);
  Expect(!error.message.empty(), "an error says what is wrong");
  if (error.code != ErrorCode::kInvalidJson || error.path.rfind("byte ", 0) != 0) return;
  Expect(std::stoull(error.path.substr(5)) <= size, "the byte is one of the text");
}

// What the verifier says of a plan that memplan made; under the ExecuTorch rules it may find
// upstream's faults.
void CheckPlan(std::string_view text, PlanJob& job, const Plan& plan, const Options& options) {
  const std::string json = WritePlanJson(plan, job.program(), job.intervals());
  const Result<Report> report =
      VerifyPlan({text.begin(), text.end()}, {json.begin(), json.end()}, options);
  Expect(report.has_value(),
         "a plan of ours reads back: " +
             (report ? "" : report.error().message + " at " + report.error().path));
  if (options.rules != Rules::kSound) return;
  Expect(report->ok, "a sound plan passes: " + (report->ok ? "" : report->errors[0].message));
  for (size_t pool = 0; pool < plan.buffer_sizes.size(); ++pool) {
    Expect(plan.lower_bound[pool] <= plan.buffer_sizes[pool], "no plan is below its bound");
  }
}

void PlanText(std::string_view text, const Options& options) {
  auto job = PlanJob::Start({text.begin(), text.end()}, options);
  if (!job) return CheckError(job.error(), text.size());
  (*job)->Step(kSteps);
  const Result<Plan> plan = (*job)->Finish();
  if (!plan) return CheckError(plan.error(), text.size());
  CheckPlan(text, **job, *plan, options);
}

}  // namespace
}  // namespace memplan

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  memplan::PlanText({reinterpret_cast<const char*>(data), size - 1},
                    memplan::OptionsOf(data[size - 1]));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned int seed) {
  if (size < 2 || seed % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string json =
      memplan::MutatedJson({reinterpret_cast<const char*>(data), size - 1}, seed);
  if (json.empty() || json.size() + 1 > max_size) return LLVMFuzzerMutate(data, size, max_size);
  const uint8_t options = seed % 16 == 1 ? static_cast<uint8_t>(seed >> 16) : data[size - 1];
  std::memcpy(data, json.data(), json.size());
  data[json.size()] = options;
  return json.size() + 1;
}
