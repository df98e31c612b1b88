#pragma once
#include "data/tabular.h"

namespace arks {

/// 442 patients with diabetes: age, sex, body mass index, blood pressure, six blood values; the target is a measure of
/// the progression of the disease one year later, 25 to 346 (regression). Built in. As in scikit-learn every input is
/// centred and scaled over all 442 rows, x ← (x − mean)/(deviation·√442), so that each column has the norm 1; the
/// target stays as it is. Not standardised further unless asked for; divided by split_table. Efron, Hastie, Johnstone,
/// Tibshirani, "Least Angle Regression", 2004.
DataSplits load_diabetes(const TabularOptions& options = TabularOptions());

/// All 442 rows, scaled, in the order of the file.
DataTable diabetes_table(const TabularOptions& options);

}  // namespace arks
