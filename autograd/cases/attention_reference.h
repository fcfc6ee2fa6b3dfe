#pragma once

#include <cmath>
#include <vector>

namespace glossa {

/// Scaled dot-product attention of one head, softmax(Q K^T / sqrt(d_k)) V (equation 1 of Vaswani et al. 2017), and its
/// derivative. Q [n, d_k], K [m, d_k], V [m, d_v] -> Y [n, d_v]. M [n, m] is added to the scores; -inf blocks a key for
/// a query. D [n, m] holds dropout's factors, 0 or 1 / (1 - p). dX is the gradient of X.
struct AttentionReference {
  using Matrix = std::vector<std::vector<double>>;
  Matrix Q, K, V, M, D, dY;            // operands
  Matrix S, P, Y, dP, dS, dQ, dK, dV;  // results, initially zero
  void compute(int n, int m, int d_k, int d_v, double scale) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < m; ++j)
        for (int c = 0; c < d_k; ++c) S[i][j] += scale * Q[i][c] * K[j][c];  // S = Q K^T / sqrt(d_k)
      double total = 0, mean = 0;
      for (int j = 0; j < m; ++j) total += P[i][j] = std::exp(S[i][j] + M[i][j]);
      for (int j = 0; j < m && total > 0; ++j) P[i][j] /= total;  // P = softmax(S + M), zeros if all keys are blocked
      for (int j = 0; j < m; ++j)
        for (int c = 0; c < d_v; ++c) Y[i][c] += D[i][j] * P[i][j] * V[j][c];  // Y = (D P) V

      for (int j = 0; j < m; ++j)
        for (int c = 0; c < d_v; ++c) dV[j][c] += D[i][j] * P[i][j] * dY[i][c];  // dV = (D P)^T dY
      for (int j = 0; j < m; ++j)
        for (int c = 0; c < d_v; ++c) dP[i][j] += D[i][j] * dY[i][c] * V[j][c];  // dP = D (dY V^T)
      for (int j = 0; j < m; ++j) mean += dP[i][j] * P[i][j];
      for (int j = 0; j < m; ++j) dS[i][j] = P[i][j] * (dP[i][j] - mean);  // dS = P (dP - sum(dP P))
      for (int j = 0; j < m; ++j)
        for (int c = 0; c < d_k; ++c) dQ[i][c] += scale * dS[i][j] * K[j][c];  // dQ = dS K / sqrt(d_k)
      for (int j = 0; j < m; ++j)
        for (int c = 0; c < d_k; ++c) dK[j][c] += scale * dS[i][j] * Q[i][c];  // dK = dS^T Q / sqrt(d_k)
    }
  }
};

}  // namespace glossa
