#include "study/drawn_faces.h"

namespace arks::study {

namespace {

/// A picture that shapes are painted on: values in [0,1], [h,w,3]. Places are in pixels from the centre.
class Canvas {
 public:
  Canvas(const torch::Tensor& colour, double centre_x, double centre_y)
      : pixels_(colour.expand({kFaceHeight, kFaceWidth, 3}).clone()),
        x_((torch::arange(kFaceWidth, torch::kDouble) - centre_x).unsqueeze(0)),
        y_((torch::arange(kFaceHeight, torch::kDouble) - centre_y).unsqueeze(1)) {}

  const torch::Tensor& x() const { return x_; }
  const torch::Tensor& y() const { return y_; }

  /// ((x−cx)/rx)² + ((y−cy)/ry)², so that ≤ 1 is the inside of an ellipse.
  torch::Tensor ellipse(double cx, double cy, double rx, double ry) const {
    return ((x_ - cx) / rx).pow(2) + ((y_ - cy) / ry).pow(2);
  }

  void paint(const torch::Tensor& where, const torch::Tensor& colour) {
    pixels_ = torch::where(where.unsqueeze(2), colour, pixels_);
  }

  const torch::Tensor& pixels() const { return pixels_; }

 private:
  torch::Tensor pixels_, x_, y_;
};

constexpr double kEyeX = 7, kEyeY = -4;

void paint_glasses(Canvas& canvas, const torch::Tensor& colour) {
  for (const double side : {-1, 1}) {
    const auto from_eye = canvas.ellipse(side * kEyeX, kEyeY, 5.5, 5);
    canvas.paint((from_eye <= 1) & (from_eye >= 0.45), colour);
  }
  canvas.paint((canvas.x().abs() <= 2) & ((canvas.y() - kEyeY).abs() <= 1), colour);
}

void paint_mouth(Canvas& canvas, bool smiling, const torch::Tensor& colour) {
  const auto bend = (smiling ? -0.08 : 0.02) * canvas.x().pow(2);  // a smile is highest at its ends
  canvas.paint((canvas.x().abs() <= 7) & ((canvas.y() - 12 - bend).abs() <= 1.2), colour);
}

}  // namespace

torch::Tensor draw_face(bool glasses, bool smiling, torch::Generator& generator) {
  const auto between = [&](double low, double high, int64_t count = 1) {
    return torch::empty({count}, torch::kDouble).uniform_(low, high, generator);
  };
  const auto dark = between(0.0, 0.2, 3), lips = torch::tensor({0.7, 0.2, 0.25}, torch::kDouble);
  const auto skin = torch::tensor({1.0, 0.8, 0.65}, torch::kDouble) * between(0.6, 0.95);
  const auto background = between(0.2, 0.9, 3);
  Canvas canvas(background, 22 + between(-1.5, 1.5).item<double>(), 28 + between(-1.5, 1.5).item<double>());
  canvas.paint(canvas.ellipse(0, -3, 17.5, 22.5) <= 1, between(0.05, 0.5, 3));  // hair
  canvas.paint(canvas.ellipse(0, 2, 15 + between(-1, 1).item<double>(), 20) <= 1, skin);
  for (const double side : {-1, 1}) canvas.paint(canvas.ellipse(side * kEyeX, kEyeY, 2.5, 1.5) <= 1, dark);
  if (glasses) paint_glasses(canvas, dark);
  paint_mouth(canvas, smiling, lips);
  const auto noise = torch::empty({kFaceHeight, kFaceWidth, 3}, torch::kDouble).normal_(0, 0.04, generator);
  return ((canvas.pixels() + noise).clamp(0, 1) * 255).round().to(torch::kByte);
}

}  // namespace arks::study
