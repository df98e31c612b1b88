#include "cli/toml_text.h"
#include "cli/train_settings.h"

#include <arks/support/text.h>

#include <filesystem>

namespace arks::cli {

std::vector<std::pair<std::string, std::string>> as_toml(const TrainSettings& s) {
  std::vector<std::pair<std::string, std::string>> rows;
  const auto text = [&](const char* key, const std::string& value) { rows.emplace_back(key, quoted(value)); };
  const auto real = [&](const char* key, double value) { rows.emplace_back(key, real_of(value)); };
  const auto whole = [&](const char* key, int64_t value) { rows.emplace_back(key, std::to_string(value)); };
  const auto flag = [&](const char* key, bool value) { rows.emplace_back(key, value ? "true" : "false"); };
  text("data", s.data);
  text("method", s.method);
  text("model", *s.model);
  if (s.activation) text("activation", *s.activation);
  if (s.network.checksum) {
    text("model-checksum", *s.network.checksum);
    flag("reinit", s.network.reinit);
  }
  if (has_scaling(s.network)) {
    rows.emplace_back("mean", list_of(parse_numbers(s.network.mean, "--mean")));
    rows.emplace_back("std", list_of(parse_numbers(s.network.std, "--std")));
  }
  whole("train-limit", s.train_limit);
  whole("limit", s.limit);
  const auto bounds = [&](const char* key, const std::string& value) {
    std::vector<std::string> ranges;
    for (const auto& range : ranges_of(parse_bounds(value, "--" + std::string(key)))) ranges.push_back(list_of(range));
    rows.emplace_back(key, ranges.size() == 1 ? ranges.front() : "[" + join(ranges) + "]");
  };
  if (s.bounds) bounds("bounds", *s.bounds);
  for (const auto& row : as_toml(s.table, s.data)) rows.push_back(row);
  if (s.data == "celeba") {
    for (const auto& row : as_toml(s.celeba)) rows.push_back(row);
  }
  whole("seed", s.seed);
  const auto& k = s.kernel;
  if (has_kernel(s)) {
    text("kernel", *k.kernel);
    if (k.temperature) real("temperature", *k.temperature);
    if (k.sigma) real("sigma", *k.sigma);
    if (k.imq_scale) real("imq-scale", *k.imq_scale);
  }
  if (has_kernel(s) || s.method == "wrm") {
    if (k.cost) text("cost", *k.cost);
    if (k.mahalanobis) text("mahalanobis", std::filesystem::absolute(*k.mahalanobis).string());
    if (k.mahalanobis_ridge) real("mahalanobis-ridge", *k.mahalanobis_ridge);
  }
  if (k.domain && maximizes(s) && s.method != "pgd") bounds("domain", *k.domain);
  if (s.method == "arks") text("inner-objective", s.inner_objective);
  if (s.method == "wrm" || s.method == "ke") real("gamma", *s.gamma);
  if (s.method == "ki") {
    text("ki-variant", s.ki_variant);
    real("ki-epsilon", *s.ki_epsilon);
    real("ki-lambda", *s.ki_lambda);
    real("ki-jitter", *s.ki_jitter);
  }
  if (s.method == "pgd") {
    real("eps", *s.eps);
    if (!s.eps_scale.empty()) rows.emplace_back("eps-scale", list_of(parse_numbers(s.eps_scale, "--eps-scale")));
    text("norm", s.norm);
    flag("random-start", s.random_start);
    flag("project-bounds", s.project_bounds);
  }
  if (has_restarts(s)) whole("inner-restarts", *s.inner_restarts);
  if (maximizes(s)) {
    whole("inner-steps", *s.inner_steps);
    real("inner-lr", *s.inner_lr);
    flag("inner-lr-decay", s.inner_lr_decay);
    if (s.method != "pgd") text("inner-opt", *s.inner_opt);
    real("inner-tol", s.inner_tol);
    text("inner-return", s.inner_return);
    text("inner-mode", s.inner_mode);
  }
  whole("epochs", *s.epochs);
  whole("batch-size", *s.batch_size);
  text("opt", *s.opt);
  real("lr", *s.lr);
  if (*s.opt == "sgd") real("momentum", *s.momentum);
  real("weight-decay", *s.weight_decay);
  text("lr-steps", *s.lr_steps);
  text("augment", *s.augment);
  if (*s.augment == "crop" || *s.augment == "crop-flip") whole("crop-padding", *s.crop_padding);
  flag("swa", s.swa.value_or(false));
  if (s.swa.value_or(false)) whole("swa-start", *s.swa_start);
  return rows;
}

}  // namespace arks::cli
