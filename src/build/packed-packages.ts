// Packages that come in the program instead of beside it, because installing them would ask hosts other than the
// package registry, or run scripts: better-sqlite3 (looks for its machine code on a release page, else compiles and
// fetches the headers of Node) and swagger-ui-dist (a package below it reports each installation). Decision 0363.

import type { Plugin } from 'esbuild'
import { copyFileSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

/** Machine code of better-sqlite3 in the folder of the bundle: for one system, processor and module version of Node. */
function nativeName({ platform, arch, versions }: NodeJS.Process): string {
  return `better_sqlite3-${platform}-${arch}-${versions.modules}.node`
}

/**
 * What better-sqlite3 asks for its machine code (package `bindings`): the file of the bundle, seen from the command
 * line and from the threads, else a better-sqlite3 that the user installed beside the program for another Node or
 * machine. Runs in the program; `require` is that of the file which holds it.
 */
const LOADER = `
const { platform, arch, versions } = process
const name = (${nativeName.toString()})(process)
const places = ['../bundle/' + name, '../src/bundle/' + name, 'better-sqlite3/build/Release/better_sqlite3.node']
module.exports = () => {
  let missing
  for (const place of places) {
    try {
      return require(require.resolve(place))
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') throw error
      missing = error
    }
  }
  const text = 'this package has no SQLite for ' + platform + ' ' + arch + ' with Node ' + versions.node
  throw new Error(text + '; install better-sqlite3 beside it, in the version its package.json names', { cause: missing })
}
`

/** For esbuild: puts LOADER in the place of `bindings`. */
export const nativeDatabase: Plugin = {
  name: 'native-database',
  setup(setup) {
    setup.onResolve({ filter: /^bindings$/ }, ({ path }) => ({ path, namespace: 'native-database' }))
    setup.onLoad({ filter: /./, namespace: 'native-database' }, () => ({ contents: LOADER }))
  },
}

/** Of swagger-ui-dist: what src/http/routes/docs.ts serves, and whose work it is. */
const SWAGGER = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'favicon-16x16.png',
  'favicon-32x32.png',
  'LICENSE',
  'NOTICE',
  'swagger-ui-bundle.js.LICENSE.txt',
]

/** WebAssembly of FFmpeg that threads of a chapter run (src/chapters/hls/coders), as its packages hold it. */
const CODERS = [
  ['@mediabunny/ac3', 'ac3.js'],
  ['@mediabunny/aac-encoder', 'aac.js'],
] as const

/**
 * Copies the machine code of better-sqlite3, the files of swagger-ui and coders of sound from `modules` (node_modules)
 * to `folder`, which exists. Throws when a package is not installed or not built.
 */
export function copyPackedPackages(modules: string, folder: string): void {
  const native = join(modules, 'better-sqlite3/build/Release/better_sqlite3.node')
  if (!existsSync(native)) throw new Error('better-sqlite3 is not built: run npm rebuild better-sqlite3')
  copyFileSync(native, join(folder, nativeName(process)))
  const docs = join(folder, 'swagger-ui')
  mkdirSync(docs)
  for (const name of SWAGGER) copyFileSync(join(modules, 'swagger-ui-dist', name), join(docs, name))
  const coders = join(folder, 'coders')
  mkdirSync(coders)
  for (const [name, file] of CODERS) copyFileSync(join(modules, name, 'dist/modules/build', file), join(coders, file))
}
