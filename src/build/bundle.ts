// Makes one program of the built one: dist/src/cli/main.js and the workers become files that hold everything they start
// with, instead of some hundred modules that Node must find and read one by one. It writes over what tsc has put there,
// so paths stay as they are, and after tsc alone the same commands run the same program, only slower to start (threads
// of chapters as this made them last). Users start the program from dist/src/bundle/tributary.cjs (decision 0528).

import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild'
import { chmodSync, copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Script } from 'node:vm'
import { checkAllMachineCode } from '../io/process/machine-code.ts'
import { lateBuiltins } from './late-builtins.ts'
import { buildScripts, firstAsFunction, laterAsFunction } from './later-parts.ts'
import { noticesOf } from './notices.ts'
import { copyPackedPackages, nativeDatabase } from './packed-packages.ts'
import { askNpm, shippedParts } from './parts-list.ts'
import { chapterFolders, PROGRAM } from './script-list.ts'
import { bundledFolders, installedFolders, type ShippedPackage, shippedPackage } from './shipped-packages.ts'
import { writeTrainedCode } from './trained-code.ts'
import { typeboxInUse } from './typebox-in-use.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Parts that are loaded later, as deep as the sources: relative URLs mean the same from both. */
const PARTS = 'dist/src/bundle'

/** Packages with machine code, with threads or files of their own, or too large to be read for nothing. */
const external = ['koffi', 'msgpackr-extract', 'piscina', 'sodium-native', 'swagger-ui-dist', 'uWebSockets.js']

/**
 * Packages whose users need them only for calls that this program never makes: optional to random-access-file, which
 * notices when it cannot be loaded; for logs by threads of pino.
 */
const UNUSED: Readonly<Record<string, string>> = {
  'fs-native-extensions': 'throw new Error("not in the bundle")',
  'thread-stream': 'module.exports = class { constructor() { throw new Error("not in the bundle") } }',
}

const unused: Plugin = {
  name: 'unused',
  setup(setup) {
    const filter = new RegExp(`^(?:${Object.keys(UNUSED).join('|')})$`)
    setup.onResolve({ filter }, ({ path }) => ({ path, namespace: 'unused' }))
    setup.onLoad({ filter: /./, namespace: 'unused' }, ({ path }) => ({ contents: UNUSED[path] ?? '' }))
  },
}

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  external,
  plugins: [unused, nativeDatabase],
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions

/** Entry points of all threads, the core's and those of chapters; all are built into one folder. */
function workerSources(): string[] {
  const chapters = chapterFolders(root).map(chapter => `${chapter}/workers`)
  const folders = ['workers', ...chapters].filter(folder => existsSync(join(root, folder)))
  return folders.flatMap(folder => readdirSync(join(root, folder)).map(name => `${folder}/${name}`))
}

/** The threads: modules that share parts. */
const threads = {
  ...common,
  entryPoints: workerSources().map(path => ({ in: path, out: `workers/${basename(path, '.ts')}` })),
  outdir: 'dist',
  chunkNames: 'src/bundle/[name]-[hash]',
  allowOverwrite: true,
  splitting: true,
  format: 'esm',
  // CommonJS packages ask for Node's modules by require().
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  legalComments: 'inline',
  sourcemap: 'linked',
  sourcesContent: false,
} satisfies BuildOptions

/** The command line with the node: scripts, because V8 keeps compiled code of scripts only. */
const program = {
  ...common,
  plugins: [...common.plugins, lateBuiltins, typeboxInUse(root)],
  format: 'cjs',
  define: { 'import.meta.url': 'moduleUrl' },
  legalComments: 'external',
  // V8 keeps the whole text: without indentation it is a quarter smaller. Names and statements stay, for traces.
  minifyWhitespace: true,
  lineLimit: 160,
} satisfies BuildOptions

/** What users run: the launcher as a script, because Node takes 4 ms of CPU to begin with an ECMAScript module. */
const command = {
  absWorkingDir: root,
  entryPoints: ['src/build/launcher.ts'],
  outfile: `${PARTS}/tributary.cjs`,
  format: 'cjs',
  platform: 'node',
  target: program.target,
  define: program.define,
  // Modules count from the file itself, also where it is started through a link.
  banner: { js: "const moduleUrl = require('node:url').pathToFileURL(__filename).href;" },
  logLevel: 'warning',
} satisfies BuildOptions

async function bundleProgram(): Promise<Metafile[]> {
  const scripts = await buildScripts(root, 'src/cli/main.ts', program, name => join(PARTS, `${name}.cjs`))
  for (const { name, text, files } of scripts) {
    writeScript(`${name}.cjs`, name === PROGRAM ? firstAsFunction(text) : laterAsFunction(text))
    for (const file of files) writeFileSync(file.path, file.text)
  }
  copyFileSync(join(root, 'dist/src/build/launcher.js'), join(root, 'dist/src/cli/main.js'))
  await build(command)
  chmodSync(join(root, command.outfile), 0o755)
  return scripts.map(({ metafile }) => metafile)
}

/** With what V8 has compiled of it. */
function writeScript(name: string, text: string): void {
  const path = join(root, PARTS, name)
  writeFileSync(path, text)
  writeFileSync(`${path}.cache`, new Script(text, { filename: `tributary/${name}` }).createCachedData())
}

/** Packages that vite puts into the dashboard, and those whose files are copied. */
const PACKED = [
  '@mediabunny/aac-encoder',
  '@mediabunny/ac3',
  '@preact/signals',
  '@preact/signals-core',
  'fflate',
  'i18next',
  'mediabunny',
  'preact',
  'swagger-ui-dist',
  'uplot',
  'uqr',
]

/** Writes whose code users get: the notices, and the list of parts. */
function writeOrigins(metafiles: readonly Metafile[]): void {
  const read = (folders: readonly string[]): ShippedPackage[] =>
    folders.flatMap(folder => shippedPackage(root, folder) ?? [])
  const bundled = read(bundledFolders(metafiles, PACKED))
  const inside = new Set(bundled.map(({ folder }) => folder))
  const installed = read(installedFolders(root)).filter(({ folder }) => !inside.has(folder))
  writeFileSync(join(root, PARTS, 'licences.txt'), noticesOf(root, bundled, installed))
  const parts = shippedParts(askNpm(root), [...bundled, ...installed])
  writeFileSync(join(root, PARTS, 'parts.cdx.json'), `${JSON.stringify(parts, null, 2)}\n`)
}

checkAllMachineCode(join(root, 'node_modules'))
rmSync(join(root, PARTS), { recursive: true, force: true })
const parts = [(await build(threads)).metafile, ...(await bundleProgram())]
writeOrigins(parts)
copyPackedPackages(join(root, 'node_modules'), join(root, PARTS))
try {
  await writeTrainedCode(join(root, PARTS), join(root, PARTS, 'training'))
} catch (error) {
  // The program is whole without it, its first download only slower.
  process.stderr.write(`the compiled code holds only what a start needs: ${String(error)}\n`)
}
