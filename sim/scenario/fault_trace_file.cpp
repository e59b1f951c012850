#include "sim/scenario/fault_trace_file.hpp"

#include <filesystem>
#include <memory>

#include "sim/core/fnv1a.hpp"
#include "sim/core/text_file.hpp"
#include "sim/json/file_memo.hpp"
#include "sim/json/file_option.hpp"

namespace faultline {

namespace {

constexpr std::size_t kLargestTrace_B = std::size_t{256} << 20U;

OptionValue read_trace_option(const std::string& name, const std::string& folder,
                              const std::string& path, Problems& problems) {
  FaultTraceInput input = read_fault_trace((std::filesystem::path(folder) / name).string());
  for (const std::string& line : describe_unreadable(*input.content))
    problems.note(path, input.file + ": " + line);
  return input;
}

const FileOptionRegistered trace_registered({.kind = OptionKind::fault_trace,
                                             .word = "fault-trace",
                                             .expectation = "the path of a trace of failures",
                                             .read = read_trace_option,
                                             .nothing = FaultTraceInput{}});

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
