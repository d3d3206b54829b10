#pragma once

#include <vector>

#include "collectives/training/compute/work.hpp"
#include "collectives/training/spec/training_spec.hpp"

/// How long matrix products take by their shape.
///
/// Roofline: a product of m x k and k x n numbers is done in tiles of results, each by one
/// multiprocessor, on Blackwell by two, one at a time, so that tiles take ceil(tiles /
/// multiprocessors) waves (NVIDIA, "Matrix Multiplication Background User's Guide", sections 3 and
/// 4). Of the sizes of tiles that libraries have, the one counts with which the product is over
/// first: 256 x 128, 128 x 256, 128 x 128, 64 x 256 or 64 x 128 of a multiprocessor, and twice the
/// rows of two. A tile takes its 2 tm tn k operations at
/// the multiprocessor's share of the peak, times `gemm_efficiency`, and `tile` besides. A product
/// takes no less than its bytes through memory. Products of the experts of a rank are one kernel:
/// their tiles are dealt out together. `launch` passes from one kernel to the next.
///
/// Inputs of products in 8 bits, and gradients of their results, are converted before: read in 16
/// bits and written twice in 8, by rows and by columns (NVIDIA Transformer Engine, "FP8 primer";
/// MXFP8 has scales in both directions). Weights are converted once per step, which is left out.
/// Kernels between products take their bytes through memory (traffic.hpp).
///
/// Measured: a listed shape takes what is listed. Another one has the rate of those that are
/// listed, weighted by the inverse square of their distance in octaves of m, n and k.
namespace weft::collectives {

/// Of `count` products of the same shape in one kernel, such as of a rank's experts.
struct MatrixProduct {
  double m = 0;
  double n = 0;
  double k = 0;
  double count = 1;
  bool is_wide = false;      ///< in 16 bits where others are in 8
  bool is_gradient = false;  ///< of weights, added to what other micro-batches gave

  [[nodiscard]] double flops() const { return 2 * m * n * k * count; }
};

/// In seconds.
[[nodiscard]] double product_time(const MatrixProduct& product, const TrainingSpec& spec);

/// What a layer multiplies of `tokens` tokens of a rank, in the forward pass. The backward pass has
/// each of them twice: of gradients of inputs m x n and n x k numbers, of weights k x m and m x n.
struct LayerProducts {
  std::vector<MatrixProduct> attention;  ///< its projections
  std::vector<MatrixProduct> feed_forward;
  std::vector<MatrixProduct> shared;     ///< of experts that every token goes to
  std::vector<MatrixProduct> latent_up;  ///< of attention's, those from compressed vectors
  double attention_kernels = 0;          ///< that are no products
  double feed_forward_kernels = 0;
  double shared_kernels = 0;
};
[[nodiscard]] LayerProducts layer_products(const TrainingSpec& spec, bool has_experts, double load);

/// Seconds of products in each direction, launches included.
struct ProductTimes {
  double forward = 0;
  double backward_inputs = 0;
  double backward_weights = 0;

  ProductTimes& operator+=(const ProductTimes& other);
};
[[nodiscard]] ProductTimes product_times(const std::vector<MatrixProduct>& products,
                                         const TrainingSpec& spec);

/// What products of the scores of attention take: blocks of 128 queries of every head in waves, at
/// `gemm_efficiency`. Scores that leave the chip are computed without regard to a mask, and read or
/// written `score_passes` times, if that takes longer.
[[nodiscard]] double attention_time(double flops, const TrainingSpec& spec,
                                    double score_passes = 0);

/// Whether times follow from shapes.
[[nodiscard]] inline bool goes_by_shapes(const TrainingSpec& spec) {
  return spec.compute.kernels.model != KernelSpec::Model::kConstant;
}

}  // namespace weft::collectives
