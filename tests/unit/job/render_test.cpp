// SPDX-License-Identifier: Apache-2.0
//
// Placing carets, cutting, counting, and the JSON form.
#include "config/job/render.hpp"

#include <memory>

namespace tidemark::config {
namespace {

Diagnostics with_text(const std::string& text) {
  Diagnostics out;
  out.add_file(std::make_shared<const SourceText>("job.toml", text));
  return out;
}

TEST(Render, carets_stand_under_the_words_behind_any_script) {
  Diagnostics diagnostics = with_text("\té世\xCC\x81 = bad\n");
  diagnostics.error("F000", {0, 1, 8, 3}, "text");
  EXPECT_EQ(render_text(diagnostics, diagnostics.items().front()),
            "job.toml:1:8: error[F000]: text\n"
            "    1 | \té世\xCC\x81 = bad\n"
            "      | \t      ^^^\n");
}

TEST(Render, control_characters_do_not_reach_the_terminal) {
  Diagnostics diagnostics = with_text("a = \x1b[31m\n");
  diagnostics.error("F000", {0, 1, 5, 1}, "a \x1b[31m\nkey").with_note("\x07");
  EXPECT_EQ(render_text(diagnostics, diagnostics.items().front()),
            "job.toml:1:5: error[F000]: a ?[31m?key\n"
            "    1 | a = ?[31m\n"
            "      |     ^\n"
            "   note: ?\n");
}

TEST(Render, long_lines_are_cut_around_the_place) {
  std::string line(500, 'x');
  line += "bad";
  line.resize(1003, 'y');
  Diagnostics diagnostics = with_text(line);
  diagnostics.error("F000", {0, 1, 501, 3}, "text").with_help("help");
  const std::string text = render_text(diagnostics, diagnostics.items().front());
  EXPECT_NE(text.find("    1 | …" + std::string(40, 'x') + "bad"), std::string::npos) << text;
  EXPECT_NE(text.find("      | " + std::string(41, ' ') + "^^^ help\n"), std::string::npos) << text;
}

TEST(Render, places_past_the_text_are_harmless) {
  Diagnostics diagnostics = with_text("a\n");
  diagnostics.error("F000", {0, 1, 90, 4}, "text");
  diagnostics.error("F000", {0, 77, 3, 4}, "text");
  diagnostics.error("F000", {5, 1, 1, 1}, "no file");
  EXPECT_NE(render_text(diagnostics).find("error[F000]: no file\n"), std::string::npos);
  EXPECT_FALSE(render_json(diagnostics).empty());
}

TEST(Render, sorted_capped_and_counted) {
  Diagnostics diagnostics = with_text("a\nb\n");
  for (int i = 0; i < 60; ++i) diagnostics.error("F000", {0, 2, 1, 1}, "late");
  diagnostics.warning("W000", {0, 1, 1, 1}, "early");
  const std::string text = render_text(diagnostics);
  EXPECT_TRUE(text.starts_with("job.toml:1:1: warning[W000]: early\n"));
  EXPECT_TRUE(text.ends_with("\n\n60 errors, 1 warning; the first 50 are shown\n"));
  size_t shown = 0;
  for (size_t at = text.find(": late"); at != std::string::npos; at = text.find(": late", at + 1)) ++shown;
  EXPECT_EQ(shown, kFindingsShownMax - 1);
  EXPECT_EQ(render_text(Diagnostics()), "");
}

TEST(Render, json_ranges_count_utf16_units_from_zero) {
  Diagnostics diagnostics = with_text("😀é = \"x\"\n");
  diagnostics.error("F003", {0, 1, 6, 3}, "say \"no\"\n").with_help("h").with_note("n1").with_note("n2");
  diagnostics.warning("W001", {0, 0, 0, 0}, "whole file");
  EXPECT_EQ(
      render_json(diagnostics),
      "[\n"
      "  "
      "{\"file\":\"job.toml\",\"range\":{\"start\":{\"line\":0,\"character\":0},\"end\":{\"line\":0,\"character\":0}},"
      "\"severity\":\"warning\",\"code\":\"W001\",\"source\":\"tidemark\",\"message\":\"whole file\",\"help\":\"\","
      "\"notes\":[]},\n"
      "  "
      "{\"file\":\"job.toml\",\"range\":{\"start\":{\"line\":0,\"character\":6},\"end\":{\"line\":0,\"character\":9}},"
      "\"severity\":\"error\",\"code\":\"F003\",\"source\":\"tidemark\",\"message\":\"say \\\"no\\\"\\u000a\","
      "\"help\":\"h\",\"notes\":[\"n1\",\"n2\"]}\n"
      "]\n");
  EXPECT_EQ(render_json(Diagnostics()), "[]\n");
}

}  // namespace
}  // namespace tidemark::config
