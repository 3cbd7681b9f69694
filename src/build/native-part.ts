// Compiles src/native to dist/src/native/tributary.node with the machine's C compiler and the headers of Node, which
// lie beside it or where node-gyp has put them. The node runs without it, only slower: where a compiler or the headers
// are missing this says so and ends well. With --sanitize=FILE it makes one that watches every access to memory, with
// --arm64=FILE one for that processor, by the compiler that CC names.

import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const sources = join(root, 'src/native')
const built = join(root, 'dist/src/native/tributary.node')

const common = ['-std=c11', '-fPIC', '-fvisibility=hidden', '-Wall', '-Wextra', '-Wpedantic']
/** What a file is allowed to use beyond what every processor of its kind has; cpu.c decides who calls it. */
const instructions: Readonly<Record<string, readonly string[]>> = {
  'sha-ni.c': ['-msha', '-msse4.1', '-mssse3'],
  'sha-avx2.c': ['-mavx2'],
  'sha-avx512.c': ['-mavx512f', '-mavx512bw'],
}

/** The folder with node_api.h; null: none is found. */
function nodeHeaders(): string | null {
  const { version, execPath, env } = process
  const places = [env['npm_config_nodedir'], dirname(dirname(execPath)), '/usr', '/usr/local']
  const cached = join(homedir(), '.cache/node-gyp', version.slice(1))
  const folders = [...places, cached].flatMap(place => (place === undefined ? [] : [join(place, 'include/node')]))
  return folders.find(folder => existsSync(join(folder, 'node_api.h'))) ?? null
}

function cFiles(arch: string): string[] {
  const names = readdirSync(sources).filter(name => name.endsWith('.c'))
  // The vectors of x86 are nothing to other processors.
  return arch === 'x64' ? names : names.filter(name => instructions[name] === undefined)
}

function isCurrent(): boolean {
  if (!existsSync(built)) return false
  const { mtimeMs } = statSync(built)
  const inputs = [...readdirSync(sources).map(name => join(sources, name)), fileURLToPath(import.meta.url)]
  return inputs.every(path => statSync(path).mtimeMs < mtimeMs)
}

function compile(headers: string, out: string, flags: readonly string[], arch: string = process.arch): void {
  const compiler = process.env['CC'] ?? 'cc'
  const place = mkdtempSync(join(tmpdir(), 'tributary-native-'))
  const run = (args: readonly string[]) => execFileSync(compiler, args, { stdio: ['ignore', 'inherit', 'inherit'] })
  try {
    const objects = cFiles(arch).map(name => {
      const object = join(place, `${basename(name, '.c')}.o`)
      const own = [...common, ...flags, ...(instructions[name] ?? []), '-isystem', headers]
      run([...own, '-c', join(sources, name), '-o', object])
      return object
    })
    run(['-shared', ...flags, ...objects, '-o', join(place, 'whole')])
    mkdirSync(dirname(out), { recursive: true })
    // Under a name of its own first: a process may have the old one open.
    execFileSync('cp', [join(place, 'whole'), `${out}.new`])
    renameSync(`${out}.new`, out)
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
}

/** The file that an option `--NAME=FILE` names; null: it is not given. */
function fileOf(option: string): string | null {
  const given = process.argv[2] ?? ''
  return given.startsWith(`--${option}=`) ? given.slice(option.length + 3) : null
}

const watched = ['-O1', '-g', '-Werror', '-fsanitize=address,undefined', '-fno-sanitize-recover=undefined']

function make(): void {
  const [sanitized, arm64] = [fileOf('sanitize'), fileOf('arm64')]
  const isForHere = sanitized === null && arm64 === null
  if (isForHere && isCurrent()) return
  const headers = nodeHeaders()
  if (headers === null) throw new Error('the headers of Node are missing (Debian: libnode-dev)')
  if (arm64 !== null) compile(headers, arm64, ['-O3'], 'arm64')
  else if (sanitized !== null) compile(headers, sanitized, watched)
  else compile(headers, built, ['-O3'])
}

try {
  make()
} catch (error) {
  process.stderr.write(`the native hash is not built, pieces are hashed by node:crypto: ${String(error)}\n`)
  if (process.argv.length > 2) process.exitCode = 1
}
