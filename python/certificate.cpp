// Certificates: made, verified, read and written.
#include "allclear/exports/certificate_json.h"
#include "allclear/exports/output_files.h"
#include "allclear/exports/report.h"
#include "allclear/python/bindings.h"

namespace allclear::python {
namespace {

using Shared = std::shared_ptr<Certificate>;

Shared certified(const Problem& problem, const NamedTrajectory& trajectory, bool widest_tube) {
  const std::vector<Finding> findings = validate(problem);
  if (!findings.empty()) throw InputError({problem.source_file, 0, "", ""}, findings[0].message);
  const NamedTrajectory ordered =
      arranged(trajectory, plannedNames(problem), {"", 0, "trajectory: joints", ""});
  CertificateOptions options;
  options.cover.widest_tube = widest_tube;
  options.reading = ordered.assumptions;
  return std::make_shared<Certificate>(
      certify(problem, ordered.trajectory, ordered.wrenchCurve(), options));
}

std::pair<bool, std::string> verified(const Problem& problem, const Certificate& certificate) {
  const std::string sent_fault = sentFault(problem, certificate);
  if (!sent_fault.empty()) return {false, sent_fault};
  const CertificateVerdict verdict = verifyCertificate(problem, certificate);
  return {verdict.valid, verdict.message};
}

py::list limitsOf(const Certificate& certificate) {
  py::list out;
  for (const CertifiedLimit& limit : certificate.limits) {
    py::dict row;
    row["subject"] = limit.subject;
    row["quantity"] = limit.quantity;
    row["bounds"] = py::make_tuple(limit.lower, limit.upper);
    row["limits"] = py::make_tuple(limit.lower_limit, limit.upper_limit);
    row["t"] = limit.t;
    row["kept"] = limit.kept;
    out.append(row);
  }
  return out;
}

py::object tubeOf(const Certificate& certificate) {
  if (!certificate.tube) return py::none();
  const ProvenTube& tube = *certificate.tube;
  py::dict out;
  out["joints_to_contact"] = tube.joints_to_contact;
  out["joints_to_margin"] = tube.joints_to_margin;
  out["factor_to_contact"] = tube.factor_to_contact;
  out["factor_to_margin"] = tube.factor_to_margin;
  out["at"] = py::make_tuple(tube.closest_a, tube.closest_b, tube.closest_t);
  return out;
}

py::list closestPairsOf(const Certificate& certificate) {
  py::list out;
  for (const RankedPair& pair : certificate.closest_pairs) {
    py::dict row;
    row["a"] = pair.a;
    row["b"] = pair.b;
    row["distance"] = py::make_tuple(pair.distance.lower, pair.distance.upper);
    row["margin"] = pair.margin;
    row["t"] = pair.t;
    out.append(row);
  }
  return out;
}

py::object torqueUseOf(const Certificate& certificate) {
  if (!certificate.torque_beyond_rating) return py::none();
  const TorqueUse& use = *certificate.torque_beyond_rating;
  py::dict out;
  out["joint"] = use.joint;
  out["torque"] = use.torque;
  out["effort"] = use.effort;
  out["t"] = use.t;
  return out;
}

py::list assumptionsOf(const Certificate& certificate) {
  py::list out;
  for (const Assumption& a : certificate.assumptions) out.append(py::make_tuple(a.kind, a.text));
  return out;
}

py::list exemptOf(const Certificate& certificate) {
  py::list out;
  for (const ExemptPair& pair : certificate.exempt_pairs) {
    out.append(py::make_tuple(pair.a, pair.b, pair.reason));
  }
  return out;
}

/// The text of the proof; an error where the simpler bound of a proof does not suffice.
std::string proofOf(const Problem& problem, const Certificate& certificate) {
  if (!certificate.clear) {
    throw InputError({"", 0, "certificate", ""},
                     "there is no proof of a trajectory that is not certified");
  }
  const Proof proof = makeProof(problem, certificate);
  if (!proof.unproven.empty()) throw InputError(incompleteProof("proof", proof));
  return proof.text;
}

}  // namespace

void addCertificate(py::module_& module) {
  py::class_<Certificate, Shared>(module, "Certificate")
      .def_readonly("clear", &Certificate::clear)
      .def_readonly("message", &Certificate::message)
      .def_readonly("margin", &Certificate::margin)
      .def_readonly("faults", &Certificate::faults)
      .def_readonly("not_covered", &Certificate::not_covered)
      .def_readonly("static_contacts", &Certificate::static_contacts)
      .def_readonly("valid_until", &Certificate::valid_until)
      .def_readonly("covered_until", &Certificate::covered_until)
      .def_readonly("trajectory_sha256", &Certificate::trajectory_sha256)
      .def_property_readonly(
          "minimum_clearance",
          [](const Certificate& c) {
            return std::pair{c.minimum_clearance.lower, c.minimum_clearance.upper};
          })
      .def_property_readonly("closest",
                             [](const Certificate& c) {
                               return std::tuple{c.closest_a, c.closest_b, c.closest_t};
                             })
      .def_property_readonly("closest_pairs", &closestPairsOf)
      .def_property_readonly("torque_beyond_rating", &torqueUseOf)
      .def_property_readonly("assumptions", &assumptionsOf)
      .def_property_readonly("assumes", &assumptionsInBrief)
      .def_property_readonly("exempt_pairs", &exemptOf)
      .def_property_readonly("limits", &limitsOf)
      .def_property_readonly("tube", &tubeOf)
      .def_property_readonly(
          "trajectory",
          [](const Certificate& c) { return std::make_shared<NamedTrajectory>(c.trajectory); })
      .def("json", &formatCertificateJson)
      .def(
          "write",
          [](const Certificate& c, const std::filesystem::path& path) {
            writeCertificateJson(path, c);
          },
          py::arg("path"))
      .def(
          "proof", [](const Certificate& c, const Problem& p) { return proofOf(p, c); },
          py::arg("problem"), WithoutGil())
      .def(
          "report",
          [](const Certificate& c, const Problem& p) { return formatTrajectoryReport(p, c); },
          py::arg("problem"), WithoutGil());
  module.def("certify", &certified, py::arg("problem"), py::arg("trajectory"), py::arg("tube"),
             WithoutGil());
  module.def("verify", &verified, py::arg("problem"), py::arg("certificate"), WithoutGil());
  module.def(
      "load_certificate",
      [](const std::filesystem::path& path) {
        return std::make_shared<Certificate>(readCertificateJson(path));
      },
      py::arg("path"), WithoutGil());
}

}  // namespace allclear::python
