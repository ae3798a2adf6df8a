#include "graph_rows.h"

#include <algorithm>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace memplan {
namespace {

enum TensorBits : uint32_t {
  kConst = 1,
  kDynamismShift = 1,
  kNbytes = 8,
  kMemId = 16,
  kStorageBaseOffset = 32,
  kCost = 64,
  kShape = 128,
  kDtype = 256,
  kInplaceBase = 512,
  kStorageBase = 1024,
  kDevice = 2048,
};
enum NodeBits : uint32_t {
  kVariantShift = 3,
  kWeightHasGradient = 32,
  kTarget = 64,
  kSameTarget = 128,
  kBackend = 256,
  kNullSpecs = 512,
  kArgBefore = 1024,
  kSpecsInOrder = 2048,
};
constexpr Op kOps[] = {Op::kPlaceholder, Op::kGetAttr,    Op::kCallFunction,
                       Op::kCallModule,  Op::kCallMethod, Op::kOutput};

// Bytes up to the first line break.
size_t LineSize(std::string_view lines) {
  size_t at = 0;
#if defined(__SSE2__)
  // Sixteen at a time: into the padding, where the break may be missing.
  for (; at < lines.size(); at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(lines.data() + at));
    const int breaks = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
    if (breaks == 0) continue;
    return std::min(at + __builtin_ctz(static_cast<unsigned>(breaks)), lines.size());
  }
  return lines.size();
#else
  while (at < lines.size() && lines[at] != '\n') ++at;
  return at;
#endif
}

}  // namespace

size_t GraphRows::name_count() const {
  double tensors = 0;
  if (numbers_left_ > 0) std::memcpy(&tensors, number_, sizeof tensors);
  const double about = 2.25 * tensors + 64;
  return about < static_cast<double>(lines_left_) ? static_cast<size_t>(about) : lines_left_;
}

bool GraphRows::ReadTensors(GraphBuilder* builder, Names* names) {
  const int64_t count = Number();
  // Each is a number or more.
  builder->ReserveTensors(std::min(static_cast<size_t>(count), numbers_left_));
  for (int64_t left = count; left > 0 && fine_; --left) {
    if (!ReadTensor(builder, names)) return false;
  }
  return fine_;
}

bool GraphRows::ReadNodes(GraphBuilder* builder, Names* names) {
  const int64_t count = Number();
  builder->ReserveNodes(std::min(static_cast<size_t>(count), numbers_left_));
  for (int64_t left = count; left > 0 && fine_; --left) {
    if (!ReadNode(builder, names)) return false;
  }
  return fine_;
}

bool GraphRows::ReadTensor(GraphBuilder* builder, Names* names) {
  const auto bits = static_cast<uint32_t>(Number());
  Tensors& tensors = builder->graph().tensors;
  builder->BeginTensor();
  builder->SetTensorId(names->Intern(Line()));
  tensors.is_const.back() = bits & kConst;
  tensors.dynamism.back() = static_cast<Dynamism>(bits >> kDynamismShift & 3);
  if (bits & kNbytes) builder->SetNbytes(Number());
  if (bits & kMemId) {
    const int64_t mem_id = Number();
    fine_ &= mem_id <= kMaxMemId;
    builder->SetRare(&tensors.mem_id, static_cast<MemId>(mem_id), kNoPool);
  }
  if (bits & kStorageBaseOffset) builder->SetRare(&tensors.storage_base_offset, Number(), Bytes{0});
  if (bits & kCost) builder->SetRare(&tensors.cost, Number(), int64_t{kNoBytes});
  if (bits & kShape) {
    builder->BeginShape();
    for (int64_t left = Number(); left > 0 && fine_; --left) builder->AddDimension(Number());
  }
  if (bits & kDtype) builder->SetDtype(Line());
  const auto base = [&](std::vector<TensorIndex>* column) {
    builder->SetRare(column, static_cast<TensorIndex>(names->Intern(Line())), kNoTensor);
  };
  if (bits & kInplaceBase) base(&tensors.inplace_base);
  if (bits & kStorageBase) base(&tensors.storage_base);
  if (bits & kDevice) builder->SetRare(&tensors.device, names->Intern(Line()), kNoName);
  GraphFault fault;
  return fine_ && builder->EndTensor(&fault);
}

bool GraphRows::ReadNode(GraphBuilder* builder, Names* names) {
  const auto bits = static_cast<uint32_t>(Number());
  int64_t args = Number();
  int64_t specs = Number();
  Nodes& nodes = builder->graph().nodes;
  const NameId before = nodes.name.empty() ? kNoName : nodes.name.back();
  builder->BeginNode();
  nodes.name.back() = names->Intern(Line());
  fine_ &= (bits & 7) < std::size(kOps);
  if (!fine_) return false;
  nodes.op.back() = kOps[bits & 7];
  nodes.variant.back() = static_cast<Variant>(bits >> kVariantShift & 3);
  nodes.weight_has_gradient.back() = (bits & kWeightHasGradient) != 0;
  if (bits & kTarget) target_ = names->Intern(Line());
  if (bits & (kTarget | kSameTarget)) nodes.target.back() = target_;
  if (bits & kBackend) builder->SetBackend(names->Intern(Line()));
  if ((bits & kArgBefore) && args > 0) {
    fine_ &= before != kNoName;
    builder->AddArg(before);
    --args;
  }
  for (; args > 0 && fine_; --args) builder->AddArg(names->Intern(Line(), before));
  const std::vector<NameId>& ids = builder->graph().tensors.id;
  for (; specs > 0 && fine_; --specs) {
    if ((bits & kSpecsInOrder) && next_tensor_ < ids.size()) {
      spec_ = ids[next_tensor_++];
      builder->AddSpec(spec_);
      continue;
    }
    if ((bits & kNullSpecs) && Number() == 0) {
      builder->AddSpec(kNoName);
      continue;
    }
    spec_ = names->Intern(Line(), spec_ + 1);
    builder->AddSpec(spec_);
  }
  GraphFault fault;
  return fine_ && builder->EndNode(&fault);
}

int64_t GraphRows::Number() {
  double number = -1;
  if (numbers_left_ > 0) {
    std::memcpy(&number, number_, sizeof number);
    number_ += sizeof number;
    --numbers_left_;
  }
  if (number >= 0 && number <= static_cast<double>(kMaxBytes)) return static_cast<int64_t>(number);
  fine_ = false;
  return 0;
}

std::string_view GraphRows::Line() {
  if (lines_left_ == 0) {
    fine_ = false;
    return {};
  }
  // A line break in a name makes one line more, which is noticed in the end.
  const size_t size = LineSize(lines_);
  const std::string_view line = lines_.substr(0, size);
  lines_ = --lines_left_ == 0 && size == lines_.size()
               ? std::string_view()
               : lines_.substr(std::min(size + 1, lines_.size()));
  return line;
}

}  // namespace memplan
