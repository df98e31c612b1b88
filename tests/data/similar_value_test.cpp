#include "data/similar_value.h"
#include "support/testing.h"

namespace arks {

TEST(SimilarValue, IsTheOneThatWasMeant) {
  const std::vector<std::string> cities{"Aachen", "Bonn", "Köln", "Sankt Augustin"};
  const std::vector<std::pair<std::string, std::string>> meant{
      {"köln", "Köln"}, {"KÖLN", "Köln"},      {"Koeln", "Köln"},    {"Koln", "Köln"},
      {"Bon", "Bonn"},  {"Aa chen", "Aachen"}, {"aachne", "Aachen"}, {"Sankt-Augustin", "Sankt Augustin"}};
  for (const auto& [text, value] : meant) EXPECT_EQ(similar_value(text, cities), value) << text;
  for (const char* none : {"Berlin", "Ulm", "B", "", "Bern", "Bonn 2", "Hamburg"}) {
    EXPECT_FALSE(similar_value(none, cities)) << none;
  }
  const std::vector<std::string> codes{"A10", "B7", "m", "Sensor 12"};
  for (const char* none : {"A11", "A1", "B8", "w", "Sensor 13"}) EXPECT_FALSE(similar_value(none, codes)) << none;
  EXPECT_EQ(similar_value("a-10", codes), "A10");
  EXPECT_EQ(similar_value("sensor12", codes), "Sensor 12");
  EXPECT_EQ(similar_value("M", codes), "m");
  EXPECT_FALSE(similar_value("\xff\xfe", codes)) << "no UTF-8";
}

}  // namespace arks
