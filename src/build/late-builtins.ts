// Modules of Node that a start does not use: in the built program they are loaded when something of them is first used,
// not with the modules that import them.

import type { Plugin } from 'esbuild'
import { createRequire } from 'node:module'
import { exportingAtUse } from './exported-names.ts'

/** Each takes 0.5 to 2.5 ms of CPU, with what it loads itself. */
const LATE = ['assert', 'child_process', 'dgram', 'dns', 'http', 'https', 'tls', 'zlib'] as const

const require = createRequire(import.meta.url)

/** A CommonJS module whose names are looked up in the module of Node at each use; called, it calls that. */
function lateModule(name: string): string {
  const real = `require(${JSON.stringify(`node:${name}`)})`
  const built = require(`node:${name}`) as object
  const names = Object.keys(built).filter(key => /^\w+$/.test(key))
  return exportingAtUse(names, real, typeof built === 'function' ? `(...args) => ${real}(...args)` : '{}')
}

/** For esbuild. */
export const lateBuiltins: Plugin = {
  name: 'late-builtins',
  setup(setup) {
    const filter = new RegExp(`^(?:node:)?(?:${LATE.join('|')})$`)
    setup.onResolve({ filter }, ({ path, kind, namespace }) => {
      if (namespace === 'late-builtin' || kind === 'dynamic-import') return null
      return { path: path.replace(/^node:/, ''), namespace: 'late-builtin' }
    })
    setup.onLoad({ filter: /./, namespace: 'late-builtin' }, ({ path }) => ({ contents: lateModule(path) }))
  },
}
