// Inputs that are whole in themselves: documents, tables and certificates.
#include <cmath>

#include "allclear/config/document/yaml.h"
#include "allclear/config/values/motion_file.h"
#include "allclear/core/input_error.h"
#include "allclear/core/text/json.h"
#include "allclear/exports/certificate_json.h"
#include "allclear/trajectories/trajectory_files.h"
#include "fuzz/targets.h"

namespace allclear::fuzz {
namespace {

const char kRows[] =
    "time,a,b,a_velocity,b_velocity,a_acceleration,b_acceleration\n"
    "0,0.1,-0.2,0,0,0,0\n0.5,0.4,1e-3,0.3,-0.2,1,2\n1.25,0.5,0.25,0,0,0,0\n";
/// Reads every value of a document in every way that it can be read.
void visit(const Value& value) {
  if (value.isList()) {
    for (const Value& item : value.items()) visit(item);
  } else if (value.isMap()) {
    for (const Value::Entry& entry : value.entries()) visit(entry.value);
  } else if (value.isNumber()) {
    require(std::isfinite(value.number()), "a number that is read is finite");
  }
}

/// A certificate with one of most things.
Certificate smallCertificate() {
  Certificate certificate{.trajectory = parseTrajectoryCsv(kRows, "rows.csv")};
  CertificatePair pair;
  pair.a = "hand";
  pair.b = "box";
  pair.cells = {{{0.0, 1.25}, 0.01, Vec3::UnitX()}};
  certificate.pairs = {pair};
  certificate.faults = {"none"};
  certificate.message = "Clear.";
  certificate.tool = "allclear 1.2.3";
  certificate.sent["csv"] = "00";
  return certificate;
}

}  // namespace

std::vector<Target> documentTargets() {
  return {
      {"yaml",
       [](std::string_view text) { visit(parseYaml(text, "x.yaml")); },
       {"examples/shelf/task.yaml", "tests/config/robot/full.yaml"}},
      {"json",
       [](std::string_view text) { visit(parseJson(text, "x.json")); },
       {},
       {"{\"a\": [1, -2.5e-3, true, null, \"\\u00e4\"], \"b\": {}}"}},
      {"motion",
       [](std::string_view text) { parseMotion(text, "x.csv"); },
       {"tests/config/robot/agv.csv"},
       {"time,x,y,z,qx,qy,qz,qw\n0,0,0,0,0,0,0,1\n1,1,2,3,0,0,1,0\n"}},
      {"certificate_json",
       [](std::string_view text) {
         const std::string again = formatCertificateJson(parseCertificateJson(text, "x.json"));
         require(formatCertificateJson(parseCertificateJson(again, "y.json")) == again,
                 "a certificate reads back to the bit");
       },
       {},
       {formatCertificateJson(smallCertificate())}},
  };
}

}  // namespace allclear::fuzz
