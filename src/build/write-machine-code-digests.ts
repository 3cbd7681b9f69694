// Writes src/io/process/machine-code-digests.ts, which is committed: SHA-256 of the machine code that packages bring
// ready made, of every kind of machine that the locked versions have it for. Run it by hand when one of these versions
// changes, after the new files were compared with upstream's own (decision 0490): node
// dist/src/build/write-machine-code-digests.js

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fileDigest } from '../io/process/machine-code.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const MODULE = 'src/io/process/machine-code-digests.ts'
/**
 * Packages by the folders in which npm puts them. koffi is used on these two systems alone; of msgpackr-extract the
 * build looks at it.
 */
const FOLDERS = [
  'uWebSockets.js',
  'sodium-native',
  '@koromix/koffi-linux-arm64',
  '@koromix/koffi-linux-x64',
  '@msgpackr-extract/msgpackr-extract-linux-arm64',
  '@msgpackr-extract/msgpackr-extract-linux-x64',
]

interface Lock {
  readonly packages: Readonly<Record<string, { readonly name?: string; readonly version: string }>>
}

/**
 * The files of a package in its locked version, fetched from the registry: not those installed here, which are what the
 * digests check.
 */
function digestsOf(folder: string, lock: Lock): [string, string][] {
  const { name = folder, version } = lock.packages[`node_modules/${folder}`] ?? { version: '' }
  const place = mkdtempSync(join(tmpdir(), 'tributary-digests-'))
  try {
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', `${name}@${version}`], { cwd: place })
    const [tarball = ''] = readdirSync(place)
    execFileSync('tar', ['-xzf', tarball], { cwd: place })
    const files = readdirSync(join(place, 'package'), { recursive: true, encoding: 'utf8' })
    return files
      .filter(file => file.endsWith('.node'))
      .toSorted()
      .map(file => [file, fileDigest(join(place, 'package', file))])
  } finally {
    rmSync(place, { recursive: true })
  }
}

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock
const rows = FOLDERS.map(folder => {
  const files = digestsOf(folder, lock).map(([file, digest]) => `    '${file}': '${digest}',`)
  return `  '${folder}': {\n${files.join('\n')}\n  },`
})
const lines = [
  '// Made by src/build/write-machine-code-digests.ts of the packages in the locked versions: do not change it by hand.',
  '',
  '/** SHA-256 in hexadecimal digits, by the folder of the package in node_modules and the file in it. */',
  'export const machineCodeDigests: Readonly<Record<string, Readonly<Record<string, string>>>> = {',
  ...rows,
  '}',
]
writeFileSync(join(root, MODULE), `${lines.join('\n')}\n`)
