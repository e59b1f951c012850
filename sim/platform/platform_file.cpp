// SPDX-License-Identifier: Apache-2.0
#include "sim/platform/platform_file.hpp"

#include <map>
#include <utility>

#include "sim/core/error.hpp"
#if FAULTLINE_SIMGRID
#include "sim/platform/simgrid_xml.hpp"
#endif

namespace faultline::platform {

#if FAULTLINE_SIMGRID

namespace {

const XmlPlatform& xml_platform(const std::string& path, std::uint32_t nodes) {
  static std::map<std::pair<std::string, std::uint32_t>, XmlPlatform> known;
  const auto key = std::make_pair(path, nodes);
  auto found = known.find(key);
  if (found == known.end()) found = known.emplace(key, read_platform_xml(path, nodes)).first;
  return found->second;
}

XmlSummary inspect_xml(const std::string& path, std::uint32_t nodes) {
  const XmlPlatform& platform = xml_platform(path, nodes);
  const XmlHost& host = platform.hosts.front();
  return {.hosts = static_cast<std::uint32_t>(platform.hosts.size()),
          .cores_per_host = host.cores,
          .local_latency_s = host.local_latency_s,
          .local_bandwidth_Bps = host.local_bandwidth_Bps};
}

}  // namespace

XmlInspector xml_inspector() { return inspect_xml; }

const RouteTable& xml_routes(const std::string& path, std::uint32_t nodes) {
  return xml_platform(path, nodes).routes;
}

#else

XmlInspector xml_inspector() { return {}; }

const RouteTable& xml_routes(const std::string& path, std::uint32_t /*nodes*/) {
  throw RunError(path + ": this Faultline was built without SimGrid");
}

#endif

}  // namespace faultline::platform
