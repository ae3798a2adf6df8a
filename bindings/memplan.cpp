// What JavaScript can call: a handful of coarse functions on numbers. Bytes come in through memory
// that ReserveInput hands out; answers are left in memory, found through the table that OutputTable
// points to, and stay until the next call. bindings/instance.ts is the only reader.
#include <emscripten/bind.h>

#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "json_walker.h"
#include "plan_job.h"
#include "plan_writer.h"

namespace memplan {
namespace {

uint32_t Address(const void* data) {
  return static_cast<uint32_t>(reinterpret_cast<uintptr_t>(data));
}

// The columns of one graph's tensors: addresses, each of `count` entries.
struct GraphColumns {
  uint32_t count = 0;
  uint32_t lifetimes = 0;  // int32 pairs: first and last node, -1 where there is none
  uint32_t times = 0;  // of an interval problem instead: doubles, lower (count of them) then upper
  uint32_t allocated = 0;  // bytes: int32 where `small`, else doubles
  uint32_t mem_ids = 0;    // int32, -1 where not planned
  uint32_t objects = 0;    // int32, -1 where there is none
  uint32_t offsets = 0;    // bytes, as `allocated`; -1 where not planned
  uint32_t small = 0;  // not 0: all of both are below 2^30, so that engines keep them as they are
};

// Where the answer of the last call lies. The layout is bindings/instance.ts's too.
struct Output {
  uint32_t text = 0;  // UTF-8: the head of a plan, a report, an error, a phase
  uint32_t text_size = 0;
  uint32_t ids = 0;  // UTF-8: the ids of all tensors, one after the other; behind the text
  uint32_t ids_size = 0;
  uint32_t id_lengths = 0;  // uint32, in UTF-16 units
  uint32_t id_count = 0;
  uint32_t graphs = 0;  // GraphColumns, in the order of the text
  uint32_t graph_count = 0;
  uint32_t out_of_memory =
      0;  // 1 once an allocation has failed: the trap that follows is no fault of ours
  uint32_t ids_at = 0;   // where the ids begin in the text and what lies behind it, in UTF-16 units
  double best_peak = 0;  // progress, in bytes; -1 before there is a plan
  double lower_bound = 0;
  double steps = 0;
};

// All that lives between calls.
struct State {
  std::vector<char> input;
  std::vector<char> plan_json;
  std::vector<double> capacity;
  std::string names;
  std::vector<std::unique_ptr<PlanJob>> jobs;  // by handle; null where free

  // What `output` points into.
  std::unique_ptr<PlanJob> finished;
  std::optional<Plan> plan;
  std::string text;
  std::vector<uint32_t> id_lengths;
  std::vector<GraphColumns> graphs;
  std::vector<double> times;
  Output output;
};

State& TheState() {
  static State state;
  return state;
}

void Say(std::string text) {
  State& state = TheState();
  state.text = std::move(text);
  state.output.text = Address(state.text.data());
  state.output.text_size = static_cast<uint32_t>(state.text.size());
}

// JavaScript's flags of a job, in bits; see bindings/options.ts.
enum Flags : uint32_t {
  kAllocGraphInput = 1,
  kAllocGraphOutput = 2,
  kAllocMutableBuffers = 4,
  kMoveResults = 8,
  kInplace = 16,
  kAllowOverlap = 32,
  kNonCpuPlanning = 64,
  kCapacityPerPool = 128,
};

// The numbers were checked in TypeScript. Uses up what ReserveCapacity took.
Options MakeOptions(uint32_t rules, uint32_t flags, double alignment, double seed, double stop_at) {
  State& state = TheState();
  Options options;
  options.rules = static_cast<Rules>(rules);
  options.alignment = static_cast<Bytes>(alignment);
  options.alloc_graph_input = flags & kAllocGraphInput;
  options.alloc_graph_output = flags & kAllocGraphOutput;
  options.alloc_mutable_buffers = flags & kAllocMutableBuffers;
  options.move_results = flags & kMoveResults;
  options.inplace = flags & kInplace;
  options.allow_lifetime_and_storage_overlap = flags & kAllowOverlap;
  options.enable_non_cpu_memory_planning = flags & kNonCpuPlanning;
  options.capacity_per_pool = flags & kCapacityPerPool;
  options.seed = static_cast<uint64_t>(seed);
  options.stop_at = static_cast<Bytes>(stop_at);
  for (const double bytes : std::exchange(state.capacity, {})) {
    options.capacity.push_back(static_cast<Bytes>(bytes));
  }
  const std::string_view names = state.names;
  size_t to = std::min(names.find('\n'), names.size());
  options.algorithm = names.substr(0, to);
  while (to < names.size()) {
    const size_t from = to + 1;
    to = std::min(names.find('\n', from), names.size());
    options.inplace_operators.emplace_back(names.substr(from, to - from));
  }
  return options;
}

uint32_t OutputTable() { return Address(&TheState().output); }

// Gives back everything that the last answer lies in. Braces alone would empty vectors and keep
// their memory.
void Release() {
  const auto give_back = [](auto* owner) { *owner = std::decay_t<decltype(*owner)>(); };
  State& state = TheState();
  state.plan.reset();
  state.finished = nullptr;
  give_back(&state.input);
  give_back(&state.plan_json);
  give_back(&state.text);
  give_back(&state.id_lengths);
  give_back(&state.graphs);
  give_back(&state.times);
  const uint32_t out_of_memory = state.output.out_of_memory;
  state.output = {};
  state.output.out_of_memory = out_of_memory;
}

// Room for `size` bytes of input, to be filled before the call that reads them. The last answer is
// gone then.
uint32_t ReserveInput(double size) {
  Release();
  State& state = TheState();
  state.input = MakeText(static_cast<size_t>(size));
  return Address(state.input.data());
}

// The same for the plan that Verify reads.
uint32_t ReservePlan(double size) {
  State& state = TheState();
  state.plan_json = MakeText(static_cast<size_t>(size));
  return Address(state.plan_json.data());
}

// Room for those options of the next call that are no single numbers: the capacities, as doubles.
uint32_t ReserveCapacity(uint32_t count) {
  std::vector<double>& capacity = TheState().capacity;
  capacity.resize(count);
  return Address(capacity.data());
}

// The same for names, as UTF-8: the algorithm, then one operator a line. They stay for later calls.
uint32_t ReserveNames(uint32_t size) {
  std::string& names = TheState().names;
  names.resize(size);
  return Address(names.data());
}

// Takes the input, starts a job on it and makes `budget` steps of it: for most inputs all there
// are, and no call of their own. Gives twice the job's handle, and 1 more where something is left
// to do; or -1 and an error as text. `numbers` to `lines` are those of a RowLayout, 0 for text.
int Start(uint32_t rules, uint32_t flags, double alignment, double seed, double stop_at,
          double numbers, double json_bytes, double lines, double budget) {
  State& state = TheState();
  const Options options = MakeOptions(rules, flags, alignment, seed, stop_at);
  const RowLayout layout{static_cast<size_t>(numbers), static_cast<size_t>(json_bytes),
                         static_cast<size_t>(lines)};
  Result<std::unique_ptr<PlanJob>> job =
      PlanJob::Start(std::exchange(state.input, {}), options, lines > 0 ? &layout : nullptr);
  if (!job) {
    Say(WriteErrorJson(job.error()));
    return -1;
  }
  size_t handle = 0;
  while (handle < state.jobs.size() && state.jobs[handle]) ++handle;
  if (handle == state.jobs.size()) state.jobs.emplace_back();
  state.jobs[handle] = std::move(*job);
  const bool more = state.jobs[handle]->Step(static_cast<int64_t>(budget));
  return static_cast<int>(2 * handle) + (more ? 1 : 0);
}

// 0 when nothing is left to do.
int Step(int handle, double budget) {
  return TheState().jobs[handle]->Step(static_cast<int64_t>(budget));
}

// Leaves the numbers in the table and the phase as text.
void ReadProgress(int handle) {
  State& state = TheState();
  const Progress progress = state.jobs[handle]->progress();
  state.output.best_peak = static_cast<double>(progress.best_peak);
  state.output.lower_bound = static_cast<double>(progress.lower_bound);
  state.output.steps = static_cast<double>(progress.steps);
  Say(std::string(progress.phase));
}

void Cancel(int handle) { TheState().jobs[handle] = nullptr; }

// How long `text` (UTF-8, checked by the reader) is in JavaScript: 4-byte characters count twice.
uint32_t Utf16Length(std::string_view text) {
  uint32_t length = 0;
  size_t at = 0;
  for (; at + sizeof(uint64_t) <= text.size(); at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, text.data() + at, sizeof word);
    if ((word & 0x8080808080808080u) != 0) break;
    length += sizeof word;
  }
  for (const char c : text.substr(at)) {
    const auto byte = static_cast<unsigned char>(c);
    length += (byte & 0xc0) != 0x80;
    length += byte >= 0xf0;
  }
  return length;
}

template <typename Word>
uint64_t CopyWord(const char* from, char* to) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  std::memcpy(to, &word, sizeof word);
  return word;
}

// Copies a name and gives its length in JavaScript. By words, the last of which may overlap the one
// before: names are short, and a call would take longer.
uint32_t CopyName(std::string_view name, char* to) {
  const char* const from = name.data();
  const size_t size = name.size();
  uint64_t bits = 0;
  if (size >= 8) {
    for (size_t i = 0; i + 8 < size; i += 8) bits |= CopyWord<uint64_t>(from + i, to + i);
    bits |= CopyWord<uint64_t>(from + size - 8, to + size - 8);
  } else if (size >= 4) {
    bits = CopyWord<uint32_t>(from, to) | CopyWord<uint32_t>(from + size - 4, to + size - 4);
  } else {
    for (size_t i = 0; i < size; ++i) bits |= CopyWord<uint8_t>(from + i, to + i);
  }
  return (bits & 0x8080808080808080u) == 0 ? static_cast<uint32_t>(size) : Utf16Length(name);
}

void AddIds(const std::vector<NameId>& ids, const Names& names, State* state) {
  size_t at = state->text.size();
  size_t end = at;
  for (const NameId id : ids) end += names[id].size();
  state->text.resize(end);
  state->id_lengths.reserve(state->id_lengths.size() + ids.size());
  for (const NameId id : ids) {
    const std::string_view name = names[id];
    state->id_lengths.push_back(CopyName(name, state->text.data() + at));
    at += name.size();
  }
}

// Turns whole numbers into others, not larger ones, where they stand: the plan is not read by the
// core any more.
template <typename Number>
uint32_t To(std::vector<Bytes>* column) {
  static_assert(sizeof(Number) <= sizeof(Bytes));
  char* const bytes = reinterpret_cast<char*>(column->data());
  for (size_t i = 0; i < column->size(); ++i) {
    const Number number = static_cast<Number>((*column)[i]);
    std::memcpy(bytes + i * sizeof number, &number, sizeof number);
  }
  return Address(bytes);
}

void AddSizes(GraphPlan* plan, GraphColumns* columns) {
  uint64_t bits = 0;
  for (const Bytes size : plan->allocated) bits |= static_cast<uint64_t>(size);
  for (const Bytes offset : plan->mem_offset) bits |= static_cast<uint64_t>(offset + 1);
  columns->small = bits < uint64_t{1} << 30;
  const auto to = columns->small != 0 ? &To<int32_t> : &To<double>;
  columns->allocated = to(&plan->allocated);
  columns->offsets = to(&plan->mem_offset);
}

void AddColumns(GraphPlan* plan, const Names& names, bool with_ids, State* state) {
  static_assert(sizeof(Lifetime) == 2 * sizeof(int32_t));
  state->graphs.push_back({.count = static_cast<uint32_t>(plan->mem_offset.size()),
                           .lifetimes = Address(plan->lifetime.data()),
                           .mem_ids = Address(plan->mem_id.data()),
                           .objects = Address(plan->mem_obj_id.data())});
  AddSizes(plan, &state->graphs.back());
  if (with_ids) AddIds(plan->graph->tensors.id, names, state);
  for (GraphPlan& submodule : plan->submodules) AddColumns(&submodule, names, true, state);
}

void AddIntervalColumns(const IntervalFile& intervals, State* state) {
  for (const std::vector<int64_t>* column : {&intervals.lower, &intervals.upper}) {
    for (const int64_t time : *column) state->times.push_back(static_cast<double>(time));
  }
  GraphPlan& plan = state->plan->top;
  state->graphs.push_back({.count = static_cast<uint32_t>(intervals.count()),
                           .times = Address(state->times.data()),
                           .mem_ids = Address(plan.mem_id.data()),
                           .objects = Address(plan.mem_obj_id.data())});
  AddSizes(&plan, &state->graphs.back());
  AddIds(intervals.id, intervals.names, state);
}

// kColumnsWithoutIds: the caller has those of the outer graph's tensors.
enum class Answer : uint32_t { kColumns, kJson, kCsv, kColumnsWithoutIds };

// Ends a job: its plan is in the table as columns with the head as text, or whole as text. 0: an
// error as text. The handle is free either way.
int Finish(int handle, uint32_t answer) {
  State& state = TheState();
  state.finished = std::move(state.jobs[handle]);
  Result<Plan> plan = state.finished->Finish();
  if (!plan) {
    Say(WriteErrorJson(plan.error()));
    return 0;
  }
  state.plan.emplace(std::move(*plan));
  state.id_lengths.clear();
  state.graphs.clear();
  state.times.clear();
  const Program* program = state.finished->program();
  const IntervalFile* intervals = state.finished->intervals();
  switch (static_cast<Answer>(answer)) {
    case Answer::kCsv:
      Say(intervals ? WritePlanCsv(*state.plan, *intervals) : std::string());
      return 1;
    case Answer::kJson:
      Say(WritePlanJson(*state.plan, program, intervals));
      return 1;
    case Answer::kColumns:
    case Answer::kColumnsWithoutIds:
      break;
  }
  Say(WritePlanJson(*state.plan, program, intervals, PlanForm::kHead));
  const size_t head = state.text.size();
  state.output.ids_at = Utf16Length(state.text);
  if (intervals) {
    AddIntervalColumns(*intervals, &state);
  } else if (state.plan->methods.empty()) {
    const bool with_ids = static_cast<Answer>(answer) != Answer::kColumnsWithoutIds;
    AddColumns(&state.plan->top, program->names, with_ids, &state);
  } else {
    for (GraphPlan& method : state.plan->methods) AddColumns(&method, program->names, true, &state);
  }
  // The text may have moved as it grew.
  state.output.text = Address(state.text.data());
  state.output.ids = Address(state.text.data() + head);
  state.output.ids_size = static_cast<uint32_t>(state.text.size() - head);
  state.output.id_lengths = Address(state.id_lengths.data());
  state.output.id_count = static_cast<uint32_t>(state.id_lengths.size());
  state.output.graphs = Address(state.graphs.data());
  state.output.graph_count = static_cast<uint32_t>(state.graphs.size());
  return 1;
}

// Takes the input and the plan, and leaves the report as text. 0: an error as text.
int Verify(uint32_t rules, uint32_t flags, double alignment) {
  State& state = TheState();
  const Options options = MakeOptions(rules, flags, alignment, 0, kNoBytes);
  const Result<Report> report =
      VerifyPlan(std::exchange(state.input, {}), std::exchange(state.plan_json, {}), options);
  Say(report ? WriteReportJson(*report) : WriteErrorJson(report.error()));
  return report.has_value();
}

// Leaves the table of planners as text.
void Algorithms() { Say(WriteAlgorithmsJson()); }

}  // namespace
}  // namespace memplan

EMSCRIPTEN_BINDINGS(memplan) {
  using emscripten::function;
  // Without exceptions a failed allocation has no other way to say so before the module stops.
  std::set_new_handler([] {
    memplan::TheState().output.out_of_memory = 1;
    __builtin_trap();
  });
  function("outputTable", &memplan::OutputTable);
  function("reserveInput", &memplan::ReserveInput);
  function("reservePlan", &memplan::ReservePlan);
  function("reserveCapacity", &memplan::ReserveCapacity);
  function("reserveNames", &memplan::ReserveNames);
  function("start", &memplan::Start);
  function("step", &memplan::Step);
  function("progress", &memplan::ReadProgress);
  function("finish", &memplan::Finish);
  function("cancel", &memplan::Cancel);
  function("verify", &memplan::Verify);
  function("algorithms", &memplan::Algorithms);
}
