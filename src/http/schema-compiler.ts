// What checks of parameters are compiled with. It is loaded when the first one is (src/build/first-use.json).

export { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
