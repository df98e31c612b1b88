#include "data/dates.h"

#include "data/csv_cell.h"
#include "support/text.h"

#include <arks/support/error.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <numeric>

namespace arks {

namespace {

constexpr const char* kFormats[] = {"Y-M-D", "D.M.Y", "D/M/Y", "M/D/Y", "D.M.y",
                                    "D/M/y", "M/D/y", "D-N-Y", "D-N-y", "D N Y"};

/// Takes pieces off the front of a text.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : rest_(text) {}

  /// A whole number of `least` to `most` digits; −1 where there is none.
  int number(size_t least, size_t most) {
    size_t digits = 0;
    int value = 0;
    while (digits < most && digits < rest_.size() && rest_[digits] >= '0' && rest_[digits] <= '9') {
      value = 10 * value + (rest_[digits++] - '0');
    }
    if (digits < least) return -1;
    rest_.remove_prefix(digits);
    return value;
  }
  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool take(std::string_view word) {
    if (rest_.substr(0, word.size()) != word) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  /// An English name of a month, or its first three letters; −1 where there is none.
  int month() {
    constexpr std::string_view kNames[] = {"january", "february", "march",     "april",   "may",      "june",
                                           "july",    "august",   "september", "october", "november", "december"};
    const auto letters = static_cast<size_t>(std::find_if_not(rest_.begin(), rest_.end(), is_letter) - rest_.begin());
    const auto word = lower_case(std::string(rest_.substr(0, letters)));
    for (int i = 0; i < 12; ++i) {
      if (word != kNames[i] && word != kNames[i].substr(0, 3)) continue;
      rest_.remove_prefix(letters);
      return i + 1;
    }
    return -1;
  }
  bool done() const { return rest_.empty(); }
  size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

bool is_leap(int year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

/// None for a day that does not exist.
std::optional<int> days_since_1970(int year, int month, int day) {
  constexpr int kBefore[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
  if (year < 1 || month < 1 || month > 12 || day < 1) return std::nullopt;
  const int leap_day = is_leap(year) ? 1 : 0;
  const int length = kBefore[month] - kBefore[month - 1] + (month == 2 ? leap_day : 0);
  if (day > length) return std::nullopt;
  const int past = year - 1;  // whole years before this one, in each of which 365 days and perhaps a leap day
  const int before_year = 365 * past + past / 4 - past / 100 + past / 400;
  constexpr int kFirstDay = 719162;  // of 1970, counted in the same way
  return before_year + kBefore[month - 1] + (month > 2 ? leap_day : 0) + day - 1 - kFirstDay;
}

/// "AM" or "PM" behind an hour of 1 to 12; none where that makes no sense.
std::optional<int> hour_of_day(Pieces& pieces, int hours) {
  pieces.take(' ');
  const bool morning = pieces.take('A') || pieces.take('a');
  const bool evening = !morning && (pieces.take('P') || pieces.take('p'));
  if (!morning && !evening) return hours;
  if (hours < 1 || hours > 12 || !(pieces.take('M') || pieces.take('m'))) return std::nullopt;
  return hours % 12 + (evening ? 12 : 0);
}

/// "14:30", "14:30:05.25", "2:30 PM", then "Z", "UTC" or "+02:00", as a part of a day; none where the text is another.
std::optional<double> time_of_day(Pieces& pieces) {
  const int hours = pieces.number(1, 2);
  if (hours < 0 || hours > 24 || !pieces.take(':')) return std::nullopt;
  const int minutes = pieces.number(2, 2);
  if (minutes < 0 || minutes > 59) return std::nullopt;
  double seconds = 0;
  if (pieces.take(':')) {
    const int whole = pieces.number(2, 2);
    if (whole < 0 || whole > 60) return std::nullopt;
    seconds = whole;
    if (pieces.take('.')) {
      double unit = 0.1;
      while (!pieces.done()) {
        const int digit = pieces.number(1, 1);
        if (digit < 0) break;
        seconds += unit * digit;
        unit /= 10;
      }
    }
  }
  const auto hour = hour_of_day(pieces, hours);
  if (!hour) return std::nullopt;
  double offset = 0;
  const bool later = pieces.take('+');
  if (later || pieces.take('-')) {
    const int hours_off = pieces.number(2, 2);
    pieces.take(':');
    const int minutes_off = pieces.done() ? 0 : pieces.number(2, 2);
    if (hours_off < 0 || minutes_off < 0) return std::nullopt;
    offset = (later ? 1 : -1) * (hours_off * 60 + minutes_off) * 60.0;
  } else if (!pieces.take('Z')) {
    pieces.take("UTC") || pieces.take("GMT");
  }
  if (!pieces.done()) return std::nullopt;
  return (*hour * 3600 + minutes * 60 + seconds - offset) / 86400;
}

}  // namespace

std::optional<double> parse_date(std::string_view text, const std::string& format) {
  Pieces pieces(text);
  int year = 0, month = 0, day = 0;
  for (int i = 0; i < 3; ++i) {
    const char what = format[static_cast<size_t>(2 * i)];
    if (i > 0) {
      const char between = format[1];
      const bool slash = between == '-' && pieces.take('/');
      if (!slash && !pieces.take(between)) return std::nullopt;
    }
    const int part = what == 'Y'   ? pieces.number(4, 4)
                     : what == 'y' ? pieces.number(2, 2)
                     : what == 'N' ? pieces.month()
                                   : pieces.number(1, 2);
    if (part < 0) return std::nullopt;
    (what == 'M' || what == 'N' ? month
     : what == 'D'              ? day
                                : year) = what == 'y' ? part + (part < 70 ? 2000 : 1900) : part;
  }
  const auto days = days_since_1970(year, month, day);
  if (!days || pieces.done()) return days;
  if (!pieces.take('T') && !pieces.take(' ')) return std::nullopt;
  const auto time = time_of_day(pieces);
  if (!time) return std::nullopt;
  return *days + *time;
}

std::string date_text(double days) {
  constexpr double kSeconds = 86400;
  const auto seconds = static_cast<std::time_t>(std::floor(days) * kSeconds);
  std::tm date{};
  if (::gmtime_r(&seconds, &date) == nullptr) return six_digits(days);
  constexpr int kFirstYear = 1900;
  return fmt::format("{:04}-{:02}-{:02}", date.tm_year + kFirstYear, date.tm_mon + 1, date.tm_mday);
}

bool is_date_format(const std::string& format) {
  return std::find(std::begin(kFormats), std::end(kFormats), format) != std::end(kFormats);
}

std::optional<std::string> find_date_format(const std::vector<std::string>& texts, const std::string& name,
                                            std::optional<bool> day_first) {
  std::vector<std::string> possible;
  for (const std::string format : kFormats) {
    const auto fits = [&](const std::string& text) { return parse_date(text, format).has_value(); };
    if (!texts.empty() && std::all_of(texts.begin(), texts.end(), fits)) possible.push_back(format);
  }
  if (possible.size() > 1 && day_first) {
    const auto other = [&](const std::string& format) { return (format[0] == 'D') != *day_first; };
    possible.erase(std::remove_if(possible.begin(), possible.end(), other), possible.end());
  }
  ARKS_CHECK(possible.size() < 2, name, " holds dates such as '", texts.front(),
             "', in which day and month cannot be told apart; --dates day-first or month-first says which comes first");
  return possible.empty() ? std::nullopt : std::optional(possible.front());
}

std::string usual_date_format(const std::vector<std::string>& texts, const std::vector<int64_t>& counts) {
  const auto all = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  std::string usual;
  int64_t most = 0;
  for (const std::string format : kFormats) {
    int64_t dates = 0;
    for (size_t i = 0; i < texts.size(); ++i) dates += parse_date(texts[i], format) ? counts[i] : 0;
    if (dates <= most) continue;
    most = dates;
    usual = format;
  }
  return 2 * most > all ? usual : "";
}

std::string date_format_like(const std::vector<std::string>& texts, const std::string& usual, const std::string& name) {
  const auto fitting = [&](const std::string& format) {
    return std::count_if(texts.begin(), texts.end(), [&](const auto& text) { return parse_date(text, format); });
  };
  auto best = usual;
  auto most = fitting(usual);
  if (most == static_cast<std::ptrdiff_t>(texts.size())) return usual;
  for (const std::string format : kFormats) {
    const auto count = fitting(format);
    const bool same_order = best != usual && format[0] == usual[0];
    if (count < most || (count == most && !same_order)) continue;
    best = format;
    most = count;
  }
  if (best == usual || usual[0] != 'Y') return best;
  auto exchanged = best;
  std::swap(exchanged[0], exchanged[2]);
  ARKS_CHECK(!is_date_format(exchanged) || fitting(exchanged) < most, name, " holds dates such as '", texts.front(),
             "', in which day and month cannot be told apart; write them as in training, ", usual);
  return best;
}

}  // namespace arks
