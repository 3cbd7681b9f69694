// What modules export, as esbuild sees it without types.

import { build, type Plugin } from 'esbuild'

const alone: Plugin = {
  name: 'alone',
  setup(setup) {
    setup.onResolve({ filter: /./ }, ({ path, kind }) => (kind === 'entry-point' ? null : { path, external: true }))
  },
}

const common = { outdir: 'names', bundle: true, platform: 'node', format: 'esm', write: false, metafile: true } as const

/**
 * The names that each of `modules` exports: ECMAScript modules, paths from `root`. Throws where one of ours may get
 * another value later: who took it before would not notice.
 */
export async function exportedNames(
  root: string,
  modules: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const places = { absWorkingDir: root, outbase: root }
  const read = await build({ ...common, ...places, entryPoints: [...modules], plugins: [alone] })
  const found = new Map<string, readonly string[]>()
  const passingOn: string[] = []
  for (const [index, { entryPoint = '', exports }] of Object.values(read.metafile.outputs).entries()) {
    const text = read.outputFiles[index]?.text ?? ''
    if (/^export \* from/m.test(text)) passingOn.push(entryPoint)
    const changing = exports.find(name => new RegExp(`^let ${name}\\b|^var ${name};`, 'm').test(text))
    if (changing !== undefined && entryPoint.startsWith('src/'))
      throw new Error(`${entryPoint}: ${changing} may change, and other scripts use it`)
    found.set(entryPoint, exports)
  }
  // Those of the modules that they name are among theirs.
  const whole = await build({ ...common, ...places, entryPoints: passingOn, packages: 'external', logLevel: 'error' })
  for (const { entryPoint = '', exports } of Object.values(whole.metafile.outputs)) found.set(entryPoint, exports)
  return found
}

/** The text of a module that has the exports `names` of what `asked` evaluates to, taken once. */
export function exportingAll(names: readonly string[], asked: string): string {
  const plain = names.filter(name => name !== 'default')
  const lines = [`const all = ${asked}`, `export const { ${plain.join()} } = all`]
  return [...lines, ...(plain.length < names.length ? ['export default all.default'] : [])].join('\n')
}

/**
 * As exportingAll(), but `asked` is evaluated whenever one of them is used, and not before. `target`: what gets the
 * names.
 */
export function exportingAtUse(names: readonly string[], asked: string, target = '{}'): string {
  return `const names = ${JSON.stringify(names.join(' '))}.split(' ')
const late = name => [name, { get: () => ${asked}[name], enumerable: true }]
module.exports = Object.defineProperties(${target}, Object.fromEntries(names.map(late)))`
}
