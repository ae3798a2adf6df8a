// Any text as CSV: an error that says where, or rows whose plan passes and, written as CSV, reads
// back as the same rows.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "expectation.h"
#include "interval_csv.h"
#include "plan_job.h"
#include "plan_writer.h"

namespace memplan {
namespace {

constexpr int64_t kSteps = 1'000;

bool IsPlannable(const Error& error) {
  return error.code != ErrorCode::kInternal && error.code != ErrorCode::kInvalidJson;
}

void CheckError(const Error& error) {
  Expect(error.code != ErrorCode::kInternal, "no input is our fault: " + error.message);
  Expect(error.path.rfind("line ", 0) == 0, "an error names its line: " + error.message);
}

void CheckReadsBack(const IntervalFile& file, const Plan& plan) {
  std::string csv = WritePlanCsv(plan, file);
  const Result<IntervalFile> back = ReadIntervalCsv({csv.data(), csv.size()});
  Expect(back.has_value(), "what is written reads back: " + (back ? "" : back.error().message));
  Expect(back->count() == file.count(), "all rows are there");
  Expect(back->lower == file.lower && back->upper == file.upper && back->size == file.size,
         "columns stay what they are");
  for (int32_t row = 0; row < file.count(); ++row) {
    Expect(back->names[back->id[row]] == file.names[file.id[row]], "ids stay what they are");
    Expect(back->offset[row] == plan.top.mem_offset[row], "offsets are the plan's");
  }
}

void PlanText(std::string_view text) {
  auto job = PlanJob::Start({text.begin(), text.end()}, {});
  if (!job) return Expect(IsPlannable(job.error()), job.error().message);
  (*job)->Step(kSteps);
  const Result<Plan> plan = (*job)->Finish();
  if (!plan) return Expect(IsPlannable(plan.error()), plan.error().message);
  const IntervalFile* file = (*job)->intervals();
  if (file == nullptr) return;  // the text begins as JSON does
  const std::string json = WritePlanJson(*plan, nullptr, file);
  const Result<Report> report =
      VerifyPlan({text.begin(), text.end()}, {json.begin(), json.end()}, {});
  Expect(report.has_value(),
         "a plan of ours reads back: " + (report ? "" : report.error().message));
  Expect(report->ok, "a plan passes: " + (report->ok ? "" : report->errors[0].message));
  if (file->count() > 0) CheckReadsBack(*file, *plan);
}

}  // namespace
}  // namespace memplan

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text{reinterpret_cast<const char*>(data), size};
  std::vector<char> bytes(text.begin(), text.end());
  const auto file = memplan::ReadIntervalCsv({bytes.data(), bytes.size()});
  if (file) {
    memplan::PlanText(text);
  } else {
    memplan::CheckError(file.error());
  }
  return 0;
}
