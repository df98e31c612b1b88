#pragma once
// A network of the user's own, as a TorchScript file, with a table for it, and the tool called beside them.
#include "cli/tool.h"
#include "model/scripts.h"
#include "support/file.h"
#include "support/testing.h"
#include "support/text.h"

#include <nlohmann/json.hpp>

#include <fstream>

namespace arks::testing {

class OwnModelTool : public ::testing::Test {
 protected:
  using Arguments = std::vector<std::string>;
  using Json = nlohmann::json;

  /// A table of six numbers and three classes, and a network for it: net.pt.
  OwnModelTool() {
    const auto x = normal({90, 6}, 4);
    std::ofstream table(folder_ / "table.csv");
    table << "a,b,c,d,e,f,class\n";
    for (int64_t i = 0; i < 90; ++i) {
      for (int64_t j = 0; j < 6; ++j) table << x[i][j].item<double>() + (j == i % 3 ? 2 : 0) << ",";
      table << "class" << i % 3 << "\n";
    }
    write("net.pt", scripted_net());
  }

  void write(const std::string& name, const torch::jit::Module& script) const {
    write_file_atomically(folder_ / name, bytes_of(script));
  }
  ToolResult arks(const Arguments& arguments) const { return arks_tool(arguments, folder_.path()); }
  ToolResult succeed(const Arguments& arguments) const {
    auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, 0) << join(arguments, " ") << "\n" << result.err;
    return result;
  }
  void refuse(const Arguments& arguments, const std::string& part) const {
    const auto result = arks(arguments);
    EXPECT_EQ(result.exit_code, 2) << join(arguments, " ");
    EXPECT_NE(result.err.find(part), std::string::npos) << join(arguments, " ") << "\n" << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }
  Arguments training(const std::string& out, const Arguments& more = {}) const {
    Arguments all{"train",   "--data", "table.csv", "--model",     "net.pt", "--method", "arks",
                  "--sigma", "0.5",    "--epochs",  "2",           "--opt",  "adam",     "--lr",
                  "0.01",    "--out",  out,         "--inner-opt", "sgd",    "--quiet"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  std::map<std::string, torch::Tensor> weights(const std::string& file) const {
    std::map<std::string, torch::Tensor> found;
    for (const auto& [name, tensor] : load_torchscript(folder_ / file).state()) found[name] = tensor.detach();
    return found;
  }
  /// The line of a configuration that begins with this key.
  std::string read_toml_line(const std::string& file, const std::string& key) const {
    std::ifstream in(folder_ / file);
    for (std::string line; std::getline(in, line);) {
      if (line.rfind(key + " ", 0) == 0) return line;
    }
    return "";
  }
  void expect_same_weights(const std::string& one, const std::string& other, bool same = true) const {
    const auto first = weights(one), second = weights(other);
    bool equal = first.size() == second.size();
    for (const auto& [name, tensor] : first) equal = equal && identical(tensor, second.at(name));
    EXPECT_EQ(equal, same) << one << " " << other;
  }
  Json evaluated(const Arguments& arguments) const {
    Arguments all{"evaluate"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    all.insert(all.end(), {"--quiet", "--json", "-"});
    return Json::parse(succeed(all).out)["points"];
  }

  TemporaryFolder folder_;
};

}  // namespace arks::testing
