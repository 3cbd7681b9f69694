// Which modules of the node come in a second script that is read when the first of them is asked for, and how esbuild
// makes the two of one program: what both need lies in the first, and the second is given it, so that every module
// exists once.

import { build, type BuildOptions, type BuildResult, type Metafile, type Plugin } from 'esbuild'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'

/** The folders of the chapters, from the project's root. */
export function chapterFolders(root: string): readonly string[] {
  const folder = join(root, 'src/chapters')
  return existsSync(folder) ? readdirSync(folder).map(name => `src/chapters/${name}`) : []
}

/**
 * Modules that are loaded by import() alone, by nodes that use what they do: those that the `later.json` of each
 * chapter names. Paths from the project's root.
 */
function laterModules(root: string): readonly string[] {
  return chapterFolders(root).flatMap(chapter => {
    const list = join(root, chapter, 'later.json')
    if (!existsSync(list)) return []
    return (JSON.parse(readFileSync(list, 'utf8')) as readonly string[]).map(name => `${chapter}/${name}`)
  })
}

/** Before the name of a later module in an import() of the first script. */
const LATER_PREFIX = 'later:'

/** Leaves the `later` modules out of the first script. */
function leftOut(root: string, laterNames: readonly string[]): Plugin {
  return {
    name: 'later-parts',
    setup(setup) {
      setup.onResolve({ filter: /^\./ }, async ({ path, kind, resolveDir, importer, pluginData }) => {
        if (kind !== 'dynamic-import' || pluginData === leftOut) return null
        const found = await setup.resolve(path, { kind, resolveDir, importer, pluginData: leftOut })
        const name = relative(root, found.path)
        return laterNames.includes(name) ? { path: `${LATER_PREFIX}${name}`, external: true } : null
      })
    },
  }
}

/** Takes what the first script has from there, and notes in `shared` what that is. */
function givenByFirst(root: string, first: ReadonlySet<string>, shared: Set<string>): Plugin {
  return {
    name: 'given-by-first',
    setup(setup) {
      setup.onResolve({ filter: /./ }, async ({ path, kind, resolveDir, importer, namespace, pluginData }) => {
        if (pluginData === givenByFirst || namespace !== 'file') return null
        const found = await setup.resolve(path, { kind, resolveDir, importer, pluginData: givenByFirst })
        if (found.external || found.namespace !== 'file') return null
        const name = relative(root, found.path)
        if (!first.has(name)) return null
        shared.add(name)
        return { path: name, namespace: 'given-by-first' }
      })
      setup.onLoad({ filter: /./, namespace: 'given-by-first' }, ({ path }) => ({
        contents: `module.exports = given(${JSON.stringify(path)})`,
      }))
    },
  }
}

function requiresOf(names: Iterable<string>): string {
  return [...names].map(name => `${JSON.stringify(name)}: () => require(${JSON.stringify(`./${name}`)}),`).join('\n')
}

function withPlugin(options: BuildOptions, plugin: Plugin): BuildOptions {
  return { ...options, plugins: [plugin, ...(options.plugins ?? [])] }
}

/** An entry that esbuild reads from `contents`. */
function startingWith(root: string, contents: string): BuildOptions {
  return { stdin: { contents, resolveDir: root, sourcefile: 'entry.ts', loader: 'ts' } }
}

/** What was made of a script. */
export interface MadeScript {
  readonly text: string
  readonly files: readonly { readonly path: string; readonly text: string }[]
  readonly metafile: Metafile
}

/**
 * Builds the program that starts with `entry` as two scripts. `options`: for esbuild, without entries and outfile. The
 * first runs in a function with `require`, `importPackage` and `moduleUrl`, the second also with `given`, and its last
 * value is `module.exports.parts`: src/build/later-script.ts.
 */
export async function buildInTwo(
  root: string,
  entry: string,
  options: BuildOptions,
  outfiles: { readonly first: string; readonly later: string },
): Promise<{ readonly first: MadeScript; readonly later: MadeScript }> {
  const laterNames = laterModules(root)
  const firstOptions = {
    ...withPlugin(options, leftOut(root, laterNames)),
    outfile: outfiles.first,
    write: false,
    metafile: true,
  } as const
  const alone = await build({ ...firstOptions, entryPoints: [entry] })
  const known = new Set(Object.keys(alone.metafile.inputs))
  const early = laterNames.filter(name => known.has(name))
  if (early.length > 0) throw new Error(`not loaded by import() alone: ${early.join()}`)
  const shared = new Set<string>()
  const later = await build({
    ...withPlugin(options, givenByFirst(root, known, shared)),
    ...startingWith(root, `export const parts = {\n${requiresOf(laterNames)}\n}`),
    outfile: outfiles.later,
    write: false,
    metafile: true,
  })
  const lines = [
    "import { openLater } from './src/build/later-script.ts'",
    `importLater = openLater({\n${requiresOf([...shared].toSorted())}\n}, importPackage)`,
    `import './${entry}'`,
  ]
  const first = await build({ ...firstOptions, ...startingWith(root, lines.join('\n')) })
  return { first: made(first), later: made(later) }
}

function made({ outputFiles = [], metafile }: BuildResult): MadeScript {
  const script = outputFiles.find(({ path }) => path.endsWith('.cjs'))
  if (script === undefined || metafile === undefined) throw new Error('esbuild made no script')
  return { text: script.text, files: outputFiles.filter(file => file !== script), metafile }
}

/** The first script as a function of what a script lacks; its lines keep their numbers. */
export function firstAsFunction(text: string): string {
  return `(function (require, importPackage, moduleUrl) { var importLater; ${importsReplaced(text)}\n})\n`
}

/** The second, which gives its modules by their names. */
export function laterAsFunction(text: string): string {
  const head = '(function (require, importPackage, moduleUrl, given) { const module = { exports: {} }; '
  return `${head}${importsReplaced(text)}\nreturn module.exports.parts\n})\n`
}

function importsReplaced(text: string): string {
  return text
    .replace(/^#!.*/, '')
    .replaceAll(new RegExp(`\\bimport\\("${LATER_PREFIX}([^"]+)"\\)`, 'g'), 'importLater("$1")')
    .replaceAll(/\bimport\("([^"]+)"\)/g, 'importPackage("$1")')
}
