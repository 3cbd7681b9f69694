// Makes one program of the built one: dist/src/cli/main.js and the workers become files that hold everything they start
// with, instead of some hundred modules that Node must find and read one by one. It writes over what tsc has put there,
// so paths stay as they are, and after tsc alone the same commands run the same program, only slower to start.

import { build, type BuildOptions, type Metafile, type Plugin } from 'esbuild'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
/** Parts that are loaded later, as deep as the sources: relative URLs mean the same from both. */
const PARTS = 'dist/src/bundle'

/** Packages with machine code, with threads or files of their own, or too large to be read for nothing. */
const external = [
  'better-sqlite3',
  'koffi',
  'msgpackr-extract',
  'piscina',
  'swagger-ui-dist',
  'uWebSockets.js',
  'undici',
]

/** Optional to its user (random-access-file), which needs it only for calls that nobody here makes. */
const unused: Plugin = {
  name: 'unused',
  setup(setup) {
    setup.onResolve({ filter: /^fs-native-extensions$/ }, ({ path }) => ({ path, namespace: 'unused' }))
    setup.onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: 'throw new Error("not in the bundle")' }))
  },
}

const options: BuildOptions & { metafile: true } = {
  absWorkingDir: root,
  entryPoints: ['src/cli/main.ts', 'workers/piece.ts', 'workers/records.ts'],
  outbase: '.',
  outdir: 'dist',
  chunkNames: 'src/bundle/[name]-[hash]',
  allowOverwrite: true,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  // CommonJS packages ask for Node's modules by require().
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  external,
  plugins: [unused],
  legalComments: 'inline',
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
}

/** The licence of every package that a bundle holds, as these demand. */
function licences({ inputs }: Metafile): string {
  const folders = Object.keys(inputs).map(path => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? '')
  const texts = [...new Set(folders)]
    .filter(folder => folder !== '')
    .toSorted()
    .map(licenceOf)
  return `The program holds code of these packages.\n\n${texts.join('\n')}`
}

function licenceOf(folder: string): string {
  const path = join(root, folder)
  const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Record<string, string>
  const file = readdirSync(path).find(name => /^(licen[cs]e|copying)/i.test(name))
  const text = file === undefined ? '' : `\n${readFileSync(join(path, file), 'utf8').trim()}\n`
  return `==== ${manifest['name']} ${manifest['version']} (${manifest['license']})\n${text}`
}

if (!existsSync(join(root, 'dist/src/cli/main.js'))) throw new Error('run tsc first')
rmSync(join(root, PARTS), { recursive: true, force: true })
const { metafile } = await build(options)
writeFileSync(join(root, PARTS, 'licences.txt'), licences(metafile))
