#pragma once

#include <string_view>

namespace allclear {

// The parts of a report's page, from exports/report/ and three.js, built into the library.
extern const std::string_view kReportPage;  ///< with @TITLE@, @STYLE@, @THREE@, @SCRIPT@, @DATA@
extern const std::string_view kReportStyle;
extern const std::string_view kReportScript;
extern const std::string_view kThreeScript;  ///< three.js, minified; empty in a build without it

}  // namespace allclear
