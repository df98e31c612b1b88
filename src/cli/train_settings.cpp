#include "cli/train_settings.h"

#include <arks/objective/arks.h>
#include <arks/objective/erm.h>
#include <arks/objective/kernel_envelope.h>
#include <arks/objective/kernel_interpolant.h>
#include <arks/objective/pgd.h>
#include <arks/objective/worst_case.h>
#include <arks/objective/wrm.h>
#include <arks/support/error.h>
#include <arks/support/text.h>
#include <arks/data/published.h>

#include <algorithm>
#include <cmath>

namespace arks::cli {

namespace {

/// One of several words, with the nearest known one in the error.
void check_word(const std::string& flag, const std::string& value, const std::vector<std::string>& known) {
  for (const auto& word : known) {
    if (word == value) return;
  }
  throw Error("unknown " + flag + " '" + value + "'" + did_you_mean(value, known) + "; known: " + join(known));
}

const char* const kNone = "none";

bool is_one_of(const std::string& method, const std::vector<std::string>& methods) {
  return std::find(methods.begin(), methods.end(), method) != methods.end();
}

/// Puts `value` where nothing was given and remembers that it did.
class Filler {
 public:
  template <typename Value>
  void operator()(const char* name, std::optional<Value>& target, const Value& value) {
    if (target) return;
    target = value;
    if constexpr (std::is_same_v<Value, double>) {
      filled_.push_back(std::string(name) + " " + shortest(value));
    } else {
      filled_.push_back(c10::str(name, " ", value));
    }
  }
  std::vector<std::string> take() { return std::move(filled_); }

 private:
  std::vector<std::string> filled_;
};

/// Where the paper gives no strength of a method, the user must.
void check_strengths(const TrainSettings& s, const PublishedSettings& published) {
  if (published.strengths) return;
  const auto need = [&](const char* method, const char* flag, bool given) {
    ARKS_CHECK(s.method != method || given, "--method ", method, " needs ", flag,
               " here: the paper gives no value for this data set");
  };
  for (const char* method : {"arks", "ke", "ki"}) {
    need(method, "--sigma (or --temperature)", !has_kernel(s) || !lacks_bandwidth(s.kernel));
  }
  need("wrm", "--gamma", s.gamma.has_value());
  need("pgd", "--eps", s.eps.has_value());
}

/// Methods that are infinite for an unbounded loss unless u is held in a compact set.
void check_domain(const TrainSettings& s) {
  if (s.kernel.domain) return;
  const auto need = [](bool needed, const std::string& who) {
    ARKS_CHECK(!needed, who, " needs --domain lo,hi: without a compact set the supremum is infinite for an unbounded ",
               "loss");
  };
  need(has_restarts(s), "--method " + s.method);
  need(s.method == "arks" && *s.kernel.kernel == "imq", "--kernel imq");
  need(s.method == "arks" && s.kernel.sigma && std::isinf(*s.kernel.sigma), "--sigma inf");
}

/// L-BFGS tries a length of 1 first, as in the paper; that is no use to other rules, and their rates none to it.
double inner_rate(const TrainSettings& s, const PublishedSettings& published, double published_rate) {
  if (s.inner_opt.value_or(published.inner_optimizer) == "lbfgs") return 1;
  return published.inner_optimizer == "lbfgs" ? 0.01 : published_rate;
}

/// What is nothing, zero or no epochs, is put there without a word.
void fill_schedule(TrainSettings& s, const PublishedSettings& published, Filler& fill) {
  if (*s.opt == "sgd" && published.momentum != 0) fill("momentum", s.momentum, published.momentum);
  if (published.weight_decay != 0) fill("weight-decay", s.weight_decay, published.weight_decay);
  if (!published.decay_epochs.empty()) {
    fill("lr-steps", s.lr_steps, c10::str(c10::Join(",", published.decay_epochs)));
  }
  s.momentum = s.momentum.value_or(published.momentum);
  s.weight_decay = s.weight_decay.value_or(0);
  s.lr_steps = s.lr_steps.value_or(kNone);
}

bool crops(const TrainSettings& s) {
  return s.augment == "crop" || s.augment == "crop-flip";
}

void fill_augmentation(TrainSettings& s, const PublishedSettings& published, Filler& fill) {
  if (published.augment != "none") fill("augment", s.augment, published.augment);
  s.augment = s.augment.value_or("none");
  check_word("augmentation", *s.augment, {"none", "flip", "crop", "crop-flip"});
  if (!crops(s)) return;
  s.crop_padding = s.crop_padding.value_or(CropFlipOptions().padding());
  ARKS_CHECK(*s.crop_padding > 0, "--crop-padding must be positive, got ", *s.crop_padding);
}

void fill_averaging(TrainSettings& s, const PublishedSettings& published, Filler& fill) {
  ARKS_CHECK(*s.epochs > 0, "epochs must be positive, got ", *s.epochs);
  if (published.average && !s.swa) {
    fill("swa-start", s.swa_start, std::max<int64_t>(1, *s.epochs / 2));
    s.swa = true;
  }
  if (!s.swa.value_or(false)) return;
  s.swa_start = s.swa_start.value_or(std::max<int64_t>(1, *s.epochs / 2));
  ARKS_CHECK(*s.swa_start >= 1 && *s.swa_start <= *s.epochs,
             "--swa-start, the epoch in which averaging begins, must be 1", " to the number of epochs, ", *s.epochs,
             ", got ", *s.swa_start);
}

AscentOptions ascent_options(const TrainSettings& settings) {
  auto options = AscentOptions()
                     .steps(*settings.inner_steps)
                     .learning_rate(*settings.inner_lr)
                     .learning_rate_decay(settings.inner_lr_decay)
                     .tolerance(settings.inner_tol)
                     .returned(settings.inner_return == "best" ? InnerReturn::kBest : InnerReturn::kLast)
                     .mode(settings.inner_mode == "eval" ? InnerMode::kEval : InnerMode::kTrain);
  if (settings.inner_opt) options.rule(parse_ascent_rule(*settings.inner_opt));
  return options;
}

}  // namespace

bool maximizes(const TrainSettings& settings) {
  return !is_one_of(settings.method, {"erm", "ki"});
}

bool has_kernel(const TrainSettings& settings) {
  return is_one_of(settings.method, {"arks", "ke", "ki"});
}

bool has_restarts(const TrainSettings& settings) {
  return is_one_of(settings.method, {"ke", "ro"});
}

std::vector<std::string> method_names() {
  return {"erm", "arks", "wrm", "pgd", "ke", "ki", "ro"};
}

void add_train_settings(Flags& flags, TrainSettings& s) {
  flags.group("What to train");
  flags.option("--data", s.data,
               "data set (arks data list shows them), or your own: FILE.csv, FILE.npy with --targets, or a folder with "
               "a folder of images for each class [fashion-mnist]");
  flags.option("--method", s.method,
               "erm | arks | wrm | pgd | ke (kernel distance envelope) | ki (kernel interpolant) | ro (worst case over "
               "--domain) [arks]");
  flags.option("--model", s.model,
               "network: celeba-cnn | fashion-cnn | linear | mlp | resnet20, or your own, a TorchScript FILE.pt [the "
               "paper's for the data set]");
  flags.option("--activation", s.activation,
               "relu | elu | leaky-relu (slope 0.01) in celeba-cnn, mlp and resnet20 [the paper's: celeba-cnn "
               "leaky-relu, mlp elu, resnet20 relu]");
  add_model_settings(flags, s.network);
  flags.option("--train-limit", s.train_limit, "use the first N training samples; 0 = all [0]");
  flags.option("--limit", s.limit, "test on the first N test samples; 0 = all [0]");
  flags.option("--bounds", s.bounds,
               "valid range lo,hi of every input value, or one per feature: lo,hi;lo,hi;... [the data set's]", "LO,HI");
  flags.option("--seed", s.seed, "of initial weights, order of samples, random starts [0]");

  add_data_settings(flags, s.table);
  add_celeba_settings(flags, s.celeba);

  flags.group("Method");
  add_kernel_settings(flags, s.kernel);
  flags.option("--gamma", s.gamma,
               "wrm: multiplies the cost, in loss per unit of cost; ke: multiplies 1-k, in units of the loss "
               "[wrm on fashion-mnist: 1, cifar10: 50, celeba: 4]");
  flags.option("--eps", s.eps, "pgd: radius of the ball, in units of the input [0.3]");
  flags.option("--eps-scale", s.eps_scale,
               "pgd linf: factors s1,s2,... per feature for radius and step; 0 holds a feature still [1]", "LIST");
  flags.option("--norm", s.norm, "pgd: linf | l2 [linf]");
  flags.flag("--random-start", s.random_start, "pgd: start anywhere in the ball, not at the sample");
  flags.flag("--project-bounds", s.project_bounds, "pgd: stay within --bounds in every step");

  flags.option(
      "--ki-variant", s.ki_variant,
      "ki: loss | model | ridge. The penalty is e*sqrt(l'K^-1 l) on the losses, the same on the losses of the model's "
      "kernel regression, or lambda*g'K^-1 g on its outputs [loss]");
  flags.option("--ki-epsilon", s.ki_epsilon, "ki loss, model: weight of the penalty, a radius in MMD [0.1]");
  flags.option("--ki-lambda", s.ki_lambda, "ki model: ridge of the regression; ridge: weight of the penalty [0.1]");
  flags.option("--ki-jitter", s.ki_jitter, "ki: added to the diagonal of K [1e-6]");

  flags.group("Inner maximisation (arks, wrm, pgd, ke, ro)");
  flags.option("--inner-steps", s.inner_steps, "ascent steps per batch [15; tables: 10]");
  flags.option("--inner-lr", s.inner_lr,
               "step size, in units of the input; lbfgs: length tried first [fashion-mnist: arks 0.01, wrm 0.05, pgd "
               "0.001; cifar10: 0.001, pgd 0.0001; celeba: 0.002, pgd 0.0005; lbfgs: 1]");
  flags.option("--inner-restarts", s.inner_restarts,
               "ke, ro: starts per sample, the first at the sample, the others anywhere in --domain [4]");
  flags.flag("--inner-lr-decay", s.inner_lr_decay, "divide the step size by the root of the step number");
  flags.option(
      "--inner-opt", s.inner_opt,
      "sgd | adam | amsgrad | sign | normalized | lbfgs [amsgrad; tables: lbfgs; pgd: sign for linf, normalized "
      "for l2]");
  flags.option("--inner-tol", s.inner_tol,
               "a sample stops when no entry of its gradient that it can still follow is above this [0]");
  flags.option("--inner-objective", s.inner_objective,
               "arks: product | log. Climb l*k or ln(l)-cost/tau; same maximiser [product]");
  flags.option(
      "--inner-return", s.inner_return,
      "best | last iterate of each sample; last is what the paper did, best makes the surrogate a majorant [best]");
  flags.option("--inner-mode", s.inner_mode,
               "eval | train, the mode of the network in the inner loop. eval: batch norm uses its running statistics "
               "and leaves them "
               "alone, no dropout. train, as published: batch norm uses the statistics of the batch, its running ones "
               "move once with every ascent step, dropout is on [eval]");

  flags.group("Outer loop");
  flags.option("--epochs", s.epochs, "passes over the training set [45; cifar10: 65; tables: 2000]");
  flags.option("--batch-size", s.batch_size, "samples per step [256; cifar10, celeba, iris: 128]");
  flags.option("--opt", s.opt, "sgd | adam | amsgrad [amsgrad; cifar10, iris: sgd; other tables: adam]");
  flags.option("--lr", s.lr, "learning rate [0.001; cifar10, iris: 0.1]");
  flags.option("--momentum", s.momentum, "of sgd, in [0,1) [0.9; iris: 0]");
  flags.option("--weight-decay", s.weight_decay, "L2 penalty on the weights [0; cifar10: 0.0001]");
  flags.option("--lr-steps", s.lr_steps,
               "epochs after which the learning rate falls to a tenth, or none [none; cifar10: 25,50]", "LIST");
  flags.option(
      "--augment", s.augment,
      "none | flip | crop | crop-flip: mirror every training image left and right with probability 1/2, cut it "
      "at random out of itself with zeros around, both; drawn anew in every epoch [none; cifar10: crop-flip]");
  flags.option("--crop-padding", s.crop_padding, "of --augment crop: zeros on every side, in pixels [4]");
  flags.flag("--swa,!--no-swa", s.swa,
             "stochastic weight averaging: the result is the mean of the weights after the last epochs [tables: yes]");
  flags.option("--swa-start", s.swa_start, "first epoch whose weights are averaged [half of --epochs]");
}

std::vector<std::string> fill_published(TrainSettings& s, const DatasetInfo* found) {
  check_word("method", s.method, method_names());
  ARKS_CHECK(s.seed >= 0, "--seed must not be negative, got ", s.seed);
  parse_interpolant_variant(s.ki_variant);
  check_word("inner objective", s.inner_objective, {"product", "log"});
  check_word("inner return", s.inner_return, {"best", "last"});
  check_word("inner mode", s.inner_mode, {"eval", "train"});
  ARKS_CHECK(s.train_limit >= 0, "--train-limit must not be negative, got ", s.train_limit);
  ARKS_CHECK(s.limit >= 0, "--limit must not be negative, got ", s.limit);
  if (has_kernel(s)) check_kernel(s.kernel);
  check_domain(s);
  ARKS_CHECK(s.method != "ke" || s.gamma,
             "--method ke needs --gamma: the paper gives no value (its search: 0.01 to 1000)");
  const auto published = found != nullptr ? published_settings(s.data, *found) : published_settings(s.data);
  check_strengths(s, published);
  Filler fill;
  fill("model", s.model, published.model);
  fill("epochs", s.epochs, published.epochs);
  fill("batch-size", s.batch_size, published.batch_size);
  fill("opt", s.opt, published.optimizer);
  fill("lr", s.lr, published.learning_rate);
  fill_schedule(s, published, fill);
  if (maximizes(s)) fill("inner-steps", s.inner_steps, published.inner_steps);
  if (has_kernel(s) && lacks_bandwidth(s.kernel)) fill("sigma", s.kernel.sigma, published.sigma);
  if (has_restarts(s)) fill("inner-restarts", s.inner_restarts, int64_t{4});
  if (s.method == "ki") {
    fill("ki-epsilon", s.ki_epsilon, 0.1);
    fill("ki-lambda", s.ki_lambda, 0.1);
    fill("ki-jitter", s.ki_jitter, 1e-6);
  } else if (is_one_of(s.method, {"arks", "ke", "ro"})) {
    fill("inner-lr", s.inner_lr, inner_rate(s, published, published.sigma_inner_rate));
    fill("inner-opt", s.inner_opt, published.inner_optimizer);
  } else if (s.method == "wrm") {
    fill("gamma", s.gamma, published.gamma);
    fill("inner-lr", s.inner_lr, inner_rate(s, published, published.gamma_inner_rate));
    fill("inner-opt", s.inner_opt, published.inner_optimizer);
  } else if (s.method == "pgd") {
    fill("eps", s.eps, published.eps);
    // where no step is published: one that reaches the surface and can still turn (Madry et al. 2018)
    const double reach = 2.5 * *s.eps / static_cast<double>(std::max<int64_t>(*s.inner_steps, 1));
    fill("inner-lr", s.inner_lr, published.strengths ? published.alpha : reach);
  }
  fill_augmentation(s, published, fill);
  fill_averaging(s, published, fill);
  return fill.take();
}

std::vector<std::string> unused_flags(const TrainSettings& s) {
  std::vector<std::string> unused;
  const auto note = [&](bool given, const char* flag, bool used) {
    if (given && !used) unused.push_back(std::string(flag) + " is not used by method " + s.method);
  };
  const bool arks = s.method == "arks", pgd = s.method == "pgd", ki = s.method == "ki";
  const auto& k = s.kernel;
  note(k.sigma.has_value(), "--sigma", has_kernel(s));
  note(k.temperature.has_value(), "--temperature", has_kernel(s));
  note(k.kernel.has_value(), "--kernel", has_kernel(s));
  note(k.imq_scale.has_value(), "--imq-scale", has_kernel(s));
  note(k.cost.has_value(), "--cost", has_kernel(s) || s.method == "wrm");
  note(k.mahalanobis.has_value(), "--mahalanobis", has_kernel(s) || s.method == "wrm");
  note(k.mahalanobis_ridge.has_value(), "--mahalanobis-ridge", has_kernel(s) || s.method == "wrm");
  note(k.domain.has_value(), "--domain", maximizes(s) && !pgd);
  note(s.inner_objective != "product", "--inner-objective", arks);
  note(s.gamma.has_value(), "--gamma", s.method == "wrm" || s.method == "ke");
  note(s.ki_variant != "loss", "--ki-variant", ki);
  note(s.ki_epsilon.has_value(), "--ki-epsilon", ki);
  note(s.ki_lambda.has_value(), "--ki-lambda", ki);
  if (ki && s.ki_epsilon && s.ki_variant == "ridge") unused.emplace_back("--ki-epsilon is not used by variant ridge");
  if (ki && s.ki_lambda && s.ki_variant == "loss") unused.emplace_back("--ki-lambda is not used by variant loss");
  note(s.ki_jitter.has_value(), "--ki-jitter", ki);
  note(s.inner_restarts.has_value(), "--inner-restarts", has_restarts(s));
  note(s.eps.has_value(), "--eps", pgd);
  note(!s.eps_scale.empty(), "--eps-scale", pgd);
  note(s.norm != "linf", "--norm", pgd);
  note(s.random_start, "--random-start", pgd);
  note(s.project_bounds, "--project-bounds", pgd);
  note(s.inner_opt.has_value(), "--inner-opt", maximizes(s) && !pgd);
  note(s.inner_steps.has_value(), "--inner-steps", maximizes(s));
  note(s.inner_lr.has_value(), "--inner-lr", maximizes(s));
  note(s.inner_tol != 0, "--inner-tol", maximizes(s));
  note(s.inner_lr_decay, "--inner-lr-decay", maximizes(s));
  note(s.inner_return != "best", "--inner-return", maximizes(s));
  note(s.inner_mode != "eval", "--inner-mode", maximizes(s));
  if (s.network.reinit && !is_model_file(s.model.value_or(""))) {
    unused.emplace_back("--reinit changes nothing: built-in networks are always drawn from the seed");
  }
  if (s.momentum && s.opt.value_or("") != "sgd") unused.emplace_back("--momentum is used with --opt sgd only");
  const auto augment = s.augment.value_or(published_settings(s.data).augment);
  if (s.crop_padding && augment != "crop" && augment != "crop-flip") {
    unused.emplace_back("--crop-padding is used with --augment crop and crop-flip only");
  }
  if (data_kind(s.data) == DataKind::kOfficial) {
    for (const auto& flag : given_flags(s.table)) unused.push_back(flag + " is not used by data set " + s.data);
  }
  if (s.data != "celeba") {
    for (const auto& flag : given_flags(s.celeba)) unused.push_back(flag + " is used with --data celeba only");
  }
  if (s.swa_start && !s.swa.value_or(published_settings(s.data).average)) {
    unused.emplace_back("--swa-start is used with --swa only");
  }
  return unused;
}

std::string advice(const TrainSettings& s) {
  if (s.method != "pgd") return "";
  const double reach = static_cast<double>(*s.inner_steps) * *s.inner_lr;
  if (s.random_start || reach >= *s.eps * (1 - 1e-9)) return "";
  return c10::str("pgd: ", *s.inner_steps, " steps of ", *s.inner_lr, " reach ", reach, ", never eps ", *s.eps,
                  "; so it was published, but a larger --inner-lr is usually meant");
}

std::unique_ptr<Objective> make_objective(const TrainSettings& s, const std::optional<Bounds>& data_bounds,
                                          const Dataset& train_set) {
  const auto domain = domain_of(s.kernel);
  if (s.method == "erm") return std::make_unique<Erm>();
  if (s.method == "arks") {
    const auto form = s.inner_objective == "log" ? InnerForm::kLog : InnerForm::kProduct;
    return std::make_unique<Arks>(make_kernel(s.kernel, train_set), ascent_options(s), form, domain);
  }
  if (s.method == "wrm") {
    return std::make_unique<Wrm>(*s.gamma, ascent_options(s), make_cost(s.kernel, "sq-l2", train_set), domain);
  }
  if (s.method == "ke") {
    const auto options = KernelEnvelopeOptions(*domain).gamma(*s.gamma).restarts(*s.inner_restarts);
    return std::make_unique<KernelEnvelope>(make_kernel(s.kernel, train_set), options, ascent_options(s));
  }
  if (s.method == "ki") {
    return std::make_unique<KernelInterpolant>(make_kernel(s.kernel, train_set),
                                               KernelInterpolantOptions()
                                                   .variant(parse_interpolant_variant(s.ki_variant))
                                                   .epsilon(*s.ki_epsilon)
                                                   .lambda(*s.ki_lambda)
                                                   .jitter(*s.ki_jitter));
  }
  if (s.method == "ro") {
    return std::make_unique<WorstCase>(WorstCaseOptions(*domain).restarts(*s.inner_restarts), ascent_options(s));
  }
  ARKS_CHECK(s.method == "pgd", "method ", s.method, " has no objective");
  auto options = PgdTrainingOptions()
                     .eps(*s.eps)
                     .eps_scale(parse_factors(s.eps_scale, "--eps-scale"))
                     .norm(parse_norm(s.norm))
                     .random_start(s.random_start);
  if (s.project_bounds) options.bounds(data_bounds);
  return std::make_unique<PgdTraining>(options, ascent_options(s));
}

OptimizerOptions optimizer_options(const TrainSettings& s) {
  return OptimizerOptions()
      .kind(parse_optimizer(*s.opt))
      .learning_rate(*s.lr)
      .momentum(*s.momentum)
      .weight_decay(*s.weight_decay)
      .decay_epochs(*s.lr_steps == kNone ? std::vector<int64_t>() : parse_whole_numbers(*s.lr_steps, "--lr-steps"));
}

std::optional<CropFlipOptions> augmentation_options(const TrainSettings& s) {
  if (*s.augment == "none") return std::nullopt;
  return CropFlipOptions().padding(crops(s) ? *s.crop_padding : 0).flip(*s.augment != "crop");
}

}  // namespace arks::cli
