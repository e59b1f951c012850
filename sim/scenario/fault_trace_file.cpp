#include "sim/scenario/fault_trace_file.hpp"

#include <memory>

#include "sim/scenario/canonical.hpp"
#include "sim/scenario/json_reader.hpp"

namespace faultline {

namespace {

constexpr std::size_t kLargestTrace_B = std::size_t{1} << 30U;

}  // namespace

FaultTraceInput read_fault_trace(const std::string& file) {
  const std::string text = read_text_file(file, "a trace of failures", kLargestTrace_B);
  return {.file = file,
          .hash = fnv1a_hex(text),
          .content = std::make_shared<const FaultTrace>(parse_fault_trace(text, file))};
}

}  // namespace faultline
