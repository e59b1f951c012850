// SPDX-License-Identifier: Apache-2.0
#include "analysis/reproduction/item_reader.hpp"

#include <algorithm>
#include <utility>

#include "analysis/reproduction/cell_reader.hpp"
#include "analysis/reproduction/item_fields.hpp"
#include "analysis/reproduction/item_files.hpp"
#include "analysis/reproduction/measure_reader.hpp"
#include "sim/json/file_memo.hpp"
#include "sim/json/json_reader.hpp"

namespace faultline::reproduction {

namespace {

namespace fs = std::filesystem;

struct ItemHead {
  std::int64_t schema_version = 1;
  std::string title;
  std::string note;
  double time_s = 1.0;
  double quick_time_s = 1.0;
  bool overlaid = false;
  std::optional<std::string> evidence;
};

const OptionSet<ItemHead>& item_options() {
  static const OptionSet<ItemHead> set =
      OptionSet<ItemHead>()
          .option("schema_version", &ItemHead::schema_version,
                  {.minimum = 1, .maximum = 1, .required = true})
          .option("title", &ItemHead::title, {.required = true})
          .option("note", &ItemHead::note, {})
          .option("time_s", &ItemHead::time_s, {.unit = "s", .minimum = 0, .required = true})
          .option("quick_time_s", &ItemHead::quick_time_s,
                  {.unit = "s", .minimum = 0, .required = true})
          .option("overlaid", &ItemHead::overlaid, {})
          .option("evidence", &ItemHead::evidence, {.choices = evidence_words()});
  return set;
}

/// True if both can be panels of one figure. Series must also share a column of its CSV, which is
/// named after the family.
bool are_drawn_alike(const Measure& one, const Measure& other) {
  if (one.how.index() != other.how.index()) return false;
  const auto* a = std::get_if<SeriesMeasure>(&one.how);
  const auto* b = std::get_if<SeriesMeasure>(&other.how);
  return a == nullptr ||
         (a->drawn_relative_to.empty() == b->drawn_relative_to.empty() && a->family == b->family);
}

bool is_drawn_as_boxes(const Measure& measure) {
  const auto* series = std::get_if<SeriesMeasure>(&measure.how);
  return series != nullptr && series->drawn_relative_to.empty();
}

/// Reads the parts of one file, one after another.
class ItemReader {
 public:
  ItemReader(const json::JsonValue& root, json::Problems& problems)
      : root_(root, "", problems), problems_(problems) {}

  ReproductionItem read() {
    const ItemHead head = read_options(root_, item_options());
    item_.title = head.title;
    item_.note = head.note;
    item_.time_s = head.time_s;
    item_.quick_time_s = head.quick_time_s;
    item_.overlaid = head.overlaid;
    const json::JsonValue* scenarios = root_.child("scenarios");
    object_of(scenarios, "scenarios", problems_);
    const json::JsonValue* measures = root_.child("measures");
    for (const json::JsonMember& member : object_of(measures, "measures", problems_))
      item_.measures.push_back(
          {member.key, read_measure(member.value, json::member_path("measures", member.key),
                                    scenarios, problems_)});
    if (const json::JsonValue* curves = root_.child("curves")) read_curves(*curves);
    std::optional<std::string> evidence = head.evidence;
    // An unknown kind has its own problem, and its cells need no further ones.
    const json::JsonValue* given = root_.child("evidence");
    if (!evidence && given != nullptr && !given->is_null()) evidence = evidence_words().back();
    read_groups(root_.child("groups"), evidence);
    root_.finish();
    problems_.throw_if_any();
    return std::move(item_);
  }

 private:
  void read_curves(const json::JsonValue& curves);
  void read_groups(const json::JsonValue* groups, const std::optional<std::string>& evidence);

  json::CheckedObject root_;
  json::Problems& problems_;
  ReproductionItem item_;
};

/// Reads the curves. All panels of a figure are of one sort: step models, boxes of series, or
/// ratios of series, and all series are of one family.
void ItemReader::read_curves(const json::JsonValue& curves) {
  const json::JsonValue::List& list = list_of(&curves, "curves", problems_);
  item_.curves.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    const auto drawn = [&](const Measure& measure) {
      return list[i].text() != nullptr && measure.name == *list[i].text() &&
             (std::holds_alternative<StepModelMeasure>(measure.how) ||
              std::holds_alternative<SeriesMeasure>(measure.how));
    };
    const auto& measures = item_.measures;
    const auto found = std::find_if(measures.begin(), measures.end(), drawn);
    if (found == measures.end()) {
      problems_.add(
          json::item_path("curves", i),
          "expected a measure of kind step-model or series, got " + json::describe(list[i]));
      continue;
    }
    item_.curves.push_back(static_cast<std::size_t>(found - measures.begin()));
    if (!are_drawn_alike(*found, measures[item_.curves.front()]))
      problems_.add(json::item_path("curves", i),
                    "expected a measure of the same kind as the first");
  }
  if (item_.overlaid && !item_.curves.empty() &&
      !is_drawn_as_boxes(item_.measures[item_.curves.front()]))
    problems_.add("overlaid", "expected false: only series that are drawn as boxes can be");
}

/// Reads the groups. A group's members apply to those of its cells that leave them out, and so does
/// the evidence that the item declares.
void ItemReader::read_groups(const json::JsonValue* groups,
                             const std::optional<std::string>& evidence) {
  const json::JsonValue::List& list = list_of(groups, "groups", problems_);
  for (std::size_t g = 0; g < list.size(); ++g) {
    const std::string path = json::item_path("groups", g);
    if (list[g].object() == nullptr) {
      problems_.add(path, "expected an object, got " + json::describe(list[g]));
      continue;
    }
    const json::JsonValue::List& cells =
        list_of(list[g].find("cells"), json::member_path(path, "cells"), problems_);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const std::string place = json::item_path(json::member_path(path, "cells"), c);
      json::JsonValue cell = json::JsonValue::Object{};
      if (evidence) cell.set("evidence", *evidence);
      for (const json::JsonMember& member : *list[g].object())
        if (member.key != "cells") cell.set(member.key, member.value);
      for (const json::JsonMember& member : object_of(&cells[c], place, problems_))
        cell.set(member.key, member.value);
      read_cell(cell, place, item_, problems_);
    }
  }
}

}  // namespace

ReproductionItem read_reproduction_item(const fs::path& file) {
  const json::FileMemo files;
  json::Problems problems(file.string());
  const json::JsonValue root = json::read_json_file(file.string(), problems);
  ReproductionItem item = ItemReader(root, problems).read();
  std::error_code without_folder;
  const fs::path whole = fs::absolute(file, without_folder);
  item.name = reproduction_item_name((without_folder ? file : whole).lexically_normal());
  return item;
}

}  // namespace faultline::reproduction
