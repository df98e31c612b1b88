#include "cli/command.h"
#include "support/text.h"

#include <arks/version.h>

#include <cctype>
#include <iostream>
#include <sstream>

namespace arks::cli {

namespace {

/// Text as troff takes it: no macro at the start of a line, dashes that can be copied.
std::string escaped(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool line_begins = i == 0 || text[i - 1] == '\n';
    if (line_begins && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    switch (text[i]) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '~':
        out += "\\(ti";
        break;
      case '^':
        out += "\\(ha";
        break;
      default:
        out += text[i];
    }
  }
  return out;
}

std::string upper(std::string text) {
  for (auto& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

/// "epochs > 0", "seconds, above 0 and below 1"
std::string with_range(const std::string& what, const std::string& range) {
  if (what.empty() || range.empty()) return what + range;
  return what + (range.front() == '>' ? " " : ", ") + range;
}

void write_flag(std::ostream& out, const FlagDescription& flag) {
  out << ".TP\n";
  for (size_t i = 0; i < flag.names.size(); ++i)
    out << (i > 0 ? ", " : "") << "\\fB" << escaped(flag.names[i]) << "\\fR";
  if (!flag.type.empty()) out << " \\fI" << escaped(flag.type) << "\\fR";
  out << "\n" << escaped(flag.help);
  if (!flag.words.empty() && !flag.help.empty()) out << ": ";
  out << escaped(join(flag.words, " | "));
  const auto of_number = with_range(flag.unit, flag.range);
  if (!of_number.empty()) out << " (" << escaped(of_number) << ")";
  if (!flag.default_text.empty()) out << " [" << escaped(flag.default_text) << "]";
  out << "\n";
}

void write_command(std::ostream& out, const CommandDescription& command) {
  out << ".SH ARKS " << upper(command.name) << "\n.B arks " << command.name;
  for (const auto& argument : command.arguments) out << " \\fI" << escaped(argument.names.front()) << "\\fR";
  out << " [\\fIflags\\fR]\n.PP\n" << escaped(command.about) << ".\n.PP\n.nf\n" << escaped(command.footer) << "\n.fi\n";
  for (const auto& argument : command.arguments) write_flag(out, argument);
  std::string group;
  for (const auto& flag : command.flags) {
    if (flag.group != group) out << ".SS " << escaped(flag.group) << "\n";
    group = flag.group;
    write_flag(out, flag);
  }
}

constexpr const char* kEnvironment = R"(.SH EXIT STATUS
.TP
.B 0
done
.TP
.B 1
the work failed or was interrupted
.TP
.B 2
bad usage or bad input
.SH ENVIRONMENT
.TP
.B ARKS_DATA_DIR
folder with the data sets, where \-\-data\-dir is not given
.TP
.B XDG_DATA_HOME
\fIXDG_DATA_HOME\fR/arks (~/.local/share/arks) is where fetched data sets go and are found when no folder is chosen
.TP
.B ARKS_CACHE_DIR\fR, \fBXDG_CACHE_HOME
where decoded images are kept: \fIARKS_CACHE_DIR\fR, else \fIXDG_CACHE_HOME\fR/arks, else ~/.cache/arks; it may be
deleted at any time
.TP
.B OMP_NUM_THREADS
threads, where \-\-threads is not given
.TP
.B ARKS_CPU
\fBportable\fR limits compiled plans to instructions that every processor of the architecture has, as on one
without AVX2; \fBauto\fR is the default
)";

class ManualSettings : public SettingGroup {
 public:
  ManualSettings() : SettingGroup("Output") {}

  Setting<bool> tables{this,
                       yes_no("settings", "print the settings of all commands as Markdown tables").otherwise(false)};
};

/// A cell of a Markdown table.
std::string cell(std::string text) {
  for (size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.replace(at, 1, "\\|");
  return text;
}

/// docs/settings.md: made of the declarations, so that it cannot fall behind.
std::string settings_tables(const std::vector<CommandDescription>& commands) {
  std::ostringstream out;
  out << "# Settings\n\n"
         "Every setting of every command, made by `arks manual --settings`. The name is the flag after `--` and the "
         "key\n"
         "of a TOML file. Defaults are those of the default method, attack and data set. The help of a command shows\n"
         "those of others: `arks train --method wrm --data cifar10 --help`. What the settings mean in detail is in "
         "the\n"
         "[guide](guide.md).\n";
  for (const auto& command : commands) {
    if (command.flags.size() < 2) continue;  // --help alone
    out << "\n## arks " << command.name << "\n";
    std::string group;
    for (const auto& flag : command.flags) {
      if (flag.group.empty()) continue;
      if (flag.group != group) {
        out << "\n### " << flag.group << "\n\n| setting | value | unit | meaning | default |\n|---|---|---|---|---|\n";
        group = flag.group;
      }
      const auto words = join(flag.words, ", ");
      const auto value = words.empty() ? with_range(flag.type, flag.range) : words;
      std::vector<std::string> names;
      for (const auto& name : flag.names) names.push_back("`" + name + "`");
      out << "| " << join(names) << " | " << cell(value) << " | " << flag.unit << " | " << cell(flag.help) << " | "
          << cell(flag.default_text) << " |\n";
    }
  }
  return std::move(out).str();
}

class ManualCommand : public Command {
 public:
  explicit ManualCommand(CommandLine& line)
      : Command(line.add_command("manual", "Print the manual page, for man",
                                 "Examples:\n  arks manual > arks.1 && man -l arks.1\n"
                                 "  arks manual --settings > settings.md     # all settings as tables, in Markdown")),
        line_(line) {
    flags_.add(settings_);
  }

  void fill_defaults() override { settings_.fill(); }

  int run() override {
    fill_defaults();
    if (*settings_.tables) {
      std::cout << settings_tables(describe_commands()) << std::flush;
      return kDone;
    }
    std::cout << ".TH ARKS 1 \"\" \"arks " << kVersion << "\" \"User Commands\"\n.SH NAME\narks \\- train models "
              << "that keep working when the data shift, attack them, certify them\n.SH SYNOPSIS\n.B arks\n"
              << "\\fICOMMAND\\fR [\\fIflags\\fR]\n.SH DESCRIPTION\n"
              << escaped(line_.about()) << "\n";
    const auto commands = describe_commands();
    for (const auto& command : commands) {
      out_ << ".TP\n.B " << command.name << "\n" << escaped(command.about) << "\n";
    }
    for (const auto& command : commands) write_command(out_, command);
    std::cout << out_.str() << kEnvironment << std::flush;
    return kDone;
  }

 private:
  CommandLine& line_;
  ManualSettings settings_;
  std::ostringstream out_;
};

}  // namespace

std::unique_ptr<Command> make_manual_command(CommandLine& line) {
  return std::make_unique<ManualCommand>(line);
}

}  // namespace arks::cli
