#include "cli/completion.h"

#include "cli/command.h"
#include "support/text.h"

#include <algorithm>
#include <iostream>
#include <sstream>

namespace arks::cli {

namespace {

bool takes_value(const FlagDescription& flag) {
  return !flag.type.empty();
}

/// As much of a help text as fits beside a flag.
std::string short_help(const std::string& help) {
  return help.substr(0, help.find(';'));
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

void bash_flag(std::ostream& out, const std::string& command, const FlagDescription& flag) {
  if (!takes_value(flag)) return;
  std::vector<std::string> patterns;
  for (const auto& name : flag.names) patterns.push_back("\"" + command + " " + name + "\"");
  out << "    " << join(patterns, "|") << ") ";
  if (flag.is_path && flag.words.empty()) {
    out << "COMPREPLY=() ;;\n";  // file names, by -o default
  } else {
    out << "_arks_words \"" << join(flag.words, " ") << "\"";
    if (!flag.is_path) out << "; compopt +o default";
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
    out << "      \"" << command.name << " \"*) case \"$COMP_CWORD\" in";
    for (size_t i = 0; i < command.arguments.size(); ++i) {
      const auto& words = command.arguments[i].words;
      if (!words.empty()) out << " " << i + 2 << ") _arks_words \"" << join(words, " ") << "\" ;;";
    }
    out << " esac ;;\n";
  }
  out << "      \"help \"*) _arks_words \"" << join(command_names(commands), " ")
      << "\" ;;\n    esac ;;\n  esac\n}\ncomplete -o default -F _arks arks\n";
  return std::move(out).str();
}

/// What completes the value of a flag, or an argument.
std::string zsh_action(const FlagDescription& flag) {
  if (flag.is_path && !flag.words.empty()) return "{ compadd -- " + join(flag.words, " ") + "; _files }";
  if (!flag.words.empty()) return "(" + join(flag.words, " ") + ")";
  if (!flag.is_path) return "";
  return flag.type == "DIR" ? "_files -/" : "_files";
}

std::string zsh_flag(const FlagDescription& flag) {
  auto help = short_help(flag.help);
  for (const auto* special : {"\\", "[", "]", ":"}) help = replaced(help, special, std::string("\\") + special);
  const auto value = takes_value(flag) ? ":" + replaced(flag.type, ":", "\\:") + ":" + zsh_action(flag) : "";
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
    out << "    " << command.name << ")\n      _arguments \\\n";
    for (const auto& flag : command.flags) out << "        " << zsh_flag(flag) << " \\\n";
    for (size_t i = 0; i < command.arguments.size(); ++i) {
      const auto& argument = command.arguments[i];
      if (argument.words.empty()) continue;
      out << "        " << quoted_for_shell(c10::str(i + 1, ":", argument.names.front(), ":", zsh_action(argument)))
          << " \\\n";
    }
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
  if (takes_value(flag)) out << (flag.is_path ? " -r -F" : " -x");
  if (!flag.words.empty()) out << " -a '" << join(flag.words, " ") << "'";
  out << " -d '" << replaced(replaced(short_help(flag.help), "\\", "\\\\"), "'", "\\'") << "'\n";
}

/// The words of an argument are offered when one for each argument before it has been typed.
void fish_arguments(std::ostream& out, const CommandDescription& command) {
  std::string typed = "__fish_seen_subcommand_from " + command.name;
  for (const auto& argument : command.arguments) {
    if (argument.words.empty()) return;
    const auto words = join(argument.words, " ");
    out << "complete -c arks -n '" << typed << "; and not __fish_seen_subcommand_from " << words << "'"
        << (argument.is_path ? "" : " -f") << " -a '" << words << "'\n";
    typed += "; and __fish_seen_subcommand_from " + words;
  }
}

std::string fish_script(const std::vector<CommandDescription>& commands) {
  std::ostringstream out;
  out << "# fish completion of arks, made by: arks completion fish\n";
  for (const auto& command : commands) {
    out << "complete -c arks -n __fish_use_subcommand -f -a " << command.name << " -d "
        << quoted_for_shell(command.about) << "\n";
  }
  for (const auto& command : commands) {
    fish_arguments(out, command);
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
                                 "  arks completion fish > ~/.config/fish/completions/arks.fish    # permanently\n"
                                 "The Debian package installs them for all three shells.")) {
    flags_.argument("SHELL", shell_, "", /*required=*/true, shell_names());
  }

  void fill_defaults() override {}

  int run() override {
    std::cout << completion_script(shell_, describe_commands()) << std::flush;
    return kDone;
  }

 private:
  std::string shell_;
};

}  // namespace

std::vector<std::string> shell_names() {
  return {"bash", "zsh", "fish"};
}

std::string completion_script(const std::string& shell, const std::vector<CommandDescription>& commands) {
  // in the order of shell_names()
  constexpr std::string (*kScripts[])(const std::vector<CommandDescription>&) = {bash_script, zsh_script, fish_script};
  return kScripts[place_of(shell, shell_names(), "shell")](commands);
}

std::unique_ptr<Command> make_completion_command(CommandLine& line) {
  return std::make_unique<CompletionCommand>(line);
}

}  // namespace arks::cli
