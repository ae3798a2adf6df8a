// A plan given as JSON text, verified: what the tests of the verifier's rooms look at.
#ifndef MEMPLAN_TESTS_CORE_VERIFIED_H_
#define MEMPLAN_TESTS_CORE_VERIFIED_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plan_job.h"

namespace memplan {

inline std::vector<char> CharsOf(const std::string& text) { return {text.begin(), text.end()}; }

inline Report Verify(const std::string& input, const std::string& plan,
                     const Options& options = {}) {
  Result<Report> report = VerifyPlan(CharsOf(input), CharsOf(plan), options);
  EXPECT_TRUE(report) << (report ? "" : report.error().path + ": " + report.error().message);
  return report ? *report : Report{};
}

// The codes of a report, in order, with the first tensor: "MISALIGNED t1".
inline std::vector<std::string> CodesOf(const Report& report) {
  std::vector<std::string> codes;
  for (const Fault& fault : report.errors) {
    codes.push_back(fault.code + (fault.tensors.empty() ? "" : " " + fault.tensors[0]));
  }
  return codes;
}

using Codes = std::vector<std::string>;

inline std::string Row(const std::string& id, int pool, int64_t offset,
                       const std::string& more = "") {
  return R"({"id":")" + id + R"(","mem_id":)" + std::to_string(pool) + R"(,"mem_offset":)" +
         std::to_string(offset) + more + "}";
}

inline std::string PlanText(const std::vector<std::string>& rows,
                            const std::string& sizes = "[0,128]", const std::string& more = "") {
  std::string text = "{\"buffer_sizes\":" + sizes + ",\"tensors\":[";
  for (size_t i = 0; i < rows.size(); ++i) text += (i > 0 ? "," : "") + rows[i];
  return text + "]" + more + "}";
}

}  // namespace memplan

#endif  // MEMPLAN_TESTS_CORE_VERIFIED_H_
