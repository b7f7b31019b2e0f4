// The entry point of the plugin: registers every pass of hecv with the tool that loads it.
//
//   mlir-opt-22 --load-pass-plugin=build/passes/HecvPasses.so --pass-pipeline='builtin.module(func.func(hecv-annotate))'
//
// Passes of a plugin are known to `--pass-pipeline` only: the tool has read its flags before it loads the plugin.

#include "Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK mlir::PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "HecvPasses", LLVM_VERSION_STRING,
          [] {
            mlir::registerPass(hecv::createAnnotatePass);
            mlir::registerPass(hecv::createValidatePass);
          }};
}
