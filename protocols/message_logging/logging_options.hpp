// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "protocols/checkpoints/image_checkpoints.hpp"
#include "protocols/message_logging/logging_costs.hpp"
#include "sim/core/registry.hpp"

namespace faultline::message_logging {

/// The most bytes of a control message, or of an entry of one. Thousands of them fit into a
/// message.
inline constexpr double kLargestPart_B = 1 << 20;

/// The options of the protocols that log messages at their sender.
struct MessageLogOptions : checkpoints::CheckpointOptions {
  double log_message_s = kLogMessage_s;
  double log_byte_s = kLogByte_s;
  double bookkeeping_s = kBookkeeping_s;
};

/// Those of the protocols that make determinants.
struct DeterminantOptions : MessageLogOptions {
  std::uint64_t determinant_bytes = 56;
  double determinant_s = kDeterminant_s;
};

/// A member that the options of a protocol have from these, as theirs.
template <class Options, class Base, class Member>
constexpr Member Options::*inherited(Member Base::*member) {
  return member;
}

template <class Options>
void add_checkpoint_options(OptionSet<Options>& set) {
  set.option("control_bytes", inherited<Options>(&checkpoints::CheckpointOptions::control_bytes),
             {.doc = "size of a control message, without what it lists",
              .unit = "B",
              .source = "assumed: four words",
              .maximum = kLargestPart_B})
      .option(
          "image_bytes", inherited<Options>(&checkpoints::CheckpointOptions::image_bytes),
          {.doc = "size of the image of a rank whose program does not say how large its state or "
                  "its objects are, or says 0 bytes",
           .unit = "B",
           .source = "assumed"});
}

/// Of the protocols that can take checkpoints by time.
template <class Options>
void add_interval_option(OptionSet<Options>& set) {
  set.option("checkpoint_interval_s",
             inherited<Options>(&checkpoints::CheckpointOptions::checkpoint_interval_s),
             {.doc = "time from one checkpoint to the next, of a program that asks for none. null: "
                     "none is taken",
              .unit = "s",
              .minimum = 0,
              .maximum = 1e9,
              .above_minimum = true});
}

/// Does that option have a value?
bool times_checkpoints(const OptionValues& values);
/// Checkpoints are due by time only where the program does not say when.
std::vector<OptionProblem> check_interval(const OptionValues& values, const Registration& workload,
                                          const OptionValues& of_workload);

template <class Options>
void add_logging_options(OptionSet<Options>& set) {
  add_checkpoint_options(set);
  set.option("log_message_s", inherited<Options>(&MessageLogOptions::log_message_s),
             {.doc = "processor time to log a message to another rank",
              .unit = "s",
              .source = kLoggingCostSource,
              .minimum = 0,
              .maximum = 1})
      .option("log_byte_s", inherited<Options>(&MessageLogOptions::log_byte_s),
              {.doc = "the same for each of its bytes",
               .unit = "s",
               .source = "calibrated: Intrepid's local bandwidth, 3.4 GB/s",
               .minimum = 0,
               .maximum = 1})
      .option("bookkeeping_s", inherited<Options>(&MessageLogOptions::bookkeeping_s),
              {.doc = "processor time for the identity of each message that is sent or arrives",
               .unit = "s",
               .source = kLoggingCostSource,
               .minimum = 0,
               .maximum = 1});
}

template <class Options>
void add_determinant_options(OptionSet<Options>& set) {
  set.option("determinant_bytes", inherited<Options>(&DeterminantOptions::determinant_bytes),
             {.doc = "size of a determinant",
              .unit = "B",
              .source = "Charm++'s struct on a machine of 32 bits, as Intrepid; 72 on 64 bits",
              .maximum = kLargestPart_B})
      .option("determinant_s", inherited<Options>(&DeterminantOptions::determinant_s),
              {.doc = "processor time to make a determinant",
               .unit = "s",
               .source = kLoggingCostSource,
               .minimum = 0,
               .maximum = 1});
}

}  // namespace faultline::message_logging
