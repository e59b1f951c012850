// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/fault_trace_file.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "sim/core/fnv1a.hpp"
#include "sim/core/text_file.hpp"
#include "sim/json/file_memo.hpp"
#include "sim/json/file_option.hpp"

namespace faultline::scenario {

namespace {

constexpr std::size_t kLargestTrace_B = std::size_t{256} << 20U;

OptionValue read_trace_option(const std::string& name, const std::string& folder,
                              const std::string&, json::Problems&) {
  return read_fault_trace((std::filesystem::path(folder) / name).string());
}

/// Describes the lines that cannot be read, except those of other systems than the one asked for.
std::vector<std::string> notes_of(const OptionValue& value, const OptionValues& beside) {
  const auto* const input = std::get_if<FaultTraceInput>(&value);
  if (input == nullptr || input->content == nullptr) return {};
  const auto found = beside.find("system");
  const auto* const system =
      found == beside.end() ? nullptr : std::get_if<std::int64_t>(&found->second);
  std::vector<std::string> notes =
      system == nullptr ? faults::describe_unreadable(*input->content)
                        : faults::describe_unreadable(
                              faults::without_unreadable_of_others(*input->content, *system));
  for (std::string& note : notes) note.insert(0, input->file + ": ");
  return notes;
}

const json::FileOptionRegistered trace_registered({.kind = OptionKind::fault_trace,
                                                   .word = "fault-trace",
                                                   .expectation = "the path of a trace of failures",
                                                   .read = read_trace_option,
                                                   .nothing = FaultTraceInput{},
                                                   .notes = notes_of});

}  // namespace

FaultTraceInput read_fault_trace(const std::string& file) {
  return *json::FileMemo::read_once<FaultTraceInput>(file, [&]() -> FaultTraceInput {
    const std::string text = read_text_file(file, "a trace of failures", kLargestTrace_B);
    return {.file = file,
            .hash = fnv1a_hex(text),
            .content =
                std::make_shared<const faults::FaultTrace>(faults::parse_fault_trace(text, file))};
  });
}

}  // namespace faultline::scenario
