// The machine code that hashes, by each path that this processor can run: what `make build` made, or the file that
// TRIBUTARY_NATIVE names (`make fuzz-native`: one that watches every access to memory).

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { hashPathNames, loadNative, NativeHash, type NativeModule } from '../../src/pools/jobs/native-hash.ts'
import { projectRoot } from './project-root.ts'

/** The file. */
export const nativeFile = process.env['TRIBUTARY_NATIVE'] ?? join(projectRoot, 'dist/src/native/tributary.node')

/** Whether a test without it may be skipped: it is not made where a compiler or the headers of Node are missing. */
export const nativeMissing: string | false =
  existsSync(nativeFile) || process.env['REQUIRE_PEERS'] === '1' ? false : 'src/native is not built here'

/** Loads it; each test that needs it may. */
export function nativeModule(): NativeModule {
  return loadNative(nativeFile)
}

/** By every path that this processor can run. */
export function nativeHashes(): NativeHash[] {
  const native = nativeModule()
  const known = native.paths()
  return hashPathNames
    .filter((_, number) => typeof known[number] === 'string')
    .map(name => new NativeHash(native, name))
}
