#pragma once
// The flags that say how far a point is from a sample: kernel, cost, bandwidth, domain.
#include "cli/command_line.h"

#include <arks/data/dataset.h>
#include <arks/kernel/kernel.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace arks::cli {

/// What was not given stays empty until fill_kernel().
struct KernelSettings {
  std::optional<std::string> kernel, cost;
  std::optional<double> sigma, temperature, imq_scale;
  std::optional<std::string> mahalanobis;  // file with the matrix
  std::optional<double> mahalanobis_ridge;
  std::optional<std::string> domain;
};

void add_kernel_settings(Flags& flags, KernelSettings& settings);
/// Where the matrix of the Mahalanobis cost comes from; part of add_kernel_settings.
void add_mahalanobis_settings(Flags& flags, KernelSettings& settings);

/// Decides which kernel is meant and checks that its parameters are there and no others.
void check_kernel(KernelSettings& settings);

/// The bandwidth has to come from the published values: none was given, and the kernel takes one.
bool lacks_bandwidth(const KernelSettings& settings);

/// k = exp(−cost/τ). The training inputs are looked at when a Mahalanobis matrix is to be estimated.
Kernel make_kernel(const KernelSettings& settings, const Dataset& train_set);

/// The cost of --cost, or the one of that name when it was not given.
CostPtr make_cost(const KernelSettings& settings, const std::string& otherwise, const Dataset& train_set);

std::optional<Bounds> domain_of(const KernelSettings& settings);

}  // namespace arks::cli
