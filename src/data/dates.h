#pragma once
// Dates as tables hold them.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arks {

/// Days since 1 January 1970, with the time of day as a fraction, of a date in the calendar of today. `format` is one
/// of "Y-M-D" (also with slashes), "D.M.Y", "D/M/Y" and "M/D/Y", or of the last three with "y" for years of two digits,
/// 1970 to 2069; or "D-N-Y", "D-N-y" and "D N Y" with English names of months, "31-Jan-2024". A time may follow after a
/// blank or a T: "14:30", "14:30:05.25", "2:30 PM", with "Z", "UTC", "GMT" or an offset such as "+02:00", which is
/// taken off. None where the text is no such date.
std::optional<double> parse_date(std::string_view text, const std::string& format);

/// "2024-12-31": the date of so many days since 1970, without the time of day.
std::string date_text(double days);

/// Whether parse_date knows the format.
bool is_date_format(const std::string& format);

/// The format in which all of the texts are dates; none where there is none. Where both orders of day and month are
/// possible in all of them, `day_first` decides; where it does not, an Error says so, and `name` is what they are
/// called.
std::optional<std::string> find_date_format(const std::vector<std::string>& texts, const std::string& name,
                                            std::optional<bool> day_first = std::nullopt);

/// The format in which more than half of the cells are dates, the first of several, where each text stands in so many
/// cells; empty where there is none.
std::string usual_date_format(const std::vector<std::string>& texts, const std::vector<int64_t>& counts);

/// The format of other dates than those whose format is `usual`: that one if it takes them all, else the one that takes
/// the most. Where both orders of day and month are possible, it is the usual order; where that says nothing, an Error
/// says so, and `name` is what they are called.
std::string date_format_like(const std::vector<std::string>& texts, const std::string& usual, const std::string& name);

}  // namespace arks
