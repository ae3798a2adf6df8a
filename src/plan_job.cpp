#include "plan_job.h"

#include <cstring>
#include <string_view>
#include <utility>

#include "executorch/executorch.h"
#include "graph_hash.h"
#include "graph_reader.h"
#include "interval_csv.h"
#include "interval_plan.h"
#include "json_walker.h"
#include "sound_plan.h"

namespace memplan {
namespace {

// ExecuTorch's planners know no steps: all is done at the end.
class ExecutorchJob final : public PlanJob {
 public:
  ExecutorchJob(std::vector<char> bytes, std::unique_ptr<Program> program, Options options)
      : bytes_(std::move(bytes)), program_(std::move(program)), options_(std::move(options)) {}

  bool Step(int64_t) override { return false; }
  Progress progress() const override { return {}; }
  Result<Plan> Finish() override {
    Result<Plan> plan = PlanExecutorch(*program_, options_);
    if (plan) plan->graph_hash = GraphHash(*program_);
    return plan;
  }
  const Program* program() const override { return program_.get(); }
  const IntervalFile* intervals() const override { return nullptr; }

 private:
  std::vector<char> bytes_;
  std::unique_ptr<Program> program_;
  Options options_;
};

// Of an input this large only the names are kept: less than a tenth of it, and all that comes after
// reading then fits where the rest was. In smaller ones it is not worth the copies.
constexpr size_t kLargeInput = size_t{1} << 26;

// What begins with a brace or bracket is meant as JSON, all else as CSV.
bool LooksLikeJson(std::string_view text) {
  const size_t at = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  return at == std::string_view::npos || text[at] == '{' || text[at] == '[';
}

Result<JsonInput> Read(std::vector<char>* bytes, bool keep_shapes, const RowLayout* rows) {
  const size_t size = bytes->size();
  if (rows != nullptr) {
    const size_t json = rows->numbers * sizeof(double);
    const size_t lines = json + rows->json_bytes + kJsonPadding;
    std::memset(bytes->data() + lines - kJsonPadding, 0, kJsonPadding);
    GraphRows reader(bytes->data(), rows->numbers,
                     {bytes->data() + lines, size - lines - kJsonPadding}, rows->lines);
    return ReadJsonInput({bytes->data() + json, rows->json_bytes}, keep_shapes, &reader);
  }
  if (!LooksLikeJson({bytes->data(), size})) {
    Result<IntervalFile> file = ReadIntervalCsv({bytes->data(), size});
    if (!file) return tl::unexpected(file.error());
    return JsonInput{nullptr, std::make_unique<IntervalFile>(std::move(*file))};
  }
  bytes->resize(size + kJsonPadding, '\0');
  return ReadJsonInput({bytes->data(), size}, keep_shapes);
}

}  // namespace

Result<JsonInput> ReadInput(std::vector<char>* bytes, bool keep_shapes, const RowLayout* rows) {
  Result<JsonInput> input = Read(bytes, keep_shapes, rows);
  if (input && bytes->size() >= kLargeInput) {
    Names& names = input->program != nullptr ? input->program->names : input->intervals->names;
    *bytes = names.CopyTexts();
  }
  return input;
}

Result<std::unique_ptr<PlanJob>> PlanJob::Start(std::vector<char> bytes, const Options& options,
                                                const RowLayout* rows) {
  Result<JsonInput> input = ReadInput(&bytes, options.inplace, rows);
  if (!input) return tl::unexpected(input.error());
  if (input->intervals != nullptr) {
    return StartIntervalJob(std::move(bytes), std::move(input->intervals), options);
  }
  if (options.rules == Rules::kSound) {
    return StartSoundJob(std::move(bytes), std::move(input->program), options);
  }
  return std::make_unique<ExecutorchJob>(std::move(bytes), std::move(input->program), options);
}

}  // namespace memplan
