#include "allclear/exports/certificate_json.h"

#include <gtest/gtest.h>

#include "allclear/core/input_error.h"
#include "allclear/exports/output_files.h"
#include "allclear/exports/output_settings.h"
#include "planner/certificate/certificate_fixture.h"

namespace allclear {
namespace {

using test::armTask;
using test::boxAt;
using test::boxScene;
using test::loadText;
using test::Random;
using test::splineOf;

const char* kAcross = "{lift: 0.1, shoulder: 1.2, elbow: -0.5, wrist: 0.5}";

class CertificateFile : public testing::Test {
 protected:
  CertificateFile()
      : problem_(
            loadText(armTask(kAcross, boxScene(boxAt("box", {0.1, 0.1, 0.1}, {0.7, 0.6, 0.45}))))) {
    Random random(11);
    trajectory_ = splineOf(problem_, 4.0, random, 0.05);
    certificate_ = certify(problem_, *trajectory_);
  }

  static std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }

  Problem problem_;
  std::optional<Trajectory> trajectory_;
  std::optional<Certificate> certificate_;
};

TEST_F(CertificateFile, ReadsBackToTheBitAndIsStillValid) {
  const std::string text = formatCertificateJson(*certificate_);
  const Certificate back = parseCertificateJson(text, "c.json");
  EXPECT_EQ(formatCertificateJson(back), text);
  const CertificateVerdict verdict = verifyCertificate(problem_, back);
  EXPECT_TRUE(verdict.valid) << verdict.message;
}

TEST_F(CertificateFile, SoDoesOneWithATube) {
  CertificateOptions options;
  options.cover.widest_tube = true;
  Certificate certificate = certify(problem_, *trajectory_, options);
  ASSERT_TRUE(certificate.tube && std::isfinite(certificate.tube->joints_to_contact));
  EXPECT_TRUE(std::isinf(certificate.tube->factor_to_contact));  // nothing is uncertain
  const std::string text = formatCertificateJson(certificate);
  const Certificate back = parseCertificateJson(text, "c.json");
  EXPECT_EQ(formatCertificateJson(back), text);
  EXPECT_EQ(back.tube->joints_to_margin, certificate.tube->joints_to_margin);
  EXPECT_TRUE(verifyCertificate(problem_, back).valid);
}

TEST_F(CertificateFile, SoDoesOneThatIsNotClear) {
  problem_.obstacles[0].X_WO.p = {0.5, 0.3, 0.6};
  const Certificate refused = certify(problem_, *trajectory_);
  ASSERT_FALSE(refused.clear);
  const std::string text = formatCertificateJson(refused);
  EXPECT_EQ(formatCertificateJson(parseCertificateJson(text, "c.json")), text);
}

TEST_F(CertificateFile, BrokenFilesAreInputErrorsThatNameTheKey) {
  const std::string text = formatCertificateJson(*certificate_);
  const auto complaint = [](const std::string& broken) -> std::string {
    try {
      parseCertificateJson(broken, "c.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(complaint(text.substr(0, text.size() / 2)).find("is not valid JSON: it ends too early"),
            std::string::npos);
  EXPECT_EQ(complaint(""), "c.json: is empty");
  EXPECT_EQ(complaint(replaced(text, "\"clear\": true", "\"clear\": 1")),
            "c.json:5: clear: '1': must be true or false");
  EXPECT_EQ(complaint(replaced(text, "\"margin\"", "\"margni\"")), "c.json:1: 'margin' is missing");
  EXPECT_EQ(complaint(replaced(text, "\"tolerance\"", "\"margin\"")),
            "c.json:10: key 'margin' is given twice, first on line 9");
  EXPECT_EQ(complaint(replaced(text, "\"degree\":5", "\"degree\":99")),
            "c.json:13: trajectory.degree: '99': must be between 1 and 15");
  EXPECT_NE(complaint(replaced(text, "[[0.0,", "[[null,")).find("pairs[0].cells[0][0]"),
            std::string::npos);
  EXPECT_NE(complaint(std::string(100000, '[')), "");
  EXPECT_NE(complaint("[]"), "");
  EXPECT_NE(complaint(replaced(text, "allclear_trajectory", "x")), "");
}

TEST_F(CertificateFile, OutputFilesAreWrittenAndReadBack) {
  const test::TaskFolder folder;
  OutputSettings output;
  output.csv = "plan.csv";
  output.trajectory = "plan.json";
  output.certificate = "certificate.json";
  output.proof = "plan.proof";
  output.ros2 = "ros2.yaml";
  output.rate = 100.0;
  std::vector<std::string> warnings;
  const auto written =
      writeOutputFiles(output, folder.path(), problem_, *trajectory_, &*certificate_, &warnings);
  EXPECT_EQ(written.size(), 5u);
  EXPECT_TRUE(warnings.empty());
  for (const auto& path : written) EXPECT_TRUE(std::filesystem::exists(path)) << path;
  const NamedTrajectory exact = readTrajectoryFile(folder.path() / "plan.json", problem_);
  EXPECT_TRUE(isSameTrajectory(exact, certificate_->trajectory));
  const NamedTrajectory rows = readTrajectoryFile(folder.path() / "plan.csv", problem_);
  EXPECT_EQ(rows.trajectory.spanCount(), 400);
  const Certificate of_rows = certify(problem_, rows.trajectory);
  EXPECT_TRUE(of_rows.clear) << of_rows.message;
  EXPECT_TRUE(
      verifyCertificate(problem_, readCertificateJson(folder.path() / "certificate.json")).valid);
}

}  // namespace
}  // namespace allclear
