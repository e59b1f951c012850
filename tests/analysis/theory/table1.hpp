// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/fault_counts_file.hpp"

/// Table 1 of adoption-2013-lifflander as it is printed (n = 1024).
namespace faultline::theory::table1 {

constexpr std::int64_t processes = 1024;

/// Columns "Nodes Failed" 1 to 18; the last column adds up 26, 86, 126 and 338.
inline const std::vector<std::int64_t> sizes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 15, 18};
inline const std::vector<std::int64_t> tail_sizes = {26, 86, 126, 338};

/// Row "Fault %", and "4 x 0.094 = 0.377" of the last column.
inline const std::vector<std::string> fault_percent = {"92.3",  "3.672", "0.942", "0.753", "0.565",
                                                       "0.094", "0.094", "0.377", "0.094", "0.188",
                                                       "0.188", "0.282", "0.094"};
inline const std::string tail_percent = "0.377";

struct Row {
  std::optional<std::int64_t> fanout;  // none: REL*
  std::vector<std::string> cells;
  std::string tail;
  std::string survival;
};

inline const std::vector<Row> rows = {
    {2,
     {"0", "1.4e-4", "1.1e-4", "1.8e-4", "2.2e-4", "5.4e-5", "7.4e-5", "3.9e-4", "1.2e-4", "3.1e-4",
      "3.7e-4", "9.6e-4", "4.3e-4"},
     "3.5e-3",
     "99.315"},
    {8,
     {"0", "5.7e-4", "4.3e-4", "6.8e-4", "8.2e-4", "2.0e-4", "2.7e-4", "1.3e-3", "4.1e-4", "9.6e-4",
      "1.1e-3", "2.3e-3", "8.6e-4"},
     "3.8e-3",
     "98.633"},
    {32,
     {"0", "2.3e-3", "1.6e-3", "2.4e-3", "2.7e-3", "5.8e-4", "6.9e-4", "3.1e-3", "8.5e-4", "1.8e-3",
      "1.8e-3", "2.8e-3", "9.4e-4"},
     "3.8e-3",
     "97.466"},
    {512,
     {"0", "2.8e-2", "9.3e-3", "7.5e-3", "5.6e-3", "9.4e-4", "9.4e-4", "3.8e-3", "9.4e-4", "1.9e-3",
      "1.9e-3", "2.8e-3", "9.4e-4"},
     "3.8e-3",
     "93.210"},
    {std::nullopt,
     {"0", "7.2e-5", "5.5e-5", "8.8e-5", "1.1e-4", "2.7e-5", "3.8e-5", "2.0e-4", "6.4e-5", "1.6e-4",
      "1.9e-4", "5.3e-4", "2.5e-4"},
     "3.3e-3",
     "99.495"}};

/// The integer counts behind the printed percentages, entered here apart from the shipped data
/// file.
inline faultline::faults::FaultCounts counts() {
  return {"jaguar",
          "",
          "",
          {{1, 980},
           {2, 39},
           {3, 10},
           {4, 8},
           {5, 6},
           {6, 1},
           {7, 1},
           {8, 4},
           {9, 1},
           {10, 2},
           {11, 2},
           {15, 3},
           {18, 1},
           {26, 1},
           {86, 1},
           {126, 1},
           {338, 1}},
          1062};
}

}  // namespace faultline::theory::table1
