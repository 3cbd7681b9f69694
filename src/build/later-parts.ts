// How esbuild makes the scripts of one program: a module lies in one of them (script-owners.ts), and the others are
// given it.

import { build, type BuildOptions, type Metafile, type OutputFile, type Plugin } from 'esbuild'
import { relative } from 'node:path'
import { exportedNames, exportingAll, exportingAtUse } from './exported-names.ts'
import { laterScripts, PROGRAM } from './script-list.ts'
import { givenModules, planScripts, type ScriptPlan } from './script-owners.ts'

/** Before the name of a later module, and that of its script, in an import() or a given module. */
const LATER_PREFIX = 'later:'

/** What was made of a script. */
export interface MadeScript {
  readonly name: string
  readonly text: string
  readonly files: readonly OutputFile[]
  readonly metafile: Metafile
}

interface Plan extends ScriptPlan {
  readonly root: string
  /** What modules export that one script takes from another. */
  readonly names: ReadonlyMap<string, readonly string[]>
}

/**
 * Builds the program that starts with `entry` as several scripts, the first of them first. `options`: for esbuild,
 * without entries and outfile; `outfile` names the file of a script. The first runs in a function with `require`,
 * `importPackage`, `moduleUrl` and `runScript`, each other one also with `given` and `importLater`, and its last value
 * is `module.exports.parts`: src/build/later-script.ts.
 */
export async function buildScripts(
  root: string,
  entry: string,
  options: BuildOptions,
  outfile: (name: string) => string,
): Promise<readonly MadeScript[]> {
  const common = { ...options, write: false, metafile: true } as const
  const whole = await build({ ...common, entryPoints: [entry], outfile: outfile(PROGRAM) })
  const scripts = laterScripts(root)
  const where = planScripts(whole.metafile.inputs, entry, scripts)
  const given = givenModules(where)
  const plan = { ...where, root, names: await namesOf(root, where, given) }
  const makeScript = async (name: string, contents: string): Promise<MadeScript> => {
    const plugins = [elsewhere(plan, name), ...(options.plugins ?? [])]
    const stdin = { contents, resolveDir: root, sourcefile: 'entry.ts', loader: 'ts' } as const
    const { outputFiles, metafile } = await build({ ...common, plugins, stdin, outfile: outfile(name) })
    const script = outputFiles.find(({ path }) => path.endsWith('.cjs'))
    if (script === undefined) throw new Error('esbuild made no script')
    return { name, text: script.text, files: outputFiles.filter(file => file !== script), metafile }
  }
  const first = await makeScript(PROGRAM, firstEntry(entry, given.get(PROGRAM) ?? []))
  const others = scripts.map(({ name, roots, atFirstUse }) =>
    makeScript(name, `export const parts = {\n${requiresOf([...roots, ...atFirstUse, ...(given.get(name) ?? [])])}\n}`),
  )
  return [first, ...(await Promise.all(others))]
}

/** Of all that one script takes from another: packages that are no ECMAScript modules have none here. */
function namesOf(root: string, { inputs, atFirstUse }: ScriptPlan, given: ReadonlyMap<string, ReadonlySet<string>>) {
  const all = [...atFirstUse, ...[...given.values()].flatMap(names => [...names])]
  return exportedNames(
    root,
    all.filter(name => inputs[name]?.format === 'esm'),
  )
}

/** The import() of later modules is there before the program runs. */
function firstEntry(entry: string, given: Iterable<string>): string {
  return [
    "import { openLater } from './src/build/later-script.ts'",
    `;({ given, importLater } = openLater({\n${requiresOf(given)}\n}, runScript))`,
    `require('./${entry}')`,
  ].join('\n')
}

function requiresOf(names: Iterable<string>): string {
  const sorted = [...new Set(names)].toSorted()
  return sorted.map(name => `${JSON.stringify(name)}: () => require(${JSON.stringify(`./${name}`)}),`).join('\n')
}

/** Where a module lies. */
interface Place {
  readonly owner: string
  readonly name: string
}

/** In `script`: takes modules of other scripts from there, and leaves those that come later to import(). */
function elsewhere({ root, later, atFirstUse, owners, names }: Plan, script: string): Plugin {
  return {
    name: 'elsewhere',
    setup(setup) {
      setup.onResolve({ filter: /./ }, async ({ path, kind, resolveDir, importer, namespace, pluginData }) => {
        if (pluginData === elsewhere || namespace !== 'file') return null
        const found = await setup.resolve(path, { kind, resolveDir, importer, pluginData: elsewhere })
        if (found.external || found.namespace !== 'file') return null
        const name = relative(root, found.path)
        const owner = owners.get(name)
        if (owner === undefined) return null
        if (kind === 'dynamic-import' && later.has(name))
          return { path: `${LATER_PREFIX}${owner}:${name}`, external: true }
        // Not with its ending: that would say of which kind it is.
        const place: Place = { owner, name }
        return owner === script ? null : { path: `${name} of ${owner}`, namespace: 'given', pluginData: place }
      })
      setup.onLoad({ filter: /./, namespace: 'given' }, ({ pluginData }) => {
        const { owner, name } = pluginData as Place
        const asked = `given(${JSON.stringify(`${owner}:${name}`)})`
        const known = names.get(name)
        if (known !== undefined && atFirstUse.has(name)) return { contents: exportingAtUse(known, asked) }
        return { contents: known === undefined ? `module.exports = ${asked}` : exportingAll(known, asked) }
      })
    },
  }
}

/** The first script as a function of what a script lacks; its lines keep their numbers. */
export function firstAsFunction(text: string): string {
  const head = '(function (require, importPackage, moduleUrl, runScript) { var given, importLater; '
  return `${head}${importsReplaced(text)}\n})\n`
}

/** Another one, which gives its modules by their names. */
export function laterAsFunction(text: string): string {
  const head = '(function (require, importPackage, moduleUrl, given, importLater) { const module = { exports: {} }; '
  return `${head}${importsReplaced(text)}\nreturn module.exports.parts\n})\n`
}

function importsReplaced(text: string): string {
  return text
    .replace(/^#!.*/, '')
    .replaceAll(new RegExp(`\\bimport\\("${LATER_PREFIX}([^"]+)"\\)`, 'g'), 'importLater("$1")')
    .replaceAll(/\bimport\("([^"]+)"\)/g, 'importPackage("$1")')
}
