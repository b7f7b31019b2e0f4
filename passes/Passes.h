// The passes of the plugin. Each is documented where it is defined.
#ifndef HECV_PASSES_H
#define HECV_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>

namespace hecv {

std::unique_ptr<mlir::Pass> createAnnotatePass();
std::unique_ptr<mlir::Pass> createValidatePass();

} // namespace hecv

#endif
