#include "script_module.h"
#include "support/complaint.h"
#include "support/file.h"

#include <arks/model/normalised.h>
#include <arks/model/rescaled.h>
#include <arks/model/torchscript.h>
#include <arks/model/two_logits.h>
#include <arks/support/error.h>
#include <caffe2/serialize/inline_container.h>
#include <torch/csrc/jit/serialization/import.h>

#include <sstream>

namespace arks {

namespace {

/// The names of the user's own files in the archive, with empty content: torch fills in those that are asked for.
torch::jit::ExtraFilesMap extra_files_in(const std::string& bytes) {
  std::istringstream stream(bytes);
  caffe2::serialize::PyTorchStreamReader reader(&stream);
  const std::string folder = "extra/";
  torch::jit::ExtraFilesMap files;
  for (const auto& record : reader.getAllRecords()) {
    if (record.rfind(folder, 0) == 0) files[record.substr(folder.size())] = "";
  }
  return files;
}

void check_kind(ModelFile kind, const std::string& name) {
  const std::string how = "; in Python: torch.jit.script(model).save(\"net.pt\")";
  ARKS_CHECK(kind != ModelFile::kCheckpoint, name,
             " is a checkpoint of arks train, not TorchScript; the run folder holds model.pt");
  ARKS_CHECK(kind != ModelFile::kPickle, name, " is a pickle (torch.save), perhaps a state_dict, not TorchScript", how);
  ARKS_CHECK(kind != ModelFile::kDamaged, name, " is damaged: an archive that is cut off or overwritten");
  ARKS_CHECK(kind == ModelFile::kTorchScript, name, " is not a TorchScript file", how);
}

}  // namespace

const ScriptModule* script_in(const Model& model) {
  const auto* module = model.module().get();
  if (const auto* scaled = dynamic_cast<const NormalisedImpl*>(module)) return script_in(scaled->net());
  if (const auto* scaled = dynamic_cast<const RescaledImpl*>(module)) return script_in(scaled->net());
  if (const auto* split = dynamic_cast<const TwoLogitsImpl*>(module)) return script_in(split->net());
  return dynamic_cast<const ScriptModule*>(module);
}

ModelFile recognise_model_file(const std::string& bytes) {
  const auto starts_with = [&](const char* magic) { return bytes.rfind(magic, 0) == 0; };
  constexpr size_t kTail = 64;
  const auto tail = bytes.substr(bytes.size() > kTail ? bytes.size() - kTail : 0);
  if (tail.find("arks crc32 ") != std::string::npos) return ModelFile::kCheckpoint;
  if (starts_with("\x80\x02") || starts_with("\x80\x03") || starts_with("\x80\x04")) return ModelFile::kPickle;
  if (!starts_with("PK\x03\x04")) return ModelFile::kOther;
  try {
    std::istringstream stream(bytes);
    caffe2::serialize::PyTorchStreamReader archive(&stream);
    // programs have the constants of their code beside the weights
    return archive.hasRecord("constants.pkl") ? ModelFile::kTorchScript : ModelFile::kPickle;
  } catch (const std::exception&) {
    return ModelFile::kDamaged;
  }
}

Model load_torchscript(const std::string& bytes, const std::string& name) {
  check_kind(recognise_model_file(bytes), name);
  torch::jit::Module program;
  torch::jit::ExtraFilesMap extra_files;
  try {
    extra_files = extra_files_in(bytes);
    std::istringstream stream(bytes);
    program = torch::jit::load(stream, torch::kCPU, extra_files);
  } catch (const std::exception& failure) {
    throw Error(name + " cannot be read as TorchScript: " + complaint_of(failure));
  }
  const auto module = std::make_shared<ScriptModule>(program, name);
  module->extra_files = std::move(extra_files);
  return Model(module).named("torchscript " + class_name(program));
}

InnerProgram inner_program(const Model& model) {
  InnerProgram inner{model, {}, {}, {}, {}};
  const auto program = std::dynamic_pointer_cast<ScriptModule>(model.module());
  if (!program) return inner;
  auto script = program->script();
  const auto enter = [&](torch::Tensor& mean, torch::Tensor& deviation) {
    mean = script.attr("mean").toTensor().to(torch::kDouble);
    deviation = script.attr("deviation").toTensor().to(torch::kDouble);
    script = script.attr("net").toModule();
  };
  if (is_of_class(script, kRescaledClass)) enter(inner.output_mean, inner.output_deviation);
  if (is_of_class(script, kNormalisedClass)) enter(inner.input_mean, inner.input_deviation);
  if (inner.output_mean.defined() || inner.input_mean.defined()) {
    inner.net = Model(std::make_shared<ScriptModule>(script, program->called())).named(model.architecture());
  }
  return inner;
}

std::string interface_in(const std::string& bytes) {
  try {
    std::istringstream stream(bytes);
    caffe2::serialize::PyTorchStreamReader reader(&stream);
    const auto record = std::string("extra/") + kInterfaceFile;
    if (!reader.hasRecord(record)) return "";
    const auto [data, size] = reader.getRecord(record);
    return {static_cast<const char*>(data.get()), size};
  } catch (const std::exception&) {  // whoever loads the file says what is wrong with it
    return "";
  }
}

Model load_torchscript(const std::filesystem::path& file) {
  return load_torchscript(read_file(file), file.string());
}

}  // namespace arks
