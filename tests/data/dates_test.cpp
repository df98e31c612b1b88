#include "data/dates.h"
#include "support/testing.h"

namespace arks {

using testing::expect_error;

TEST(Dates, CountsDays) {
  EXPECT_EQ(parse_date("1970-01-01", "Y-M-D"), 0.0);
  EXPECT_EQ(parse_date("2000-02-29", "Y-M-D"), 11016.0);  // date -ud 2000-02-29 +%s, divided by 86,400
  EXPECT_EQ(parse_date("2024-12-31", "Y-M-D"), 20088.0);
  EXPECT_EQ(parse_date("1900-03-01", "Y-M-D"), -25508.0);
  EXPECT_EQ(parse_date("31.12.2024", "D.M.Y"), 20088.0);
  EXPECT_EQ(parse_date("12/31/2024", "M/D/Y"), 20088.0);
  EXPECT_EQ(parse_date("2024/12/31", "Y-M-D"), 20088.0);
}

TEST(Dates, KnowsTheNamesOfMonths) {
  EXPECT_EQ(parse_date("31-Dec-2024", "D-N-Y"), 20088.0);
  EXPECT_EQ(parse_date("31-DEC-24", "D-N-y"), 20088.0);
  EXPECT_EQ(parse_date("31 December 2024", "D N Y"), 20088.0);
  EXPECT_EQ(parse_date("1-may-1970 06:00", "D-N-Y"), 120.25);
  for (const char* text : {"31-Dez-2024", "31-De-2024", "31-Decem-2024", "31--2024", "30-Feb-2024", "31-Dec-24"}) {
    EXPECT_FALSE(parse_date(text, "D-N-Y")) << text;
  }
  EXPECT_EQ(find_date_format({"01-Jan-2024", "31-Mar-2024"}, "x"), "D-N-Y");
  EXPECT_EQ(find_date_format({"01-Jan-24", "31-Mar-24"}, "x"), "D-N-y");
}

TEST(Dates, TakesTheTimeOfDay) {
  EXPECT_EQ(parse_date("1970-01-01T12:00", "Y-M-D"), 0.5);
  EXPECT_DOUBLE_EQ(*parse_date("1970-01-02 06:00:30.5", "Y-M-D"), 1.25 + 30.5 / 86400);
  EXPECT_EQ(parse_date("1970-01-01T12:00:00Z", "Y-M-D"), 0.5);
  EXPECT_EQ(parse_date("1970-01-01T14:00:00+02:00", "Y-M-D"), 0.5);
  EXPECT_EQ(parse_date("1970-01-01T10:30-01:30", "Y-M-D"), 0.5);
  for (const char* zone : {" UTC", " GMT", "UTC", "Z", " Z"}) {
    EXPECT_EQ(parse_date("1970-01-01 12:00:00" + std::string(zone), "Y-M-D"), 0.5) << zone;
  }
  EXPECT_FALSE(parse_date("1970-01-01 12:00 CET", "Y-M-D"));
  EXPECT_FALSE(parse_date("1970-01-01 12:00 UTC+1", "Y-M-D"));
}

TEST(Dates, TakesTwelveHoursAndShortYears) {
  EXPECT_EQ(parse_date("1/2/1970 12:00 AM", "M/D/Y"), 1.0);
  EXPECT_EQ(parse_date("1/2/1970 6:00:00 pm", "M/D/Y"), 1.75);
  EXPECT_EQ(parse_date("1/2/1970 12:00PM", "M/D/Y"), 1.5);
  for (const char* text : {"1/2/1970 13:00 PM", "1/2/1970 0:30 AM", "1/2/1970 1:00 A", "1/2/1970 1:00 XM"}) {
    EXPECT_FALSE(parse_date(text, "M/D/Y")) << text;
  }
  EXPECT_EQ(parse_date("31.12.24", "D.M.y"), 20088.0);
  EXPECT_EQ(parse_date("1/1/70", "M/D/y"), 0.0);
  EXPECT_EQ(parse_date("1/1/69", "D/M/y"), 36160.0);  // date -ud 2069-01-01 +%s, divided by 86,400
  EXPECT_FALSE(parse_date("31.12.2024", "D.M.y"));
}

TEST(Dates, KnowsWhatIsNone) {
  for (const char* text : {"2023-02-29", "2024-13-01", "2024-00-10", "24-01-01", "2024-01-01x", "2024-01-01 25:00",
                           "2024-01-01T12", "2024-1", "", "today"}) {
    EXPECT_FALSE(parse_date(text, "Y-M-D")) << text;
  }
}

TEST(Dates, FindsTheFormat) {
  EXPECT_EQ(find_date_format({"2024-01-02", "2024-01-03 12:00"}, "a"), "Y-M-D");
  EXPECT_EQ(find_date_format({"1/2/2024", "13/2/2024"}, "a"), "D/M/Y");
  EXPECT_EQ(find_date_format({"1/2/2024", "2/13/2024"}, "a"), "M/D/Y");
  EXPECT_EQ(find_date_format({"31/1/24", "1/2/24"}, "a"), "D/M/y");
  EXPECT_EQ(find_date_format({"1/2/2024", "3/4/2024"}, "a", /*day_first=*/true), "D/M/Y");
  EXPECT_EQ(find_date_format({"1/2/2024", "3/4/2024"}, "a", /*day_first=*/false), "M/D/Y");
  EXPECT_EQ(find_date_format({"1/2/2024", "2/13/2024"}, "a", /*day_first=*/true), "M/D/Y") << "it can be nothing else";
  EXPECT_FALSE(find_date_format({"2024-01-02", "x"}, "a"));
  EXPECT_FALSE(find_date_format({}, "a"));
  expect_error(
      [] {
        find_date_format({"1/2/2024", "3/4/2024"}, "t.csv: column 'd'");
      },
      "t.csv: column 'd' holds dates such as '1/2/2024', in which day and month cannot be told apart");
}

TEST(Dates, FindsTheFormatOfOthers) {
  EXPECT_EQ(date_format_like({"2024-01-02"}, "Y-M-D", "a"), "Y-M-D");
  EXPECT_EQ(date_format_like({"1/2/2024", "3/4/2024"}, "M/D/Y", "a"), "M/D/Y") << "the usual one if it fits";
  EXPECT_EQ(date_format_like({"1/2/2024", "13/4/2024"}, "M/D/Y", "a"), "D/M/Y") << "and what else can be";
  EXPECT_EQ(date_format_like({"1/2/2024", "3/4/2024"}, "D.M.Y", "a"), "D/M/Y") << "the usual order";
  EXPECT_EQ(date_format_like({"1/2/24", "3/4/24"}, "M/D/Y", "a"), "M/D/y");
  EXPECT_EQ(date_format_like({"1.2.2024", "3.4.2024"}, "Y-M-D", "a"), "D.M.Y") << "months never come first there";
  EXPECT_EQ(date_format_like({"1.2.2024", "3.4.2024", "x"}, "Y-M-D", "a"), "D.M.Y") << "of most";
  EXPECT_EQ(date_format_like({"x", "y"}, "D/M/Y", "a"), "D/M/Y");
  EXPECT_EQ(date_format_like({}, "D/M/Y", "a"), "D/M/Y");
  expect_error(
      [] {
        date_format_like({"1/2/2024", "3/4/2024"}, "Y-M-D", "f.csv: column 'd'");
      },
      "f.csv: column 'd' holds dates such as '1/2/2024', in which day and month cannot be told apart; write "
      "them as in training, Y-M-D");
}

}  // namespace arks
