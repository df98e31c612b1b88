#include "study/speed_figure.h"

#include "report/drawing.h"
#include "support/file.h"

#include <nlohmann/json.hpp>

using namespace arks;
using namespace arks::study;
using namespace arks::testing;

namespace {

/// The document of a real run.
std::string benchmark() {
  return read_file(std::filesystem::path(ARKS_DOCS_FOLDER) / "benchmark.json");
}

/// A document with one comparison of three rounds: ratios 10, 3 and 6.
nlohmann::json small_document() {
  return {{"date", "2026-11-16T10:53:02Z"},
          {"machine", {{"cpu", "a processor"}, {"threads", 1}}},
          {"comparisons",
           {{{"work", "ARKS batch, Fashion-MNIST, 256"},
             {"against", "as published"},
             {"ours_seconds", 1.0},
             {"theirs_seconds", 6.0},
             {"ratio", 6.0},
             {"at_least", 5.0},
             {"aim", 8.0},
             {"rounds", 3}}}},
          {"benchmarks",
           {{{"name", "ours"}, {"median_seconds", 1.0}, {"seconds", {1.0, 2.0, 0.5}}},
            {{"name", "theirs"}, {"median_seconds", 8.0}, {"seconds", {10.0, 8.0, 3.0}}},
            {{"name", "others"}, {"median_seconds", 6.0}, {"seconds", {10.0, 6.0, 3.0}}}}}};
}

SpeedRatio only(const nlohmann::json& document) {
  const auto ratios = read_speed_ratios(document.dump(), "bench.json");
  EXPECT_EQ(ratios.size(), 1);
  return ratios.at(0);
}

void refuses(const nlohmann::json& document, const std::string& message) {
  expect_error([&] { read_speed_ratios(document.dump(), "bench.json"); }, message);
}

}  // namespace

TEST(SpeedFigure, ReadsTheDocumentOfARun) {
  const auto document = nlohmann::json::parse(benchmark());
  const auto ratios = read_speed_ratios(benchmark(), "benchmark.json");
  ASSERT_EQ(ratios.size(), document["comparisons"].size());
  EXPECT_EQ(ratios[0].name, "ARKS batch, Fashion-MNIST, 256 images, against the code as published");
  for (size_t i = 0; i < ratios.size(); ++i) {
    const auto& entry = document["comparisons"][i];
    EXPECT_EQ(ratios[i].ratio, entry["ratio"]);
    EXPECT_EQ(ratios[i].ours_seconds, entry["ours_seconds"]);
    EXPECT_EQ(ratios[i].theirs_seconds, entry["theirs_seconds"]);
    EXPECT_EQ(ratios[i].least.value_or(0), entry.value("at_least", 0.0));
    EXPECT_EQ(ratios[i].aim.value_or(0), entry.value("aim", 0.0));
    EXPECT_EQ(ratios[i].rounds, entry["rounds"]);
    EXPECT_EQ(ratios[i].is_share, entry["against"] == "sgemm 2048³");
    ASSERT_TRUE(ratios[i].lowest_round) << ratios[i].name;
    EXPECT_LE(*ratios[i].lowest_round, ratios[i].ratio);
    EXPECT_GE(*ratios[i].highest_round, ratios[i].ratio);
    EXPECT_EQ(ratios[i].name.find("its "), std::string::npos) << "a name stands for itself";
  }
}

TEST(SpeedFigure, SaysWhatBelongsToWhat) {
  auto document = small_document();
  document["comparisons"].push_back(document["comparisons"][0]);
  document["comparisons"][1]["work"] = "its inner step";
  document["comparisons"].push_back(document["comparisons"][0]);
  document["comparisons"][2]["work"] = "ARKS batch, ResNet-20, 128, eval";
  document["comparisons"][2]["against"] = "something new";
  const auto ratios = read_speed_ratios(document.dump(), "bench.json");
  EXPECT_EQ(ratios[1].name, "ARKS inner step, Fashion-MNIST, 256 images, against the code as published");
  EXPECT_EQ(ratios[2].name, "ARKS batch, ResNet-20, 128 images, evaluation mode, against something new");
}

TEST(SpeedFigure, AShareIsCalledAShare) {
  auto document = small_document();
  auto& entry = document["comparisons"][0];
  entry["against"] = "sgemm 2048³";
  entry["ours_gflops"] = 60.0;
  entry["theirs_gflops"] = 50.0;
  const auto share = only(document);
  EXPECT_TRUE(share.is_share);
  EXPECT_EQ(share.name, "ARKS batch, Fashion-MNIST, 256 images, as a share of the speed of sgemm 2048³");
  const TemporaryFolder folder;
  write_speed_figure({folder / "a.svg"}, {share}, "");
  const auto text = read_file(folder / "a.svg");
  EXPECT_EQ(count(text, "<text>600 %</text>"), 1);
  EXPECT_EQ(count(text, "6.0×"), 0);
  EXPECT_EQ(count(text, "Not a speed-up: operations per second, 1 = those of sgemm 2048³"), 1);
}

TEST(SpeedFigure, FindsTheRoundsOfAComparisonByItsMedians) {
  auto document = small_document();
  const auto ratio = only(document);
  EXPECT_EQ(ratio.lowest_round, 3);
  EXPECT_EQ(ratio.highest_round, 10);
  document["comparisons"][0]["ratio"] = 5.9;  // as of a run whose rounds were others
  EXPECT_FALSE(only(document).lowest_round);
  document = small_document();
  document["benchmarks"].erase(2);
  EXPECT_FALSE(only(document).lowest_round);
  document.erase("benchmarks");
  EXPECT_FALSE(only(document).highest_round);
}

TEST(SpeedFigure, RefusesADocumentWithoutComparisons) {
  expect_error([] { read_speed_ratios("{", "bench.json"); }, "bench.json: not a JSON document");
  refuses(nlohmann::json::object(), "bench.json: has no 'comparisons'; script/bench --json writes them");
  refuses(nlohmann::json::array(), "bench.json: has no 'comparisons'");
  refuses({{"comparisons", nlohmann::json::array()}}, "bench.json: has no 'comparisons'");
  refuses({{"comparisons", {1}}}, "bench.json: comparison 1: expected an object");
}

TEST(SpeedFigure, RefusesAComparisonThatLacksAKey) {
  for (const char* key : {"work", "against", "ratio", "ours_seconds", "theirs_seconds"}) {
    auto document = small_document();
    document["comparisons"][0].erase(key);
    refuses(document, c10::str("bench.json: comparison 1 lacks '", key, "'"));
  }
  auto document = small_document();
  document["comparisons"][0]["ratio"] = "fast";
  refuses(document, "bench.json: comparison 1: 'ratio' must be a number > 0, got \"fast\"");
  document["comparisons"][0]["ratio"] = -1;
  refuses(document, "bench.json: comparison 1: 'ratio' must be a number > 0, got -1");
  document["comparisons"][0]["work"] = 7;
  refuses(document, "bench.json: comparison 1: 'work' must be a string, got 7");
}

TEST(SpeedFigure, TheFootnoteNamesMachineAndDate) {
  EXPECT_EQ(speed_footnote(small_document().dump(), "bench.json"), "a processor, 1 thread, 2026-11-16");
  const auto real = speed_footnote(benchmark(), "benchmark.json");
  const auto document = nlohmann::json::parse(benchmark());
  EXPECT_NE(real.find(document["machine"]["cpu"].get<std::string>()), std::string::npos) << real;
  EXPECT_NE(real.find(document["date"].get<std::string>().substr(0, 10)), std::string::npos) << real;
  expect_error([] { speed_footnote("{}", "bench.json"); }, "bench.json: has neither 'machine' nor 'date'");
  expect_error([] { speed_footnote("", "bench.json"); }, "bench.json: not a JSON document");
}

TEST(SpeedFigure, IsDrawnAsPngAndSvg) {
  const TemporaryFolder folder;
  const auto ratios = read_speed_ratios(benchmark(), "benchmark.json");
  write_speed_figure({folder / "a.png", folder / "a.svg"}, ratios, "a footnote");
  EXPECT_GT(png_size(folder / "a.png").first, 900);
  EXPECT_LT(std::filesystem::file_size(folder / "a.png"), 100'000);
  const auto text = read_file(folder / "a.svg");
  EXPECT_EQ(count(text, "…"), 0) << "no label is cut";
  for (const char* once : {"a footnote", "minimum that was required", "Against the code as published"}) {
    EXPECT_EQ(count(text, c10::str("<text>", once, "</text>")), 1) << once;
  }
  expect_error([&] { write_speed_figure({folder / "b.png"}, {}, ""); }, "speed figure: no comparisons to draw");
}

TEST(SpeedFigure, IsATableToo) {
  EXPECT_EQ(speed_csv({only(small_document())}),
            "name,work,against,kind,ratio,lowest_round,highest_round,least,aim,ours_seconds,theirs_seconds,rounds\r\n"
            "\"ARKS batch, Fashion-MNIST, 256 images, against the code as published\","
            "\"ARKS batch, Fashion-MNIST, 256 images\",the code as published,ratio,6,3,10,5,8,1,6,3\r\n");
  auto bare = small_document();
  for (const char* key : {"at_least", "aim", "rounds"}) bare["comparisons"][0].erase(key);
  bare.erase("benchmarks");
  const auto text = speed_csv({only(bare)});
  EXPECT_NE(text.find(",ratio,6,,,,,1,6,\r\n"), std::string::npos) << text;
}
