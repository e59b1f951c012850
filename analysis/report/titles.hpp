// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

namespace faultline::report {

/// The reader's titles of paths and metrics, by their names. All others keep their own words.
using Titles = std::map<std::string, std::string>;

/// Reads a PATH=TEXT for each title. Throws UsageError for one without `=`, path or text, with
/// characters that cannot be shown, or for a path that has a title already.
Titles read_titles(const std::vector<std::string>& options);

/// The reader's title of a path or metric, with " [s]" if its values are times; "" for none.
std::string given_title(const Titles& titles, const std::string& name);

/// A path as the heading of a column and in keys: its title, or else its last part.
std::string path_heading(const Titles& titles, const std::string& path);

/// A metric in the text of a page: its title, or else its name.
std::string metric_heading(const Titles& titles, const std::string& metric);

/// A metric at an axis: its title, or else its own words (axis_title); with " [s]" if it is a time.
std::string metric_axis_title(const Titles& titles, const std::string& metric);

/// The last part of a path, for people: "processes".
std::string short_path(const std::string& path);

}  // namespace faultline::report
