#pragma once
// A table with a class and a number to predict, field data for it, and a network from elsewhere.
#include "cli/own_data.h"
#include "model/scripts.h"

namespace arks::testing {

class FieldDataTool : public OwnDataTest {
 protected:
  /// A class and a number that depend on numbers far from 0, and a net for them that was made elsewhere: raw.pt.
  FieldDataTool() {
    write_rows("rows.csv", 150, 1, 0);
    write_rows("field.csv", 60, 2, 2);
    auto layer = scripted_linear(2, 2, 1);
    torch::NoGradGuard no_grad;
    layer.attr("weight").toTensor().copy_(torch::tensor({0.0, 0.0, 0.2, 1 / 30.0}).reshape({2, 2}));
    layer.attr("bias").toTensor().copy_(torch::tensor({0.0, -20 / 5.0 - 1000 / 30.0}));
    write("raw.pt", layer);
  }

  void write(const std::string& name, const torch::jit::Module& script) const {
    write_file_atomically(folder_ / name, bytes_of(script));
  }
  void write_rows(const std::string& name, int64_t count, uint64_t seed, double warmer) const {
    const auto z = normal({count, 3}, seed);
    std::ofstream out(folder_ / name);
    out << "temp,press,colour,y,label\n";
    for (int64_t i = 0; i < count; ++i) {
      const double temp = 20 + warmer + 5 * z[i][0].item<double>(), press = 1000 + 30 * z[i][1].item<double>();
      const bool red = i % 3 == 0, on = (temp - 20) / 5 + (press - 1000) / 30 + 0.5 * z[i][2].item<double>() > 0;
      out << temp << "," << press << "," << (red ? "red" : "blue") << "," << 3 * temp + 0.1 * press + (red ? 5 : 0)
          << "," << (on ? "yes" : "no") << "\n";
    }
  }
  /// ERM on rows.csv, of the class or of the number.
  void train_class(const std::string& out, Arguments flags = {}) const {
    flags.insert(flags.end(), {"--data", "rows.csv", "--drop", "y,colour", "--epochs", "20", "--quiet"});
    train(out, flags);
  }
  void train_number(const std::string& out, const std::string& drop, Arguments flags = {}) const {
    flags.insert(flags.end(), {"--data", "rows.csv", "--target", "y", "--drop", drop, "--epochs", "20", "--quiet"});
    train(out, flags);
  }
  /// The points of a report.
  Json points(const std::string& command, const std::string& models, const Arguments& flags) const {
    Arguments arguments{command};
    for (const auto& model : split(models, ' ')) arguments.push_back(model);
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    arguments.insert(arguments.end(), {"--json", "-", "--quiet"});
    return Json::parse(succeed(arguments).out)["points"];
  }
};

}  // namespace arks::testing
