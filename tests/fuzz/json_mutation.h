// Mutations of JSON that keep it JSON, since altered bytes alone hardly ever get past a reader.
#ifndef MEMPLAN_TESTS_FUZZ_JSON_MUTATION_H_
#define MEMPLAN_TESTS_FUZZ_JSON_MUTATION_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace memplan {

// A few values taken out, doubled, exchanged or replaced, by ones of the same text or by those
// where formats end. Empty where `text` is no JSON.
std::string MutatedJson(std::string_view text, uint32_t seed);

}  // namespace memplan

#endif  // MEMPLAN_TESTS_FUZZ_JSON_MUTATION_H_
