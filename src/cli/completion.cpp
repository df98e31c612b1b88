#include "cli/completion.h"

#include "cli/command.h"

#include <arks/data/registry.h>
#include <arks/model/registry.h>
#include <arks/support/error.h>
#include <arks/support/text.h>

#include <algorithm>
#include <iostream>
#include <sstream>

namespace arks::cli {

namespace {

constexpr const char* kWordLetters = "abcdefghijklmnopqrstuvwxyz0123456789-";

std::string without_parentheses(const std::string& text) {
  std::string kept;
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : 0;
    if (depth == 0) kept += c;
    depth -= c == ')' && depth > 0 ? 1 : 0;
  }
  return kept;
}

/// The word that ends at `end` but for spaces; empty when it is none.
std::string word_before(const std::string& text, size_t end) {
  const auto last = text.find_last_not_of(' ', end - 1);
  if (end == 0 || last == std::string::npos) return "";
  const auto before = text.find_last_of(" :", last);
  const auto word = text.substr(before == std::string::npos ? 0 : before + 1,
                                last - (before == std::string::npos ? 0 : before + 1) + 1);
  return word.find_first_not_of(kWordLetters) == std::string::npos ? word : "";
}

/// The word that begins behind `begin` but for spaces.
std::string word_behind(const std::string& text, size_t begin) {
  const auto first = text.find_first_not_of(' ', begin);
  if (first == std::string::npos) return "";
  const auto end = text.find_first_not_of(kWordLetters, first);
  return text.substr(first, end == std::string::npos ? end : end - first);
}

bool takes_value(const FlagDescription& flag) {
  return !flag.type.empty();
}

bool takes_file(const FlagDescription& flag) {
  return flag.type.find("FILE") != std::string::npos || flag.type == "DIR" || flag.type == "RUN";
}

bool is(const FlagDescription& flag, const std::string& name) {
  return std::find(flag.names.begin(), flag.names.end(), name) != flag.names.end();
}

/// Where a name or a file can be given.
bool takes_name_or_file(const FlagDescription& flag) {
  return is(flag, "--data") || is(flag, "--model");
}

std::vector<std::string> values_of(const FlagDescription& flag) {
  if (is(flag, "--data")) return dataset_names();
  if (is(flag, "--model")) return model_names();
  return takes_value(flag) ? offered_values(flag.help) : std::vector<std::string>{};
}

/// As much of a help text as fits beside a flag.
std::string short_help(const std::string& help) {
  const auto end = std::min(help.find(" ["), help.find(';'));
  return help.substr(0, end);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

/// In single quotes as all three shells read them.
std::string quoted_for_shell(const std::string& text) {
  return "'" + replaced(text, "'", "'\\''") + "'";
}

std::vector<std::string> all_names(const CommandDescription& command) {
  std::vector<std::string> names;
  for (const auto& flag : command.flags) names.insert(names.end(), flag.names.begin(), flag.names.end());
  return names;
}

std::vector<std::string> command_names(const std::vector<CommandDescription>& commands) {
  std::vector<std::string> names;
  for (const auto& command : commands) names.push_back(command.name);
  return names;
}

/// The actions of a command, "list | verify", where its first argument is one.
std::vector<std::string> actions_of(const CommandDescription& command) {
  return command.arguments.empty() ? std::vector<std::string>{} : offered_values(command.arguments.front().help);
}

void bash_flag(std::ostream& out, const std::string& command, const FlagDescription& flag) {
  if (!takes_value(flag)) return;
  std::vector<std::string> patterns;
  for (const auto& name : flag.names) patterns.push_back("\"" + command + " " + name + "\"");
  out << "    " << join(patterns, "|") << ") ";
  const auto values = values_of(flag);
  if (takes_file(flag) && values.empty()) {
    out << "COMPREPLY=() ;;\n";  // file names, by -o default
  } else {
    out << "_arks_words \"" << join(values, " ") << "\"";
    if (!takes_name_or_file(flag)) out << "; compopt +o default";
    out << " ;;\n";
  }
}

std::string bash_script(const std::vector<CommandDescription>& commands) {
  std::ostringstream out;
  out << "# bash completion of arks, made by: arks completion bash\n"
         "_arks_words() {\n"
         "  local IFS=$' \\t\\n'\n"
         "  COMPREPLY=($(compgen -W \"$1\" -- \"$current\"))\n"
         "}\n"
         "_arks() {\n"
         "  local current=\"${COMP_WORDS[COMP_CWORD]}\" previous=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
         "  local command=\"${COMP_WORDS[1]}\"\n"
         "  # bash makes a word of the = in --flag=value\n"
         "  if [ \"$current\" = \"=\" ]; then current=\"\"\n"
         "  elif [ \"$previous\" = \"=\" ]; then previous=\"${COMP_WORDS[COMP_CWORD-2]}\"; fi\n"
         "  COMPREPLY=()\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then _arks_words \""
      << join(command_names(commands), " ")
      << " help --help --version\"; return; fi\n  case \"$command $previous\" in\n";
  for (const auto& command : commands) {
    for (const auto& flag : command.flags) bash_flag(out, command.name, flag);
  }
  out << "    *) case \"$command $current\" in\n";
  for (const auto& command : commands) {
    out << "      \"" << command.name << " -\"*) _arks_words \"" << join(all_names(command), " ") << "\" ;;\n";
    if (const auto actions = actions_of(command); !actions.empty()) {
      out << "      \"" << command.name << " \"*) if [ \"$COMP_CWORD\" -eq 2 ]; then _arks_words \""
          << join(actions, " ") << "\";";
      if (command.name == "data") {
        out << " elif [ \"$COMP_CWORD\" -eq 3 ]; then _arks_words \"" << join(dataset_names(), " ") << "\";";
      }
      out << " fi ;;\n";
    }
  }
  out << "      \"help \"*) _arks_words \"" << join(command_names(commands), " ")
      << "\" ;;\n    esac ;;\n  esac\n}\ncomplete -o default -F _arks arks\n";
  return std::move(out).str();
}

std::string zsh_flag(const FlagDescription& flag) {
  auto help = short_help(flag.help);
  for (const auto* special : {"\\", "[", "]", ":"}) help = replaced(help, special, std::string("\\") + special);
  const auto values = values_of(flag);
  std::string value;
  if (takes_value(flag)) {
    value = ":" + replaced(flag.type, ":", "\\:") + ":";
    if (takes_name_or_file(flag)) {
      value += "{ compadd -- " + join(values, " ") + "; _files }";
    } else if (!values.empty()) {
      value += "(" + join(values, " ") + ")";
    } else if (takes_file(flag)) {
      value += flag.type == "DIR" ? "_files -/" : "_files";
    }
  }
  std::vector<std::string> lines;
  for (const auto& name : flag.names) {
    const bool equals = takes_value(flag) && name.rfind("--", 0) == 0;
    lines.push_back(quoted_for_shell(name + (equals ? "=" : "") + "[" + help + "]" + value));
  }
  return join(lines, " \\\n        ");
}

std::string zsh_script(const std::vector<CommandDescription>& commands) {
  std::ostringstream out;
  out << "#compdef arks\n# zsh completion of arks, made by: arks completion zsh\n_arks() {\n  local -a commands=(\n";
  for (const auto& command : commands) {
    out << "    " << quoted_for_shell(command.name + ":" + replaced(command.about, ":", "\\:")) << "\n";
  }
  out << "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
         "  local command=$words[2]\n  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const auto& command : commands) {
    const auto actions = actions_of(command);
    out << "    " << command.name << ")\n      _arguments \\\n";
    for (const auto& flag : command.flags) out << "        " << zsh_flag(flag) << " \\\n";
    if (!actions.empty()) out << "        " << quoted_for_shell("1:action:(" + join(actions, " ") + ")") << " \\\n";
    out << "        " << quoted_for_shell("*:file:_files") << "\n      ;;\n";
  }
  out << "  esac\n}\nif [ \"$funcstack[1]\" = \"_arks\" ]; then _arks \"$@\"; else compdef _arks arks; fi\n";
  return std::move(out).str();
}

void fish_flag(std::ostream& out, const std::string& command, const FlagDescription& flag) {
  out << "complete -c arks -n '__fish_seen_subcommand_from " << command << "'";
  for (const auto& name : flag.names) {
    out << (name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1));
  }
  const auto values = values_of(flag);
  if (takes_value(flag)) out << (takes_file(flag) || takes_name_or_file(flag) ? " -r -F" : " -x");
  if (!values.empty()) out << " -a '" << join(values, " ") << "'";
  out << " -d '" << replaced(replaced(short_help(flag.help), "\\", "\\\\"), "'", "\\'") << "'\n";
}

std::string fish_script(const std::vector<CommandDescription>& commands) {
  std::ostringstream out;
  out << "# fish completion of arks, made by: arks completion fish\n";
  for (const auto& command : commands) {
    out << "complete -c arks -n __fish_use_subcommand -f -a " << command.name << " -d "
        << quoted_for_shell(command.about) << "\n";
  }
  for (const auto& command : commands) {
    if (const auto actions = actions_of(command); !actions.empty()) {
      out << "complete -c arks -n '__fish_seen_subcommand_from " << command.name << "' -f -a '" << join(actions, " ")
          << "'\n";
    }
    for (const auto& flag : command.flags) fish_flag(out, command.name, flag);
  }
  return std::move(out).str();
}

class CompletionCommand : public Command {
 public:
  explicit CompletionCommand(CommandLine& line)
      : Command(line.add_command("completion", "Print a script that completes commands and flags in the shell",
                                 "Examples:\n"
                                 "  source <(arks completion bash)                                 # in this shell\n"
                                 "  arks completion fish > ~/.config/fish/completions/arks.fish    # for good\n"
                                 "The Debian package installs them for all three shells.")),
        line_(line) {
    flags_.argument("SHELL", shell_, "bash | zsh | fish", /*required=*/true);
  }

  int run() override {
    std::cout << completion_script(shell_, line_.describe()) << std::flush;
    return kDone;
  }

 private:
  CommandLine& line_;
  std::string shell_;
};

}  // namespace

std::vector<std::string> offered_values(const std::string& help) {
  const auto text = without_parentheses(help);
  std::vector<std::string> values;
  const auto offer = [&](const std::string& word) {
    if (!word.empty() && std::find(values.begin(), values.end(), word) == values.end()) values.push_back(word);
  };
  for (size_t bar = text.find('|'); bar != std::string::npos; bar = text.find('|', bar + 1)) {
    offer(word_before(text, bar));
    offer(word_behind(text, bar + 1));
  }
  return values;
}

std::vector<std::string> shell_names() {
  return {"bash", "zsh", "fish"};
}

std::string completion_script(const std::string& shell, const std::vector<CommandDescription>& commands) {
  if (shell == "bash") return bash_script(commands);
  if (shell == "zsh") return zsh_script(commands);
  if (shell == "fish") return fish_script(commands);
  throw Error("unknown shell '" + shell + "'" + did_you_mean(shell, shell_names()) + "; known: " + join(shell_names()));
}

std::unique_ptr<Command> make_completion_command(CommandLine& line) {
  return std::make_unique<CompletionCommand>(line);
}

}  // namespace arks::cli
