// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sim/core/error.hpp"
#include "sim/platform/simgrid_topology_file.hpp"

namespace faultline::platform {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::Equals;
using Catch::Matchers::StartsWith;

constexpr const char* kHead = R"(<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
)";
constexpr const char* kTail = "\n</zone></platform>\n";

std::string kept(const std::string& text) { return topology_alone(text, "p.xml"); }

std::string error(const std::string& text) {
  try {
    return "no error: " + kept(text);
  } catch (const UsageError& problem) {
    return problem.what();
  }
}

/// The text of a zone with this in it, which begins on line 4.
std::string error_in_zone(const std::string& body) { return error(kHead + body + kTail); }

TEST_CASE("a topology is rewritten with every element on its line") {
  CHECK(kept(kHead + std::string(R"(<!-- two
lines --><host id="a &amp; &#34;b&#x22; &lt;"
               speed='1Gf'/>
<link id="l" bandwidth="1Bps" latency="1us"/>)") +
             kTail) ==
        R"(<?xml version='1.0'?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">

<platform version="4.1"><zone id="z" routing="Full">

<host id="a &amp; &quot;b&quot; &lt;" speed="1Gf"></host>

<link id="l" bandwidth="1Bps" latency="1us"></link></zone></platform>)");
}

TEST_CASE("comments may contain what XML forbids in them, as in SimGrid's own files") {
  const std::string text =
      kept(kHead + std::string("<!-- a -- b ---> <!-----><!--\xFF <config/>\n-- c\n-->") +
           "<host id='h' speed='1f'/>" + kTail);
  CHECK_THAT(text, Contains("\n\n\n<host id=\"h\" speed=\"1f\"></host>"));
  CHECK_THAT(error_in_zone("<!-- without end <host id='h' speed='1f'/>"),
             StartsWith("p.xml:4: not well-formed XML"));
}

TEST_CASE("properties and disks are left out with their content") {
  const std::string text = kept(kHead + std::string(R"(<prop id="a" value="secret"/>
<host id="h" speed="1f"><disk id="secret" read_bw="1Bps" write_bw="1Bps">
<prop id="content" value="secret"/></disk><prop id="x" value="secret"/></host>)") +
                                kTail);
  CHECK_THAT(text, !Contains("secret") && !Contains("prop") && !Contains("disk"));
  CHECK_THAT(text, Contains(R"(<host id="h" speed="1f"></host></zone>)"));
}

TEST_CASE("what could make SimGrid do more than build a topology is refused by name and line") {
  const auto refused = [](const std::string& element, const std::string& reason) {
    CAPTURE(element);
    CHECK_THAT(error_in_zone("\n" + element), StartsWith("p.xml:5: <") && Contains(reason));
  };
  refused(R"(<config id="General"><prop id="tracing/filename" value="victim"/></config>)",
          "<config>: Faultline takes no settings of SimGrid");
  refused(R"(<trace id="t" periodicity="1">0 1</trace>)",
          "<trace>: Faultline takes no changes over time");
  refused(R"(<trace_connect trace="t" element="h"/>)",
          "<trace_connect>: Faultline takes no changes over time");
  refused(R"(<include file="/etc/passwd"/>)", "<include>: a platform file must not name other");
  refused(R"(<actor host="h" function="f"/>)", "<actor>: Faultline takes no actors");
  refused(R"(<process host="h" function="f"/>)", "<process>: Faultline takes no actors");
  refused(R"(<random id="r" min="0" max="1" mean="0" std_deviation="1"/>)",
          "<random>: Faultline takes no random values");
  refused(R"(<storage id="s" typeId="t" attach="h"/>)", "<storage>: Faultline takes no storage");
  refused(R"(<storage_type id="t" size="1B"/>)", "<storage_type>: Faultline takes no storage");
  refused(R"(<host id="h" speed="1f"><mount storageId="s" name="/"/></host>)",
          "<mount>: Faultline takes no storage");
  refused(R"(<surprise/>)", "<surprise>: unknown element");
  refused(R"(<prop id="x" value="y"><config/></prop>)", "<config>: Faultline takes no settings");
}

TEST_CASE("attributes that name other files are refused, and ones that are not known") {
  const auto refused = [](const std::string& element, const std::string& reason) {
    CAPTURE(element);
    CHECK_THAT(error_in_zone(element), StartsWith("p.xml:4: <" + reason));
  };
  for (const char* name : {"state_file", "speed_file", "availability_file"})
    for (const char* element : {"host", "peer"})
      refused(std::string("<") + element + " id='h' speed='1f' " + name + "='/dev/zero'/>",
              std::string(element) + ">: " + name + ": a platform file must not name other files");
  for (const char* name : {"state_file", "bandwidth_file", "latency_file"})
    refused(std::string("<link id='l' bandwidth='1Bps' ") + name + "='/dev/zero'/>",
            std::string("link>: ") + name + ": a platform file must not name other files");
  refused("<host id='h' speed='1f' sped='2f'/>",
          "host>: sped: unknown attribute, expected id speed");
  // Empty is what SimGrid takes for none.
  CHECK_THAT(error_in_zone("<host id='h' speed='1f' state_file=''/>"),
             StartsWith("no error") && Contains(R"(<host id="h" speed="1f"></host>)"));
  refused("<link id='l' bandwidth='1Bps' sharing_policy='WIFI'/>",
          "link>: sharing_policy: wireless");
  refused("<zone id='w' routing='Wifi'/>", "zone>: routing: wireless");
}

TEST_CASE("entities of the file's own, and those that no one knows, are refused") {
  const std::string body = R"(<platform version="4.1"/>)";
  CHECK_THAT(error(R"(<!DOCTYPE platform [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;">]>)" + body),
             StartsWith("p.xml:1: <!DOCTYPE>: a platform file must not declare entities"));
  CHECK_THAT(
      error(R"(<!DOCTYPE platform SYSTEM "x.dtd" [<!ENTITY a SYSTEM "/etc/passwd">]>)" + body),
      Contains("must not declare entities"));
  // Another parser could know it from the document type, or drop it as this one does.
  CHECK_THAT(error_in_zone(R"(<host id="a&secret;b" speed="1f"/>)"),
             StartsWith("p.xml:4: <host>: entity \"&secret;\" is not known"));
}

TEST_CASE("what is not well-formed, or not UTF-8, is refused") {
  CHECK_THAT(error("hello"), StartsWith("p.xml:1: not well-formed XML: "));
  CHECK_THAT(error(kHead), StartsWith("p.xml:4: not well-formed XML: no element found"));
  CHECK_THAT(error_in_zone("<host id='a' id='b' speed='1f'/>"), Contains("duplicate attribute"));
  CHECK_THAT(error_in_zone("words"), Contains("text \"") && Contains("expected elements only"));
  CHECK_THAT(error_in_zone("<host id='\xE9' speed='1f'/>"), Contains("not well-formed (invalid"));
  CHECK_THAT(error(std::string("<?xml version='1.0' encoding='UTF-16'?>") + "<platform/>"),
             StartsWith("no error"));
}

TEST_CASE("no control character gets into a name") {
  CHECK_THAT(error_in_zone("<host id='a&#27;[31m' speed='1f'/>"), Contains("invalid character"));
  for (const char* id : {"a&#9;b", "a&#127;b", "a&#155;31m"})
    CHECK_THAT(error_in_zone("<host id='" + std::string(id) + "' speed='1f'/>"),
               Contains("<host>: id: has a control character"));
  CHECK_THAT(error_in_zone("<host id='n\xC3\xA9' speed='1f'/>"), StartsWith("no error"));
}

std::string cluster(const std::string& radical, const std::string& more = "") {
  return "<platform version='4.1'><cluster id='c' prefix='n' suffix='' speed='1Gf' bw='1Bps' "
         "lat='0' radical='" +
         radical + "' " + more + "/></platform>";
}

TEST_CASE("the hosts of clusters count, and a million are too many") {
  CHECK_THAT(error(cluster("0-131071")), StartsWith("no error"));
  CHECK_THAT(error(cluster("0-131071,200000")),
             Equals("p.xml:1: <cluster>: makes 131073 hosts, expected at most 131072 in a "
                    "platform file"));
  CHECK_THAT(error(cluster("0-999999")), Contains("makes 1000000 hosts"));
  for (const char* radical : {"", "9-0", "a", "1-2-3", "-5", "0-9999999999", "1,,2"})
    CHECK_THAT(error(cluster(radical)),
               StartsWith("p.xml:1: <cluster>: radical: expected numbers and ranges"));
  std::string hosts;
  for (int i = 0; i < 8193; ++i) hosts += "<host id='h" + std::to_string(i) + "' speed='1f'/>";
  CHECK_THAT(error_in_zone(hosts), Contains("expected at most 8192 hosts, routers and zones in a "
                                            "zone of routing \"Full\""));
}

TEST_CASE("a cluster's topology is bounded, too") {
  const auto with = [](const std::string& topology, const std::string& parameters) {
    return error(
        cluster("0-15", "topology='" + topology + "' topo_parameters='" + parameters + "'"));
  };
  CHECK_THAT(with("FAT_TREE", "2;4,4;1,2;1,2"), StartsWith("no error"));
  CHECK_THAT(with("FAT_TREE", "2;4,4;1,1000000;1,2"), Contains("has more than 1000000 links"));
  CHECK_THAT(with("TORUS", "4,4"), StartsWith("no error"));
  CHECK_THAT(with("TORUS", "4000,4000"), Contains("has more than 1000000 links"));
  CHECK_THAT(with("DRAGONFLY", "2,1;2,1;2,1;2"), StartsWith("no error"));
  CHECK_THAT(with("DRAGONFLY", "1,1;1,1;100000,1;2"), Contains("has more than 1000000 links"));
  CHECK_THAT(with("TORUS", "4,-4"), Contains("topo_parameters: expected whole numbers above 0"));
  CHECK_THAT(with("TORUS", "4;4;x"), Contains("topo_parameters: expected whole numbers above 0"));
}

TEST_CASE("numbers that SimGrid would not check are checked") {
  CHECK_THAT(error_in_zone("<host id='h' speed='1f' core='0'/>"), Contains("core: expected"));
  CHECK_THAT(error_in_zone("<host id='h' speed='1f' core='-1'/>"), Contains("core: expected"));
  CHECK_THAT(error_in_zone("<host id='h' speed='1f' core='1e9'/>"), Contains("core: expected"));
  CHECK_THAT(error_in_zone("<host id='h' speed='1f,2f' pstate='2'/>"),
             Contains("pstate: expected"));
  CHECK_THAT(error_in_zone("<host id='h' speed='1f,2f' pstate='1'/>"), StartsWith("no error"));
}

// SimGrid's message for them is "stod", not always with the line.
TEST_CASE("numbers that SimGrid could not read are refused by name and line") {
  for (const std::string number : {"1e-320", "1e400", "-1e400", "1e-320Bps"})
    CHECK(error("<?xml version='1.0'?>\n\n<platform version='" + number + "'/>") ==
          "p.xml:3: <platform>: version: expected a number within double precision, got \"" +
              number + "\"");
  const auto peer = [](const std::string& coordinates) {
    return error_in_zone("<peer id='p' speed='1f' coordinates='" + coordinates + "'/>");
  };
  for (const std::string bad :
       {"0 1e-320 1", "0 1e400 1", "0 x 1", "0  1", "0 1", "0 1 2 3", "nan 0 1", "0 inf 1", " "})
    CHECK(peer(bad) == "p.xml:4: <peer>: coordinates: expected three numbers such as 0 1.5 2, " +
                           ("got \"" + bad + "\""));
  CHECK_THAT(peer("0 -1.5e-3 1"), StartsWith("no error"));
  CHECK_THAT(peer(""), StartsWith("no error"));
}

TEST_CASE("blanks may come before the declaration, and lines keep their numbers") {
  const std::string body = "<host id='h' speed='1f'/>";
  const std::string usual = kept(kHead + body + kTail);
  for (const std::string blanks : {"\n", " ", "\t\r\n \n", "<!-- first -->\n"}) {
    const auto lines = static_cast<std::size_t>(std::count(blanks.begin(), blanks.end(), '\n'));
    const std::string text = kept(std::string(blanks).append(kHead).append(body).append(kTail));
    const std::size_t zone = text.find("<platform");
    CHECK(text.substr(zone) == usual.substr(usual.find("<platform")));
    CHECK(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(zone), '\n') ==
          static_cast<std::ptrdiff_t>(lines + 2));
  }
  CHECK_THAT(error("x" + std::string(kHead) + body + kTail), Contains("not well-formed XML"));
}

/// What a hostile text is made of, beside what a good one has.
const std::vector<std::string> kPieces = {"<config id='General'>",
                                          "</config>",
                                          "<prop id='tracing' value='yes'/>",
                                          "<include file='/etc/passwd'/>",
                                          "<!-- ",
                                          " -->",
                                          "<![CDATA[",
                                          "]]>",
                                          "<!DOCTYPE platform [<!ENTITY e 'x'>]>",
                                          "&e;",
                                          "&#27;",
                                          "&amp;",
                                          "<?xml version='1.0'?>",
                                          "<?pi config?>",
                                          " state_file='x'",
                                          " core='4'",
                                          "<host id='h' speed='1f'>",
                                          "</host>",
                                          "<zone id='y' routing='Full'>",
                                          "</zone>",
                                          "<",
                                          ">",
                                          "\"",
                                          "'",
                                          "/",
                                          "=",
                                          "\n",
                                          "\x01",
                                          "\xC2",
                                          std::string(1, '\0')};

/// The names of all elements of a text, each once.
std::set<std::string> elements_in(const std::string& text) {
  std::set<std::string> found;
  for (std::size_t at = text.find('<'); at != std::string::npos; at = text.find('<', at + 1)) {
    const std::size_t begin = at + (text[at + 1] == '/' ? 2 : 1);
    found.insert(text.substr(begin, text.find_first_of(" >", begin) - begin));
  }
  return found;
}

TEST_CASE("whatever a file is made of, nothing but a topology comes out") {
  const std::string good = kHead +
                           std::string(
                               "<prop id='p' value='v'/><host id='a' speed='1f' core='2'/>"
                               "<link id='l' bandwidth='1Bps' latency='1us'/>") +
                           kTail;
  const std::set<std::string> taken = {"?xml", "!DOCTYPE", "platform", "zone", "host", "link"};
  std::minstd_rand random(1);
  const auto below = [&random](std::size_t end) { return random() % end; };
  int accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text = good;
    for (std::size_t changes = 1 + below(4); changes-- > 0;) {
      const std::size_t at = below(text.size());
      text.replace(at, below(2) * below(20), kPieces[below(kPieces.size())]);
    }
    const std::string result = error(text);
    if (result.rfind("no error: ", 0) != 0) continue;
    ++accepted;
    CAPTURE(text, result);
    const auto found = elements_in(result);
    REQUIRE(std::includes(taken.begin(), taken.end(), found.begin(), found.end()));
    REQUIRE(result.find('\x01') == std::string::npos);
    REQUIRE(result.find('\0') == std::string::npos);
  }
  CHECK(accepted > 100);
}

TEST_CASE("depth and length are bounded") {
  std::string zones = "<platform version='4.1'>";
  for (int i = 0; i < 100; ++i) zones += "<zone id='z' routing='Full'>";
  CHECK_THAT(error(zones), Contains("<zone>: nested too deeply, expected at most 64 elements"));
  CHECK_THAT(error_in_zone("<host speed='1f' id='" + std::string(70000, 'x') + "'/>"),
             Contains("<host>: id: is longer than 65536 bytes"));
}

}  // namespace
}  // namespace faultline::platform
