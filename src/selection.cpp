#include "selection.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/radix_sort.h"
#include "message.h"
#include "row_sort.h"

namespace memplan {
namespace {

// What ExecuTorch adds to a pool's end for an XNNPACK delegate, whose kernels may read past a
// buffer.
constexpr Bytes kXnnpackPadding = 64;

// One buffer on its way into a problem.
struct Row {
  BufferSource source;
  MemId mem_id = 1;
  Bytes size = 0;  // rounded up
  Bytes alignment = 1;
  Tick lower = 0;
  Tick upper = 0;
  int32_t spans = -1;  // into Collector::spans_, where it has gaps
};

bool NamesXnnpack(std::string_view backend) {
  constexpr std::string_view kWord = "xnnpack";
  const auto found =
      std::search(backend.begin(), backend.end(), kWord.begin(), kWord.end(), [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b;
      });
  return found != backend.end();
}

Bytes PaddingOf(const Program& program, const Nest& nest) {
  for (const GraphNest& graph : nest.graphs) {
    const Nodes& nodes = graph.graph->nodes;
    if (!graph.is_called || nodes.backend_id.empty()) continue;
    for (NodeIndex n = 0; n < nodes.size(); ++n) {
      const NameId backend = nodes.backend_of(n);
      if (nodes.kind[n] == Target::kDelegate && backend != kNoName &&
          NamesXnnpack(program.names[backend])) {
        return kXnnpackPadding;
      }
    }
  }
  return 0;
}

class Collector {
 public:
  Collector(const Program& program, const Nest& nest, const Options& options, Scope scope,
            const PoolChoice& choice)
      : program_(program), nest_(nest), options_(options), scope_(scope), choice_(choice) {}

  Result<Selection> Collect() {
    runs_of_.resize(nest_.graphs.size());
    for (size_t r = 0; r < nest_.runs.size(); ++r) {
      runs_of_[nest_.runs[r].graph].push_back(static_cast<int32_t>(r));
    }
    size_t storages = 0;
    for (const GraphNest& graph : nest_.graphs) storages += graph.home.size();
    rows_.reserve(storages);
    selection_.where.reserve(nest_.graphs.size());
    for (size_t g = 0; g < nest_.graphs.size(); ++g) {
      const GraphNest& graph = nest_.graphs[g];
      selection_.where.emplace_back(graph.home.size());
      if (!graph.is_called || runs_of_[g].empty()) continue;
      if (graph.parent < 0 ? scope_ == Scope::kSubmodules : scope_ == Scope::kRoots) continue;
      AddStorages(static_cast<int32_t>(g));
      AddScratch(static_cast<int32_t>(g));
    }
    if (scope_ == Scope::kSubmodules) AddShadows();
    if (scope_ == Scope::kAll) {
      if (Status shared = ShareState(); !shared) return tl::unexpected(shared.error());
    }
    return BuildProblems();
  }

 private:
  void AddStorages(int32_t g) {
    const GraphNest& graph = nest_.graphs[g];
    const Run* const run = OnlyRunOf(g);
    for (StorageIndex s = 0; s < graph.storages.count(); ++s) {
      if (IsPlanned(graph, s, options_)) AddRow(g, s, run);
    }
  }

  // The run of a graph whose storages are live in one span each, that of the run; null of others.
  const Run* OnlyRunOf(int32_t g) const {
    if (runs_of_[g].size() != 1 || !nest_.graphs[g].tied.empty()) return nullptr;
    const Run& run = nest_.runs[runs_of_[g].front()];
    return run.absent.empty() ? &run : nullptr;
  }

  MemId PoolOf(int32_t g, StorageIndex s) const {
    const MemId asked = nest_.graphs[g].pool_of(s);
    if (asked != kNoPool) return asked;
    const bool chosen = !choice_.empty() && choice_[g][s] != kNoPool;
    return chosen ? choice_[g][s] : 1;
  }

  // `run` is that of OnlyRunOf.
  void AddRow(int32_t g, StorageIndex s, const Run* run) {
    const GraphNest& graph = nest_.graphs[g];
    Row row;
    row.source = {BufferSource::kStorage, g, s};
    row.mem_id = PoolOf(g, s);
    row.alignment = PoolAlignment(row.mem_id);
    row.size = AlignUp(graph.storages.size[s], row.alignment);
    if (graph.parent < 0 && (graph.lifetimes.roles[s] & kRoleState) != 0) {
      row.upper = nest_.length;
    } else if (run != nullptr) {
      // Where nothing names it, it has no time.
      if (run->spans[s].from < run->spans[s].to) {
        row.lower = run->spans[s].from;
        row.upper = run->spans[s].to;
      }
    } else {
      spans_of_row_.clear();
      AppendSpans(g, s, false);
      if (!graph.tied.empty()) AppendTied(g, s);
      SetSpans(&row);
    }
    Add(row);
  }

  void Add(const Row& row) {
    const bool is_first = rows_.empty();
    in_order_of_life_ &= is_first || ByLife(rows_.back()) <= ByLife(row);
    has_pools_ |= !is_first && row.mem_id != rows_.back().mem_id;
    largest_ = std::max(largest_, row.size);
    size_bits_ |= static_cast<uint64_t>(row.size);
    rows_.push_back(row);
  }

  // AlignmentOf a pool, which is the one before as a rule.
  Bytes PoolAlignment(MemId mem_id) {
    if (mem_id != pool_before_) {
      pool_before_ = mem_id;
      alignment_before_ = AlignmentOf(program_, options_, mem_id);
    }
    return alignment_before_;
  }

  static int64_t ByLife(const Row& row) { return int64_t{row.lower} << 32 | row.upper; }

  // Adds the spans of what lies at s by GraphNest::tied.
  void AppendTied(int32_t g, StorageIndex s) {
    const std::vector<TiedPlace>& tied = nest_.graphs[g].tied;
    const auto place = std::lower_bound(
        tied.begin(), tied.end(), s,
        [](const TiedPlace& at, StorageIndex leader) { return at.leader < leader; });
    if (place == tied.end() || place->leader != s) return;
    for (const StorageIndex other : place->others) AppendSpans(g, other, false);
    if (scope_ == Scope::kRoots) return;
    for (const StorageRef& output : place->outputs) AppendSpans(output.graph, output.storage, true);
  }

  // Adds a storage's spans; `own`: only those of runs in which it is not another run's.
  void AppendSpans(int32_t g, StorageIndex s, bool own) {
    for (const int32_t r : runs_of_[g]) {
      const Run& run = nest_.runs[r];
      if (own && !run.home.empty() && run.home[s].run >= 0) continue;
      Tick from = run.spans[s].from;
      const auto first = std::lower_bound(
          run.absent.begin(), run.absent.end(), s,
          [](const Run::Absence& absence, StorageIndex of) { return absence.storage < of; });
      for (auto absence = first; absence != run.absent.end() && absence->storage == s; ++absence) {
        if (from < absence->span.from) spans_of_row_.push_back({from, absence->span.from});
        from = absence->span.to;
      }
      if (from < run.spans[s].to) spans_of_row_.push_back({from, run.spans[s].to});
    }
  }

  // A storage of several runs is live in each; what lies between them are gaps.
  void SetSpans(Row* row) {
    std::vector<TickSpan>& spans = spans_of_row_;
    if (spans.empty()) return;
    SortRows(&spans, [](const TickSpan& a, const TickSpan& b) { return a.from < b.from; });
    size_t last = 0;
    for (const TickSpan& span : spans) {
      TickSpan& before = spans[last];
      if (span.from <= before.to) {
        before.to = std::max(before.to, span.to);
      } else {
        spans[++last] = span;
      }
    }
    spans.resize(last + 1);
    row->lower = spans.front().from;
    row->upper = spans.back().to;
    if (last == 0) return;
    row->spans = static_cast<int32_t>(spans_.size());
    spans_.push_back(spans);
  }

  // Scratch is not spread: where it names no pool it goes to the first one by number, if there is
  // one of that number, else by preference.
  MemId ScratchPool() const {
    const std::vector<Pool>& pools = program_.pools();
    const bool has_first =
        pools.empty() ||
        std::any_of(pools.begin(), pools.end(), [](const Pool& pool) { return pool.mem_id == 1; });
    return has_first ? 1 : pools.front().mem_id;
  }

  void AddScratch(int32_t g) {
    const GraphNest& graph = nest_.graphs[g];
    for (size_t i = 0; i < graph.graph->scratch.size(); ++i) {
      const Scratch& scratch = graph.graph->scratch[i];
      Row row;
      row.source = {BufferSource::kScratch, g, static_cast<int32_t>(i)};
      row.mem_id = scratch.mem_id == kNoPool ? ScratchPool() : scratch.mem_id;
      row.alignment = std::max(scratch.alignment, PoolAlignment(row.mem_id));
      row.size = AlignUp(scratch.nbytes, row.alignment);
      const Tick from = graph.start_of(scratch.node);
      const Tick to = graph.start_of(scratch.node + 1);
      spans_of_row_.clear();
      for (const int32_t r : runs_of_[g]) {
        const Tick begin = nest_.runs[r].begin;
        spans_of_row_.push_back({begin + from, begin + to});
      }
      SetSpans(&row);
      Add(row);
    }
  }

  // Where the submodules are counted apart from the outer graph, a branch's output that would lie
  // at a root's result has bytes of its own: under "move" as long as the result is in use, under
  // "copy" as long as the branch has it.
  void AddShadows() {
    std::vector<std::vector<uint8_t>> seen(nest_.graphs.size());
    for (size_t g = 0; g < nest_.graphs.size(); ++g) {
      const GraphNest& graph = nest_.graphs[g];
      if (graph.placed.empty() || !graph.is_called) continue;
      for (StorageIndex s = 0; s < graph.storages.count(); ++s) {
        if (graph.home[s] != Home::kPlaced) continue;
        const StorageRef target = graph.placed[s];
        const bool is_tied = target.graph == static_cast<int32_t>(g);
        if (is_tied || nest_.graphs[target.graph].parent >= 0) continue;
        if (!options_.move_results) {
          AddRow(static_cast<int32_t>(g), s, nullptr);
          continue;
        }
        std::vector<uint8_t>& done = seen[target.graph];
        done.resize(nest_.graphs[target.graph].home.size());
        if (std::exchange(done[target.storage], 1) == 0)
          AddRow(target.graph, target.storage, nullptr);
      }
    }
  }

  // Within a graph a buffer is one tensor; methods have their state in common: there buffers of one
  // name are one buffer.
  Status ShareState() {
    std::map<std::string_view, size_t> first;  // buffer name -> row
    std::vector<uint8_t> drop(rows_.size(), 0);
    for (const int32_t root : nest_.roots) {
      std::map<std::string_view, size_t> own;  // the same of this graph alone
      const GraphNest& graph = nest_.graphs[root];
      for (const StateInput& state : FindState(*graph.graph, graph.graph->signature)) {
        for (const TensorIndex t : graph.graph->nodes.specs_of(state.placeholder)) {
          if (t == kNoTensor) continue;
          const size_t row = RowOf(root, graph.storages.of[t]);
          if (row == rows_.size()) continue;
          const std::string_view buffer = program_.names[state.buffer];
          if (own.emplace(buffer, row).first->second != row) {
            return Fail(ErrorCode::kInvalidInput,
                        Message({"two tensors are the buffer \"", buffer, "\""}),
                        Message({graph.path, "nodes[", state.placeholder, "]"}));
          }
          const size_t other = first.emplace(buffer, row).first->second;
          if (!program_.shared_buffers || other == row) continue;
          if (rows_[other].size != rows_[row].size || rows_[other].mem_id != rows_[row].mem_id) {
            return Fail(
                ErrorCode::kInvalidInput,
                Message({"the buffer \"", buffer, "\" has another size or pool in another method"}),
                Message({graph.path, "tensors[", t, "]"}));
          }
          drop[row] = 1;
          shared_.push_back({rows_[row].source, rows_[other].source});
        }
      }
    }
    if (shared_.empty()) return {};
    size_t kept = 0;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (drop[i] == 0) rows_[kept++] = rows_[i];
    }
    rows_.resize(kept);
    return {};
  }

  size_t RowOf(int32_t g, StorageIndex s) const {
    const auto at = std::lower_bound(rows_.begin(), rows_.end(), std::pair(g, s),
                                     [](const Row& row, const std::pair<int32_t, int32_t>& want) {
                                       return std::tuple(row.source.graph, int{row.source.kind},
                                                         row.source.row) <
                                              std::tuple(want.first, 0, want.second);
                                     });
    const bool found = at != rows_.end() && at->source.graph == g &&
                       at->source.kind == BufferSource::kStorage && at->source.row == s;
    return found ? static_cast<size_t>(at - rows_.begin()) : rows_.size();
  }

  // The tie order of problem.h.
  bool Before(const Row& a, const Row& b) const {
    if (a.mem_id != b.mem_id) return a.mem_id < b.mem_id;
    if (a.size != b.size) return a.size > b.size;
    if (a.lower != b.lower) return a.lower < b.lower;
    if (a.upper != b.upper) return a.upper < b.upper;
    if (a.source.graph != b.source.graph) {
      return nest_.graphs[a.source.graph].path < nest_.graphs[b.source.graph].path;
    }
    if (a.source.kind != b.source.kind) return a.source.kind < b.source.kind;
    if (a.source.kind == BufferSource::kScratch) return a.source.row < b.source.row;
    const GraphNest& graph = nest_.graphs[a.source.graph];
    const NameId a_id = graph.graph->tensors.id[graph.storages.base[a.source.row]];
    const NameId b_id = graph.graph->tensors.id[graph.storages.base[b.source.row]];
    return program_.names[a_id] < program_.names[b_id];
  }

  // The places of rows by the numbers of the tie order, one after the other.
  void PutInOrder() {
    const auto before = [this](int32_t a, int32_t b) { return Before(rows_[a], rows_[b]); };
    order_.resize(rows_.size());
    std::iota(order_.begin(), order_.end(), 0);
    constexpr size_t kFew = 1000;
    if (rows_.size() < kFew) return SortRows(&order_, before);
    std::vector<int64_t> key(rows_.size());
    const auto sort_by = [&](auto key_of) {
      for (size_t i = 0; i < key.size(); ++i) key[i] = key_of(rows_[order_[i]]);
      order_ = SortedByKey(key, order_);
    };
    // Rows come tensor by tensor, often in this order already.
    if (!in_order_of_life_) sort_by([](const Row& row) { return -ByLife(row); });
    // Shorter keys take less time; the bits that all have not are no loss.
    const int shift = size_bits_ == 0 ? 0 : std::countr_zero(size_bits_);
    sort_by([shift](const Row& row) { return row.size >> shift; });
    if (has_pools_) sort_by([](const Row& row) { return -int64_t{row.mem_id}; });
  }

  std::string PathOf(const BufferSource& source) const {
    const GraphNest& graph = nest_.graphs[source.graph];
    if (source.kind == BufferSource::kStorage) {
      return Message({graph.path, "tensors[", graph.storages.base[source.row], "].nbytes"});
    }
    return Message({graph.path, "nodes[", graph.graph->scratch[source.row].node, "].scratch"});
  }

  Result<Selection> BuildProblems() {
    for (const Row& row : rows_) {
      if (largest_ <= kMaxBytes) break;
      if (row.size <= kMaxBytes) continue;
      return Fail(ErrorCode::kTooLarge,
                  "rounded up to the alignment this is more than 2^53 - 1 bytes",
                  PathOf(row.source));
    }
    PutInOrder();
    const Bytes padding = PaddingOf(program_, nest_);
    for (size_t begin = 0; begin < order_.size();) {
      const MemId mem_id = rows_[order_[begin]].mem_id;
      size_t end = has_pools_ ? begin : order_.size();
      while (end < order_.size() && rows_[order_[end]].mem_id == mem_id) ++end;
      AddPool({order_.data() + begin, end - begin}, padding);
      begin = end;
    }
    for (const auto& [source, other] : shared_) {
      selection_.where[source.graph][source.row] = selection_.where[other.graph][other.row];
    }
    if (scope_ != Scope::kSubmodules) AddBases();
    return std::move(selection_);
  }

  // `places` are those of the pool's rows by their numbers; those that are equal in all change
  // places by the rest of the tie order.
  void AddPool(std::span<int32_t> places, Bytes padding) {
    PoolProblem pool;
    pool.mem_id = rows_[places.front()].mem_id;
    pool.alignment = PoolAlignment(pool.mem_id);
    pool.padding = padding;
    Problem& problem = pool.problem;
    problem.uniform_alignment = pool.alignment;
    bool mixed = false, gaps = false;
    problem.lower.resize(places.size());
    problem.upper.resize(places.size());
    problem.size.resize(places.size());
    pool.source.resize(places.size());
    for (size_t i = 0; i < places.size(); ++i) {
      const Row& row = rows_[places[i]];
      problem.lower[i] = row.lower;
      problem.upper[i] = row.upper;
      problem.size[i] = row.size;
      mixed |= row.alignment != pool.alignment;
      gaps |= row.spans >= 0;
      SetSource(row, i, &pool);
    }
    const auto is_tied = [&](size_t a, size_t b) {
      return problem.lower[a] == problem.lower[b] && problem.upper[a] == problem.upper[b] &&
             problem.size[a] == problem.size[b];
    };
    for (size_t begin = 0, end = 0; begin < places.size(); begin = end) {
      while (end < places.size() && is_tied(begin, end)) ++end;
      if (end - begin < 2) continue;
      SortRows(places.begin() + begin, places.begin() + end,
               [this](int32_t a, int32_t b) { return Before(rows_[a], rows_[b]); });
      for (size_t i = begin; i < end; ++i) SetSource(rows_[places[i]], i, &pool);
    }
    for (const int32_t place : places) {
      if (!mixed && !gaps) break;
      if (mixed) problem.alignment.push_back(rows_[place].alignment);
      if (gaps) AddGaps(rows_[place], &problem);
    }
    if (gaps) problem.first_gap.push_back(static_cast<uint32_t>(problem.gaps.size()));
    selection_.pools.push_back(std::move(pool));
  }

  void SetSource(const Row& row, size_t buffer, PoolProblem* pool) {
    pool->source[buffer] = row.source;
    if (row.source.kind != BufferSource::kStorage) return;
    selection_.where[row.source.graph][row.source.row] = {
        static_cast<int32_t>(selection_.pools.size()), static_cast<BufferIndex>(buffer)};
  }

  void AddGaps(const Row& row, Problem* problem) const {
    problem->first_gap.push_back(static_cast<uint32_t>(problem->gaps.size()));
    if (row.spans < 0) return;
    const std::vector<TickSpan>& spans = spans_[row.spans];
    for (size_t i = 1; i < spans.size(); ++i) {
      problem->gaps.push_back({spans[i - 1].to, spans[i].from});
    }
  }

  // Bytes that the input says are taken already; a pool that holds nothing else has them too.
  void AddBases() {
    const std::vector<Bytes> taken = program_.taken();
    std::vector<PoolProblem> pools;
    std::vector<int32_t> place_of(selection_.pools.size());
    size_t next = 0;
    const auto take_pools = [&](MemId below) {
      for (; next < place_of.size() && selection_.pools[next].mem_id < below; ++next) {
        place_of[next] = static_cast<int32_t>(pools.size());
        pools.push_back(std::move(selection_.pools[next]));
      }
    };
    for (size_t m = 1; m < taken.size(); ++m) {
      if (taken[m] == 0) continue;
      const auto mem_id = static_cast<MemId>(m);
      take_pools(mem_id + 1);
      if (pools.empty() || pools.back().mem_id != mem_id) pools.emplace_back().mem_id = mem_id;
      pools.back().problem.base = taken[m];
    }
    take_pools(std::numeric_limits<MemId>::max());
    if (pools.size() > place_of.size()) {
      for (auto& wheres : selection_.where) {
        for (Selection::Where& where : wheres) {
          if (where.pool >= 0) where.pool = place_of[where.pool];
        }
      }
    }
    selection_.pools = std::move(pools);
  }

  const Program& program_;
  const Nest& nest_;
  const Options& options_;
  const Scope scope_;
  const PoolChoice& choice_;
  std::vector<std::vector<int32_t>> runs_of_;  // by graph
  std::vector<Row> rows_;
  bool in_order_of_life_ = true;
  bool has_pools_ = false;  // more than one
  Bytes largest_ = 0;
  uint64_t size_bits_ = 0;  // of all sizes
  MemId pool_before_ = kNoPool;
  Bytes alignment_before_ = 1;
  std::vector<int32_t> order_;                                 // places in rows_
  std::vector<TickSpan> spans_of_row_;                         // of the row that is made
  std::vector<std::vector<TickSpan>> spans_;                   // of rows with gaps
  std::vector<std::pair<BufferSource, BufferSource>> shared_;  // a state and the one it is
  Selection selection_;
};

}  // namespace

Result<Selection> Select(const Program& program, const Nest& nest, const Options& options,
                         Scope scope, const PoolChoice& choice) {
  return Collector(program, nest, options, scope, choice).Collect();
}

bool IsPlanned(const GraphNest& nest, StorageIndex s, const Options& options) {
  const uint8_t roles = nest.lifetimes.roles[s];
  if (!nest.is_called || nest.home[s] != Home::kOwn) return false;
  if (!nest.lifetimes.of[s].exists()) return false;
  if ((roles & (kRoleConst | kRoleUnbound)) != 0) return false;
  return nest.parent >= 0 || !IsCallerOwned(roles, options);
}

Bytes CapacityOf(const Program& program, const Options& options, MemId mem_id) {
  const size_t at = options.capacity_per_pool ? static_cast<size_t>(mem_id) : 0;
  if (at < options.capacity.size()) return options.capacity[at];
  for (const Pool& pool : program.pools()) {
    if (pool.mem_id == mem_id) return pool.capacity;
  }
  return kNoBytes;
}

Bytes AlignmentOf(const Program& program, const Options& options, MemId mem_id) {
  for (const Pool& pool : program.pools()) {
    if (pool.mem_id == mem_id) return std::max(options.alignment, pool.alignment);
  }
  return options.alignment;
}

std::string SourceName(const Program& program, const Nest& nest, const BufferSource& source) {
  std::string name;
  for (int32_t g = source.graph; g >= 0; g = nest.graphs[g].parent) {
    const Graph& graph = *nest.graphs[g].graph;
    if (nest.graphs[g].parent < 0 && program.graph != nullptr) break;
    name = Message({program.names[graph.name], "/", name});
  }
  const GraphNest& graph = nest.graphs[source.graph];
  if (source.kind == BufferSource::kStorage) {
    const TensorIndex base = graph.storages.base[source.row];
    return name + std::string(program.names[graph.graph->tensors.id[base]]);
  }
  const NodeIndex node = graph.graph->scratch[source.row].node;
  return Message({name, "scratch of ", program.names[graph.graph->nodes.name[node]]});
}

}  // namespace memplan
