#pragma once
#include "data/model_interface.h"

#include <arks/model/model.h>

namespace arks {

/// The net for data that may be scaled otherwise than what it takes and gives, as `own` says. Where it scales the
/// user's own numbers itself, as a program of arks export does, numbers that are scaled already go straight into the
/// network behind that: those far from 0 would lose digits on the way there and back.
Model on_scale_of(const DatasetInfo& data, Model net, ModelInterface own);

}  // namespace arks
