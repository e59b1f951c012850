// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/simgrid_xml.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include "sim/core/child_process.hpp"
#include "sim/core/error.hpp"
#include "sim/core/scratch_directory.hpp"
#include "sim/core/text_file.hpp"
#include "sim/platform/simgrid_topology_file.hpp"
#include "sim/platform/simgrid_zone.hpp"

namespace faultline::platform {

namespace {

namespace sg = simgrid::s4u;

/// Compares names, with the numbers in them by value. Then compares as text, so that the order is
/// total.
bool natural_less(const std::string& a, const std::string& b) {
  const auto digit = [](const std::string& text, std::size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  const auto number = [&digit](const std::string& text, std::size_t& at) {
    while (digit(text, at) && text[at] == '0') ++at;
    const std::size_t begin = at;
    while (digit(text, at)) ++at;
    return text.substr(begin, at - begin);
  };
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a, i) && digit(b, j)) {
      const std::string x = number(a, i);
      const std::string y = number(b, j);
      if (x != y) return x.size() != y.size() ? x.size() < y.size() : x < y;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  const std::size_t rest_a = a.size() - i;
  const std::size_t rest_b = b.size() - j;
  return rest_a != rest_b ? rest_a < rest_b : a < b;
}

// ---- In the child: SimGrid reads the file, and we write what it has read to a stream. ----

/// True for a host in a zone without routes, which has not even a route to itself. SimGrid reads
/// such a zone, and ends the process when asked for the route. Its library does not export the type
/// of the zone, only a name.
bool is_lone(const sg::Host& host) {
  const simgrid::kernel::routing::NetZoneImpl& zone = *host.get_englobing_zone()->get_impl();
  return std::string_view(typeid(zone).name()).find("EmptyZone") != std::string_view::npos;
}

/// Nothing limits a lone host's messages to itself.
Route route_between(const sg::Host& from, const sg::Host& to) {
  std::vector<sg::Link*> links;
  Route route{0, std::numeric_limits<double>::infinity(), 0};
  if (&from == &to && is_lone(from)) return route;
  from.route_to(&to, links, &route.latency_s);
  for (const sg::Link* link : links) {
    route.bandwidth_Bps = std::min(route.bandwidth_Bps, link->get_bandwidth());
  }
  route.hops = static_cast<std::uint32_t>(links.size());
  const std::string place = "route from '" + from.get_name() + "' to '" + to.get_name() + "': ";
  if (links.empty()) throw UsageError(place + "there is none");
  if (!std::isfinite(route.bandwidth_Bps) || route.bandwidth_Bps <= 0) {
    throw UsageError(place + "a link's bandwidth is not positive");
  }
  if (!std::isfinite(route.latency_s) || route.latency_s < 0) {
    throw UsageError(place + "its latency is not a time");
  }
  return route;
}

std::vector<XmlHost> describe_hosts(const std::vector<sg::Host*>& hosts) {
  std::vector<XmlHost> described;
  described.reserve(hosts.size());
  for (const sg::Host* host : hosts) {
    if (!(host->get_speed() > 0)) {
      throw UsageError("host '" + host->get_name() + "': its speed is not positive");
    }
    const Route self = route_between(*host, *host);
    described.push_back({host->get_name(), static_cast<std::uint32_t>(host->get_core_count()),
                         host->get_speed(), self.latency_s,
                         self.hops > 0 ? self.bandwidth_Bps : 0.0});
  }
  return described;
}

RouteTable tabulate_routes(const std::vector<sg::Host*>& hosts, std::uint32_t nodes) {
  RouteTable table;
  table.nodes = nodes;
  table.route_of.reserve(static_cast<std::size_t>(nodes) * nodes);
  std::map<std::tuple<double, double, std::uint32_t>, std::uint32_t> known;
  for (std::uint32_t from = 0; from < nodes; ++from) {
    for (std::uint32_t to = 0; to < nodes; ++to) {
      Route route = route_between(*hosts[from], *hosts[to]);
      if (from == to) route = {0, route.bandwidth_Bps, 0};
      const auto key = std::make_tuple(route.latency_s, route.bandwidth_Bps, route.hops);
      const auto next = static_cast<std::uint32_t>(table.routes.size());
      const auto [entry, is_new] = known.emplace(key, next);
      if (is_new) table.routes.push_back(route);
      table.route_of.push_back(entry->second);
    }
  }
  return table;
}

void require_hosts(std::size_t hosts, std::uint32_t routed_hosts) {
  if (hosts == 0) throw UsageError("the platform has no host");
  if (routed_hosts > hosts) {
    throw UsageError("the platform has " + std::to_string(hosts) + " hosts, the job needs " +
                     std::to_string(routed_hosts));
  }
}

template <typename Value>
void write(std::ostream& out, const std::vector<Value>& values) {
  static_assert(std::is_trivially_copyable_v<Value>);
  const std::size_t count = values.size();
  out.write(reinterpret_cast<const char*>(&count), sizeof count);
  out.write(reinterpret_cast<const char*>(values.data()),
            static_cast<std::streamsize>(count * sizeof(Value)));
}

/// The numbers of a host that the child sends to the parent.
struct HostNumbers {
  std::uint32_t cores;
  double speed_flops;
  double local_latency_s;
  double local_bandwidth_Bps;
};

void write(std::ostream& out, const XmlPlatform& platform) {
  std::vector<HostNumbers> numbers;
  numbers.reserve(platform.hosts.size());
  std::vector<char> names;
  for (const XmlHost& host : platform.hosts) {
    numbers.push_back(
        {host.cores, host.speed_flops, host.local_latency_s, host.local_bandwidth_Bps});
    names.insert(names.end(), host.name.begin(), host.name.end());
    names.push_back('\0');
  }
  write(out, numbers);
  write(out, names);
  write(out, platform.routes.routes);
  write(out, platform.routes.route_of);
}

/// Loads a file with nothing but a topology, never the user's own file.
std::vector<sg::Host*> load_topology(const std::string& path) {
  const auto* engine = sg::Engine::get_instance();
  engine->load_platform(path);
  engine->seal_platform();
  std::vector<sg::Host*> hosts = engine->get_all_hosts();
  std::sort(hosts.begin(), hosts.end(), [](const sg::Host* a, const sg::Host* b) {
    return natural_less(a->get_name(), b->get_name());
  });
  return hosts;
}

XmlPlatform read_here(const std::string& path, std::uint32_t routed_hosts) {
  // Messages without prefixes, so that they can be quoted.
  const auto engine = start_simgrid({"--log=root.fmt:%m%n", "--log=xbt_cfg.thres:warning"});
  const std::vector<sg::Host*> hosts = load_topology(path);
  require_hosts(hosts.size(), routed_hosts);
  return {describe_hosts(hosts), tabulate_routes(hosts, routed_hosts)};
}

/// Exit status of a child whose output is Faultline's complaint about the platform, not SimGrid's.
constexpr int kOwnComplaint = 3;
/// Exit status of a child that could not write its result or its complaint.
constexpr int kNoRoom = 4;

[[noreturn]] void leave(const char* words, int status) {
  const bool told = std::fputs(words, stderr) >= 0 && std::fflush(stderr) == 0;
  _exit(told ? status : kNoRoom);
}

[[noreturn]] void run_child(const std::string& path, std::uint32_t routed_hosts,
                            const std::string& result_file, int words) {
  // SimGrid may call exit(). The exit handlers that the parent registered must not run here.
  std::atexit([] { _exit(EXIT_FAILURE); });
  const rlimit no_core_dump{0, 0};
  setrlimit(RLIMIT_CORE, &no_core_dump);
  dup2(words, STDOUT_FILENO);
  dup2(words, STDERR_FILENO);
  try {
    const XmlPlatform platform = read_here(path, routed_hosts);
    std::ofstream out(result_file, std::ios::binary);
    write(out, platform);
    out.close();
    if (out) _exit(EXIT_SUCCESS);
    _exit(kNoRoom);
  } catch (const UsageError& error) {
    leave(error.what(), kOwnComplaint);
  } catch (const std::out_of_range& error) {
    const std::string reason = "a number is beyond what a double or an int can hold";
    leave((reason + " (" + error.what() + ")").c_str(), EXIT_FAILURE);
  } catch (const std::exception& error) {
    leave(error.what(), EXIT_FAILURE);
  }
}

// ---- In the parent. ----

/// SimGrid's message in one line, without stack traces. Names the user's file instead of the copy
/// that SimGrid was given.
std::string quote(std::istream& words, const std::string& given, const std::string& path) {
  std::string text;
  for (std::string line; std::getline(words, line);) {
    line.erase(0, line.find_first_not_of(" *"));
    const bool noise = line.empty() || line.rfind("->", 0) == 0 || line == "Exiting now." ||
                       line.find("acktrace:") != std::string::npos;
    if (noise) continue;
    for (std::size_t at = 0; (at = line.find(given, at)) != std::string::npos; at += path.size())
      line.replace(at, given.size(), path);
    if (!text.empty()) text += ' ';
    text += line;
  }
  constexpr std::size_t kLongest = 600;
  if (text.size() > kLongest) text.replace(kLongest, std::string::npos, " ...");
  return text;
}

std::string complaint(int status, const std::string& words) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == kOwnComplaint) return words;
  if (!words.empty()) return "SimGrid refuses this platform file: " + words;
  const std::string end = WIFSIGNALED(status) ? "signal " + std::to_string(WTERMSIG(status))
                                              : "status " + std::to_string(WEXITSTATUS(status));
  return "SimGrid ended without a message on this platform file, with " + end;
}

template <typename Value>
std::vector<Value> read(std::istream& in) {
  std::size_t count = 0;
  in.read(reinterpret_cast<char*>(&count), sizeof count);
  std::vector<Value> values(in ? count : 0);
  in.read(reinterpret_cast<char*>(values.data()),
          static_cast<std::streamsize>(values.size() * sizeof(Value)));
  return values;
}

XmlPlatform read_result(std::istream& in, std::uint32_t routed_hosts) {
  const auto numbers = read<HostNumbers>(in);
  const auto names = read<char>(in);
  XmlPlatform platform;
  platform.routes.nodes = routed_hosts;
  platform.routes.routes = read<Route>(in);
  platform.routes.route_of = read<std::uint32_t>(in);
  if (!in) throw RunError("the routes of the platform file could not be read back");
  auto name = names.begin();
  for (const HostNumbers& host : numbers) {
    const auto end = std::find(name, names.end(), '\0');
    platform.hosts.push_back({std::string(name, end), host.cores, host.speed_flops,
                              host.local_latency_s, host.local_bandwidth_Bps});
    name = std::next(end);
  }
  return platform;
}

constexpr const char* kTopology = "topology.xml";

[[noreturn]] void refuse_full(const std::string& path, const ScratchDirectory& scratch) {
  throw RunError(path + ": Faultline could not write what it read to a temporary directory (" +
                 scratch.path() + "); if that is full, TMPDIR can name another directory");
}

/// Writes the part of the user's file that SimGrid may see into the scratch directory. Returns the
/// path.
std::string write_topology(const std::string& path, const ScratchDirectory& scratch) {
  const std::string text =
      topology_alone(read_text_file(path, "a SimGrid platform file", kLargestPlatformFile_B), path);
  std::ofstream out(scratch.file(kTopology), std::ios::binary);
  out << text;
  out.close();
  if (!out) refuse_full(path, scratch);
  return scratch.file(kTopology);
}

/// Lets a child read the topology and write its result and its messages to files. Returns its wait
/// status.
int read_in_child(const std::string& topology, std::uint32_t routed_hosts,
                  const ScratchDirectory& scratch) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> words(
      std::fopen(scratch.file("words").c_str(), "w"), &std::fclose);
  if (!words) throw RunError("cannot write to " + scratch.path() + ": " + std::strerror(errno));
  const pid_t child = fork_child();
  if (child < 0) throw RunError("cannot start a process: " + std::string(std::strerror(errno)));
  if (child == 0) run_child(topology, routed_hosts, scratch.file("result"), fileno(words.get()));
  const int status = wait_for_child(child);
  if (status < 0) throw RunError("lost the child that reads the platform file");
  return status;
}

void check_request(const std::string& path, std::uint32_t routed_hosts) {
  std::error_code absent;
  if (!std::filesystem::exists(path, absent)) throw UsageError(path + ": no such platform file");
  if (!std::filesystem::is_regular_file(path, absent)) {
    throw UsageError(path + ": a platform file was expected, this is not a regular file");
  }
  if (routed_hosts > kMaxRoutedHosts) {
    throw UsageError(path + ": a job on a platform file can have at most " +
                     std::to_string(kMaxRoutedHosts) + " hosts, this one needs " +
                     std::to_string(routed_hosts));
  }
  if (sg::Engine::has_instance()) throw RunError(path + ": this process already runs SimGrid");
}

}  // namespace

std::vector<sg::Host*> load_platform_xml(const std::string& path) {
  const ScratchDirectory scratch("to load the platform file");
  return load_topology(write_topology(path, scratch));
}

XmlPlatform read_platform_xml(const std::string& path, std::uint32_t routed_hosts) {
  check_request(path, routed_hosts);
  const ScratchDirectory scratch("to read the platform file");
  const std::string topology = write_topology(path, scratch);
  const int status = read_in_child(topology, routed_hosts, scratch);
  if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) {
    std::ifstream result(scratch.file("result"), std::ios::binary);
    return read_result(result, routed_hosts);
  }
  std::ifstream words(scratch.file("words"));
  const std::string why = complaint(status, quote(words, topology, path));
  if (why.empty() || (WIFEXITED(status) && WEXITSTATUS(status) == kNoRoom))
    refuse_full(path, scratch);
  throw UsageError(path + ": " + why);
}

}  // namespace faultline::platform
