// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <simgrid/s4u.hpp>

#include "sim/core/error.hpp"
#include "sim/platform/simgrid_xml.hpp"
#include "tests/platform/in_child.hpp"

namespace faultline::platform {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
using Catch::Matchers::StartsWith;

constexpr const char* kXmlHead = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
)";
constexpr const char* kXmlTail = "</zone></platform>\n";
const std::string kThreeHosts = R"(
<host id="n10" speed="1Gf" core="4"/> <host id="n9" speed="2Gf"/> <host id="n1" speed="1Gf"/>
<link id="a" bandwidth="100MBps" latency="10us"/> <link id="b" bandwidth="50MBps" latency="5us"/>
)";
const std::string kRoutes = R"(
<route src="n10" dst="n9"><link_ctn id="a"/></route>
<route src="n10" dst="n1"><link_ctn id="a"/><link_ctn id="b"/></route>
<route src="n9" dst="n1"><link_ctn id="b"/></route>
)";

/// A platform file that is gone with the object.
class PlatformFile {
 public:
  explicit PlatformFile(const std::string& text) {
    std::string pattern = fs::temp_directory_path() / "faultline-test-XXXXXX";
    directory_ = mkdtemp(pattern.data());
    std::ofstream(path()) << text;
  }
  ~PlatformFile() { fs::remove_all(directory_); }
  PlatformFile(const PlatformFile&) = delete;
  PlatformFile& operator=(const PlatformFile&) = delete;

  [[nodiscard]] std::string path() const { return directory_ / "platform.xml"; }

 private:
  fs::path directory_;
};

std::string platform(const std::string& body) { return kXmlHead + body + kXmlTail; }

TEST_CASE("hosts of a platform file come in the order of their names, numbers by value") {
  const PlatformFile file(platform(kThreeHosts + kRoutes));
  const XmlPlatform read = read_platform_xml(file.path(), 0);
  REQUIRE(read.hosts.size() == 3);
  CHECK(read.hosts[0].name == "n1");
  CHECK(read.hosts[1].name == "n9");
  CHECK(read.hosts[2].name == "n10");
  CHECK(read.hosts[1].speed_flops == 2e9);
  CHECK(read.hosts[2].cores == 4);
  CHECK(read.routes.nodes == 0);
}

TEST_CASE("routes of a platform file add latencies and keep the least bandwidth") {
  const PlatformFile file(platform(kThreeHosts + kRoutes));
  const Topology topology(read_platform_xml(file.path(), 3).routes);
  CHECK(topology.route(0, 2).hops == 2);
  CHECK(topology.route(0, 2).latency_s == Approx(15e-6).epsilon(1e-12));
  CHECK(topology.route(0, 2).bandwidth_Bps == 50e6);
  CHECK(topology.route(2, 1).hops == 1);
  CHECK(topology.route(2, 1).latency_s == Approx(10e-6).epsilon(1e-12));
  CHECK(topology.route(2, 1).bandwidth_Bps == 100e6);
  CHECK(topology.route(1, 0).latency_s == Approx(5e-6).epsilon(1e-12));
  CHECK(topology.route(1, 1).hops == 0);
  CHECK(topology.route(1, 1).latency_s == 0);
}

TEST_CASE("a cluster of a platform file has its routes and loopbacks") {
  const PlatformFile file(R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<cluster id="c" prefix="node-" suffix="" radical="0-11" speed="1Gf" bw="125MBps" lat="50us"
 loopback_bw="6GBps" loopback_lat="100ns" bb_bw="2GBps" bb_lat="500us"/></platform>
)");
  const XmlPlatform read = read_platform_xml(file.path(), 12);
  REQUIRE(read.hosts.size() == 12);
  CHECK(read.hosts[2].name == "node-2");
  CHECK(read.hosts[10].name == "node-10");
  CHECK(read.hosts[3].local_latency_s == Approx(1e-7));
  CHECK(read.hosts[3].local_bandwidth_Bps == 6e9);
  const Topology topology(read.routes);
  CHECK(read.routes.routes.size() == 2);
  CHECK(topology.route(3, 11).hops == 3);
  CHECK(topology.route(3, 11).latency_s == Approx(600e-6).epsilon(1e-12));
  CHECK(topology.route(3, 11).bandwidth_Bps == 125e6);
}

TEST_CASE("the Engine gets the hosts in the order in which they were read") {
  const PlatformFile file(platform(kThreeHosts + kRoutes));
  CHECK(in_child([&] {
          simgrid::s4u::Engine engine("test");
          std::string names;
          for (const auto* host : load_platform_xml(file.path())) names += host->get_name() + " ";
          return names;
        }) == "n1 n9 n10 ");
}

TEST_CASE("a file that SimGrid refuses is an error that quotes it, not the end of the process") {
  const auto refused = [](const std::string& text, const std::string& reason) {
    const PlatformFile file(text);
    CHECK_THROWS_AS(read_platform_xml(file.path(), 2), UsageError);
    CHECK_THROWS_WITH(
        read_platform_xml(file.path(), 2),
        StartsWith(file.path() + ": SimGrid refuses this platform file: ") && Contains(reason));
  };
  refused(platform(kThreeHosts + kThreeHosts), "second host named 'n10'");
  refused(platform(kThreeHosts + R"(<link id="c" bandwidth="1MBps" latency="5parsec"/>)"),
          "parsec");
  refused(platform(kThreeHosts + R"(<route src="n9" dst="n1"><link_ctn id="zz"/></route>)"), "zz");
  refused(platform(kThreeHosts + R"(<route src="n9" dst="n77"><link_ctn id="a"/></route>)"), "n77");
  refused(R"(<?xml version='1.0'?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Banana"/></platform>)",
          "Not a valid model");
}

TEST_CASE("a file that is not a platform file is refused before SimGrid sees it") {
  const auto refused = [](const std::string& text, const std::string& reason) {
    const PlatformFile file(text);
    CHECK_THROWS_AS(read_platform_xml(file.path(), 2), UsageError);
    CHECK_THROWS_WITH(read_platform_xml(file.path(), 2), StartsWith(file.path() + reason));
  };
  refused("", ": is empty, expected a SimGrid platform file");
  refused("hello", ":1: not well-formed XML: ");
  refused(kXmlHead, ":4: not well-formed XML: ");
  refused(platform("<config/>" + kThreeHosts),
          ":4: <config>: Faultline takes no settings of SimGrid");
}

TEST_CASE("SimGrid's complaint names the line of the user's file") {
  const PlatformFile file(platform("<!-- one\ntwo\nthree -->" + kThreeHosts +
                                   R"(<link id="c" bandwidth="1MBps" latency="5parsec"/>)"));
  CHECK_THROWS_WITH(read_platform_xml(file.path(), 2),
                    Contains(file.path() + ":9: ") && !Contains("topology.xml"));
}

TEST_CASE("routes by coordinates are read, too") {
  const PlatformFile file(R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Vivaldi">
<peer id="a" speed="1Gf" bw_in="1GBps" bw_out="2GBps" coordinates="3.0 0.0 1.0"/>
<peer id="b" speed="1Gf" bw_in="3GBps" bw_out="4GBps" coordinates="0.0 4.0 2.0"/>
</zone></platform>)");
  const Topology topology(read_platform_xml(file.path(), 2).routes);
  CHECK(topology.route(0, 1).latency_s == Approx(8e-3));
  CHECK(topology.route(0, 1).bandwidth_Bps == 2e9);
}

TEST_CASE("a platform that SimGrid accepts but no job can run on is refused by name") {
  const auto refused = [](const std::string& body, std::uint32_t hosts, const std::string& reason) {
    const PlatformFile file(platform(body));
    CHECK_THROWS_WITH(read_platform_xml(file.path(), hosts), Equals(file.path() + ": " + reason));
  };
  refused("", 0, "the platform has no host");
  refused(kThreeHosts + kRoutes, 4, "the platform has 3 hosts, the job needs 4");
  refused(kThreeHosts, 2, "route from 'n1' to 'n9': there is none");
  refused(R"(<host id="x" speed="0f"/>)", 0, "host 'x': its speed is not positive");
  refused(R"(<host id="x" speed="1f"/><host id="y" speed="1f"/>
             <link id="l" bandwidth="0Bps" latency="1us"/>
             <route src="x" dst="y"><link_ctn id="l"/></route>)",
          2, "route from 'x' to 'y': a link's bandwidth is not positive");
}

TEST_CASE("a host without a route to itself is read, as SimGrid does") {
  const PlatformFile file(R"(
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="w" routing="Full">
    <zone id="a" routing="None"><host id="h0" speed="1Gf"/></zone>
    <zone id="b" routing="None"><host id="h1" speed="1Gf"/></zone>
    <link id="l" bandwidth="1GBps" latency="1ms"/>
    <zoneRoute src="a" dst="b" gw_src="h0" gw_dst="h1"><link_ctn id="l"/></zoneRoute>
  </zone>
</platform>
)");
  const XmlPlatform read = read_platform_xml(file.path(), 2);
  CHECK(read.hosts[0].local_latency_s == 0);
  CHECK(read.hosts[0].local_bandwidth_Bps == 0);
  const Topology topology(read.routes);
  CHECK(topology.route(0, 1).latency_s == 1e-3);
  CHECK(topology.route(1, 0).bandwidth_Bps == 1e9);
}

TEST_CASE("a file that cannot be read is refused before SimGrid sees it") {
  CHECK_THROWS_WITH(read_platform_xml("/nowhere/platform.xml", 0),
                    Equals("/nowhere/platform.xml: no such platform file"));
  CHECK_THROWS_WITH(read_platform_xml(fs::temp_directory_path(), 0),
                    Contains("not a regular file"));
  const PlatformFile file(platform(kThreeHosts + kRoutes));
  CHECK_THROWS_WITH(read_platform_xml(file.path(), kMaxRoutedHosts + 1),
                    Contains("at most 4096 hosts"));
}

TEST_CASE("reading leaves no trace: SimGrid is not started here and no scratch file stays") {
  const PlatformFile file(platform(kThreeHosts + kRoutes));
  const fs::path scratch = fs::path(file.path()).parent_path() / "scratch";
  fs::create_directory(scratch);
  CHECK(in_child([&] {
          setenv("TMPDIR", scratch.c_str(), 1);
          read_platform_xml(file.path(), 3);
          try {
            read_platform_xml(file.path(), 9);
          } catch (const UsageError&) {
          }
          if (simgrid::s4u::Engine::has_instance()) return std::string("SimGrid runs");
          return std::string(fs::is_empty(scratch) ? "" : "files stay");
        }) == "");
}

}  // namespace
}  // namespace faultline::platform
