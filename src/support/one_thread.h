#pragma once

namespace arks {

/// While it lives, what the calling thread asks of torch, oneDNN or OpenMP runs on this thread alone. Other threads go
/// on as before.
class OneThread {
 public:
  OneThread();
  ~OneThread();
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_ = 0;
};

}  // namespace arks
