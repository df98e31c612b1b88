#include "train/run_folder.h"

#include "support/file.h"
#include "support/testing.h"

#include <arks/train/checkpoint.h>

namespace arks {

namespace fs = std::filesystem;
using testing::TemporaryFolder;

TEST(RunFolder, IsFreeWithoutFilesButThoseThatWereNotFinished) {
  const TemporaryFolder folder;
  EXPECT_TRUE(is_free_for_a_run(folder.path()));
  EXPECT_TRUE(is_free_for_a_run(folder / "missing"));
  write_file_atomically(folder / "config.toml.partial", "half");
  write_file_atomically(folder / "initial.pt.partial", "half");
  EXPECT_TRUE(is_free_for_a_run(folder.path()));
  write_file_atomically(folder / "letter.txt.partial", "dear");
  EXPECT_FALSE(is_free_for_a_run(folder.path()));
}

TEST(RunFolder, IsKnownByTheContentOfItsFiles) {
  const TemporaryFolder folder;
  write_file_atomically(folder / "config.toml", "mine = 1\n");
  write_file_atomically(folder / "checkpoint.pt", "mine");
  EXPECT_FALSE(holds_a_run(folder.path()));
  Checkpoint checkpoint;
  checkpoint.optimizer = checkpoint.generator = torch::zeros({1}, torch::kByte);
  write_checkpoint(folder / "checkpoint.pt", checkpoint);
  EXPECT_TRUE(holds_a_run(folder.path()));
  fs::remove(folder / "checkpoint.pt");
  write_file_atomically(folder / "config.toml", std::string(kConfigMark) + "0.1.0\n");
  EXPECT_TRUE(holds_a_run(folder.path()));
}

TEST(RunFolder, KeepsItsConfigurationAndOtherFilesWhenItIsCleared) {
  const TemporaryFolder folder;
  for (const auto* name : {"config.toml", "model.pt", "model.pt.partial", "notes.txt"}) {
    write_file_atomically(folder / name, "x");
  }
  clear_run_folder(folder.path(), /*unfinished_only=*/true);
  EXPECT_FALSE(fs::exists(folder / "model.pt.partial"));
  EXPECT_TRUE(fs::exists(folder / "model.pt"));
  clear_run_folder(folder.path(), /*unfinished_only=*/false);
  EXPECT_FALSE(fs::exists(folder / "model.pt"));
  EXPECT_TRUE(fs::exists(folder / "config.toml"));
  EXPECT_TRUE(fs::exists(folder / "notes.txt"));
}

}  // namespace arks
