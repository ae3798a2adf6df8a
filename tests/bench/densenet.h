// Densenet121 over and over: problems of any size with the shape of a real network.
#ifndef MEMPLAN_TESTS_BENCH_DENSENET_H_
#define MEMPLAN_TESTS_BENCH_DENSENET_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "problem.h"

namespace memplan {

// One network after the other, each reading the last one's output, as a list of tensors with the
// node that makes each and the last one that reads it (Huang et al. 2017, Densely Connected
// Convolutional Networks: growth 32, blocks of 6, 12, 24 and 16 layers; float32, 224 x 224, every
// operator of its own, concatenation done step by step).
class RepeatedDensenet {
 public:
  explicit RepeatedDensenet(int32_t tensors) {
    Make(int64_t{3} * 224 * 224);
    while (count() < tensors) AddNetwork(tensors);
  }
  int32_t count() const { return static_cast<int32_t>(bytes.size()); }

  std::vector<Bytes> bytes;
  std::vector<Tick> made;  // the node's index: tensor t is made by node t
  std::vector<Tick> last_read;

 private:
  int32_t Make(int64_t elements) {
    bytes.push_back(AlignUp(4 * elements, 64));
    made.push_back(count() - 1);
    last_read.push_back(count() - 1);
    return count() - 1;
  }
  // A node that reads one tensor and makes the next.
  int32_t Apply(int32_t input, int64_t elements) {
    last_read[input] = count();
    return Make(elements);
  }
  int32_t BatchNormAndRelu(int32_t input, int64_t elements) {
    return Apply(Apply(input, elements), elements);
  }

  void AddNetwork(int32_t limit) {
    constexpr std::array<int, 4> kLayers = {6, 12, 24, 16};
    int64_t channels = 64, side = 56;
    int32_t x = Apply(count() - 1, channels * 112 * 112);
    x = Apply(BatchNormAndRelu(x, channels * 112 * 112), channels * side * side);
    for (size_t block = 0; block < kLayers.size() && count() < limit; ++block) {
      for (int layer = 0; layer < kLayers[block]; ++layer) {
        const int64_t area = side * side;
        int32_t y = Apply(BatchNormAndRelu(x, channels * area), 128 * area);
        y = Apply(BatchNormAndRelu(y, 128 * area), 32 * area);
        channels += 32;
        last_read[x] = count();
        x = Apply(y, channels * area);
      }
      if (block + 1 == kLayers.size()) break;
      x = Apply(BatchNormAndRelu(x, channels * side * side), channels / 2 * side * side);
      channels /= 2;
      side /= 2;
      x = Apply(x, channels * side * side);
    }
    x = Apply(BatchNormAndRelu(x, channels * side * side), channels);
    Apply(Apply(x, 1000), int64_t{3} * 224 * 224);
  }
};

// Rows sorted into the tie order.
inline Problem InTieOrder(const std::vector<Tick>& lower, const std::vector<Tick>& upper,
                          const std::vector<Bytes>& size) {
  std::vector<int32_t> rows(size.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(), [&](int32_t a, int32_t b) {
    if (size[a] != size[b]) return size[a] > size[b];
    return lower[a] != lower[b] ? lower[a] < lower[b] : upper[a] < upper[b];
  });
  Problem problem;
  problem.uniform_alignment = 1;
  for (const int32_t row : rows) {
    problem.lower.push_back(lower[row]);
    problem.upper.push_back(upper[row]);
    problem.size.push_back(size[row]);
  }
  return problem;
}

// Inference: each tensor until its last reader.
inline Problem DensenetChain(int32_t tensors) {
  const RepeatedDensenet net(tensors);
  std::vector<Tick> upper;
  for (const Tick last : net.last_read) upper.push_back(last + 1);
  return InTieOrder(net.made, upper, net.bytes);
}

// Training: forwards through half as many tensors, all kept, then backwards; each has a gradient
// from the backward step of its last reader to its own.
inline Problem DensenetTraining(int32_t tensors) {
  const RepeatedDensenet net(tensors / 2);
  const Tick count = net.count();
  std::vector<Tick> lower, upper;
  std::vector<Bytes> size;
  for (int32_t t = 0; t < count; ++t) {
    const Tick backward = 2 * count - net.made[t], first_gradient = 2 * count - net.last_read[t];
    lower.insert(lower.end(), {net.made[t], first_gradient});
    upper.insert(upper.end(), {backward + 1, backward + 1});
    size.insert(size.end(), {net.bytes[t], net.bytes[t]});
  }
  return InTieOrder(lower, upper, size);
}

}  // namespace memplan

#endif  // MEMPLAN_TESTS_BENCH_DENSENET_H_
