#include "sim/scenario/fault_trace_file.hpp"

#include <memory>

#include "sim/core/text_file.hpp"
#include "sim/scenario/canonical.hpp"
#include "sim/scenario/file_memo.hpp"

namespace faultline {

namespace {

constexpr std::size_t kLargestTrace_B = std::size_t{256} << 20U;

}  // namespace

FaultTraceInput read_fault_trace(const std::string& file) {
  return *FileMemo::read_once<FaultTraceInput>(file, [&]() -> FaultTraceInput {
    const std::string text = read_text_file(file, "a trace of failures", kLargestTrace_B);
    return {.file = file,
            .hash = fnv1a_hex(text),
            .content = std::make_shared<const FaultTrace>(parse_fault_trace(text, file))};
  });
}

}  // namespace faultline
