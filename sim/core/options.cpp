// SPDX-License-Identifier: Apache-2.0
#include "sim/core/options.hpp"

template class std::vector<faultline::OptionSpec>;

namespace faultline {

bool OptionGroup::operator==(const OptionGroup& other) const {
  return content->values == other.content->values;
}

}  // namespace faultline

namespace faultline::detail {

void to_option(bool value, OptionValue& option) { option = value; }
void to_option(std::int64_t value, OptionValue& option) { option = value; }
void to_option(double value, OptionValue& option) { option = value; }
void to_option(const std::string& value, OptionValue& option) { option = value; }
void to_option(const std::vector<std::string>& value, OptionValue& option) { option = value; }
void to_option(const TaskTreeInput& value, OptionValue& option) { option = value; }
void to_option(const FaultCountsInput& value, OptionValue& option) { option = value; }
void to_option(const FaultTraceInput& value, OptionValue& option) { option = value; }

namespace {

template <class T>
void get(const OptionValue& option, T& value) {
  value = std::get<T>(option);
}

}  // namespace

bool is_null(const OptionValue& option) { return std::holds_alternative<std::monostate>(option); }
std::int64_t whole(const OptionValue& option) { return std::get<std::int64_t>(option); }
void from_option(const OptionValue& option, bool& value) { get(option, value); }
void from_option(const OptionValue& option, double& value) { get(option, value); }
void from_option(const OptionValue& option, std::string& value) { get(option, value); }
void from_option(const OptionValue& option, std::vector<std::string>& value) { get(option, value); }
void from_option(const OptionValue& option, TaskTreeInput& value) { get(option, value); }
void from_option(const OptionValue& option, FaultCountsInput& value) { get(option, value); }
void from_option(const OptionValue& option, FaultTraceInput& value) { get(option, value); }

OptionList::OptionList() = default;
OptionList::OptionList(const OptionList&) = default;
OptionList::OptionList(OptionList&&) noexcept = default;
OptionList& OptionList::operator=(const OptionList&) = default;
OptionList& OptionList::operator=(OptionList&&) noexcept = default;
OptionList::~OptionList() = default;

OptionSpec& OptionList::add(const std::string& name, OptionKind kind, const OptionNotes& notes,
                            Setter setter) {
  setters_.push_back(std::move(setter));
  specs_.push_back({.name = name,
                    .kind = kind,
                    .required = notes.required,
                    .unit = notes.unit,
                    .minimum = notes.minimum,
                    .maximum = notes.maximum,
                    .above_minimum = notes.above_minimum,
                    .choices = notes.choices,
                    .doc = notes.doc,
                    .source = notes.source,
                    .awaits_message = notes.awaits_message});
  return specs_.back();
}

void OptionList::read(void* target, const OptionValues& values) const {
  for (std::size_t i = 0; i < specs_.size(); ++i) setters_[i](target, values.at(specs_[i].name));
}

void OptionList::copy_to(std::vector<OptionSpec>& specs) const { specs = specs_; }

}  // namespace faultline::detail
