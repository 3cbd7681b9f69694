// The program as src/build/bundle.ts makes it: it runs where only the packages are that it leaves out, and says whose
// code it holds. Every other test that starts a process runs it too; this one fails when it was not made.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { Script } from 'node:vm'
import { parseSync } from 'oxc-parser'
import { machineCodeFiles, type PrebuiltPackage } from '../../src/io/process/machine-code.ts'
import { laterScripts } from '../../src/build/script-list.ts'
import { writeTrainedCode } from '../../src/build/trained-code.ts'
import { nativeModule } from '../kit/native-hashes.ts'
import { startNode } from '../kit/nodes/node-process.ts'
import { projectRoot } from '../kit/project-root.ts'
import { takenOut } from '../kit/taken-out.ts'

const PARTS = 'dist/src/bundle'
const PROGRAM = join(PARTS, 'program.cjs')
const LATER_SCRIPTS = laterScripts(projectRoot).map(({ name }) => join(PARTS, `${name}.cjs`))
const SCRIPTS = [PROGRAM, ...LATER_SCRIPTS]
/** Of one script, and of those together that a start waits for: reading 3.2 MB took 14 ms of CPU, 1.4 MB takes 8. */
const MOST_CODE_BYTES = 1_200_000
const MOST_CODE_TOGETHER_BYTES = 1_220_000
/** What users run. */
const COMMAND = join(PARTS, 'tributary.cjs')
const ENTRIES = ['dist/src/cli/main.js', 'dist/workers/piece.js', 'dist/workers/records.js']

function importsOf(text: string): string[] {
  const { staticImports, dynamicImports } = parseSync('program.js', text).module
  const asked = dynamicImports.map(({ moduleRequest: at }) => text.slice(at.start, at.end))
  const late = asked.flatMap(name => /^["'](.+)["']$/.exec(name)?.[1] ?? [])
  return [...staticImports.map(entry => entry.moduleRequest.value), ...late]
}

/** What the files of the program import, without what they import of each other. */
async function packagesWanted(): Promise<string[]> {
  const parts = (await readdir(join(projectRoot, PARTS))).filter(name => name.endsWith('.js'))
  const wanted = new Set<string>()
  for (const path of [...ENTRIES, ...parts.map(name => join(PARTS, name))]) {
    const text = await readFile(join(projectRoot, path), 'utf8')
    for (const name of importsOf(text)) if (!/^(node:|\.)/.test(name)) wanted.add(name)
  }
  const program = (await Promise.all(SCRIPTS.map(path => readFile(join(projectRoot, path), 'utf8')))).join('\n')
  for (const [, name = ''] of program.matchAll(/\b(?:importPackage|__toESM\(require)\("([^"]+)"\)/g)) wanted.add(name)
  return [...wanted].filter(name => !name.startsWith('node:'))
}

/** Command lines of living processes that hold `text`. */
async function processesThatName(text: string): Promise<string[]> {
  const ids = (await readdir('/proc')).filter(name => /^\d+$/.test(name))
  const lines = await Promise.all(ids.map(id => readFile(`/proc/${id}/cmdline`, 'latin1').catch(() => '')))
  return lines.filter(line => line.includes(text))
}

test('the entries are bundles, made after the modules', async () => {
  for (const path of ENTRIES) {
    const text = await readFile(join(projectRoot, path), 'utf8')
    const plain = importsOf(text).filter(name => name.startsWith('.') && !name.includes('/bundle/'))
    assert.deepEqual(plain, [], `${path} is what tsc made: run make build`)
  }
})

/** Says on standard error which scripts are read, and what the node says of itself; ends it when it has started. */
const SAYS_WHAT_IS_READ = `const fs = require('node:fs')
const read = fs.readFileSync
fs.readFileSync = (path, ...how) => {
  const found = /([^/]+)\\.cjs$/.exec(String(path))
  if (found !== null && how[0] === 'latin1') process._rawDebug('said ' + found[1])
  return read(path, ...how)
}
const open = fs.openSync
fs.openSync = (path, ...how) => {
  if (String(path).endsWith('.node')) process._rawDebug('said opened ' + path)
  return open(path, ...how)
}
const load = process.dlopen
process.dlopen = (module, path, ...flags) => {
  process._rawDebug('said loaded ' + path)
  return load.call(process, module, path, ...flags)
}
require('node:module').syncBuiltinESMExports()
const write = process.stdout.write
process.stdout.write = function (text, ...rest) {
  if (text.includes(' listens at ')) process._rawDebug('said listens')
  if (text.includes('Ready.')) {
    const late = /^NativeModule (https?|tls|zlib)$/
    for (const name of process.moduleLoadList) if (late.test(name)) process._rawDebug('said builtin ' + name)
    process._rawDebug('said ready')
    process.kill(process.pid, 'SIGTERM')
  }
  return write.call(this, text, ...rest)
}
`

/** What the node above says, until it has started; `configuration`: its file, null = none. */
async function saidAtStart(configuration: string | null = null): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bundle-'))
  try {
    const hook = join(folder, 'says-what-is-read.cjs')
    await writeFile(hook, SAYS_WHAT_IS_READ)
    await mkdir(join(folder, 'state'), { mode: 0o700 })
    if (configuration !== null) await writeFile(join(folder, 'state/tributary.yaml'), configuration)
    const given = [
      '--state-dir',
      join(folder, 'state'),
      '--port',
      '0',
      '--api-key',
      'key',
      '--set',
      'libtorrent.port=0',
    ]
    const args = ['--require', hook, join(projectRoot, COMMAND), 'start', ...given]
    const env = { ...process.env, NODE_DEBUG: 'esm' }
    const { stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: 30_000, env })
    const found = stderr.matchAll(/^(?:said (.+)|ESM \d+: Storing (\S+).*)$/gm)
    const said = [...found].map(([, what, module]) => what ?? `module ${module}`)
    return said.slice(0, said.indexOf('ready') + 1)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function saidBeforeAnswer(configuration: string | null = null): Promise<string[]> {
  const said = await saidAtStart(configuration)
  return said.slice(0, said.indexOf('listens'))
}

const isScript = (said: string): boolean => !/^(?:opened|loaded|module) /.test(said)

async function readBeforeAnswer(): Promise<string[]> {
  return (await saidBeforeAnswer()).filter(isScript)
}

/** The second word of V8's head says which version and build made the code. */
function asOfAnotherVersion(code: Buffer): Buffer {
  const copy = Buffer.from(code)
  copy.writeUInt32LE((copy.readUInt32LE(4) ^ 1) >>> 0, 4)
  return copy
}

test('V8 takes the compiled code that lies beside the program, and only its own', async () => {
  const filename = join(projectRoot, PROGRAM)
  const cachedData = await readFile(`${filename}.cache`)
  const source = await readFile(filename, 'latin1')
  assert.equal(new Script(source, { filename, cachedData }).cachedDataRejected, false)
  const foreign = asOfAnotherVersion(cachedData)
  assert.equal(new Script(source, { filename, cachedData: foreign }).cachedDataRejected, true)
  assert.doesNotMatch(source, /[^\0-\x7f]/, 'read as Latin-1 it would be another program')
})

test('what a start does not need comes in scripts of their own, and nothing of it twice', async () => {
  const classes = (text: string): string[] =>
    [...text.matchAll(/\b_?([A-Z]\w+)\s*=\s*class\b|\bclass _?([A-Z]\w+)/g)].map(([, a, b]) => a ?? b ?? '')
  const places = new Map<string, string[]>()
  for (const path of SCRIPTS) {
    const text = await readFile(join(projectRoot, path), 'latin1')
    assert.doesNotMatch(text, /[^\0-\x7f]/, 'read as Latin-1 it would be another program')
    const cachedData = await readFile(join(projectRoot, `${path}.cache`))
    assert.equal(new Script(text, { filename: 'later', cachedData }).cachedDataRejected, false, path)
    for (const name of new Set(classes(text))) places.set(name, [...(places.get(name) ?? []), basename(path, '.cjs')])
  }
  const chapter = takenOut.includes('overlay') ? { Wallets: 'wallets' } : { Overlays: 'overlay', Wallets: 'wallets' }
  const expected = {
    AppError: 'chapters',
    SystemClock: 'node',
    UwsServer: 'node',
    SessionTorrent: 'engine',
    TransmissionEndpoint: 'transmission',
    WatchFolder: 'watch',
    ...chapter,
  }
  for (const [name, script] of Object.entries(expected)) assert.deepEqual(places.get(name), [script], name)
})

test('the compiled code holds what a start, a download and a stream run, not only what loads the program', async () => {
  const size = async (name: string): Promise<number> => (await readFile(join(projectRoot, PARTS, name))).length
  for (const name of ['node.cjs', 'engine.cjs']) {
    const filename = join(projectRoot, PARTS, name)
    const loads = new Script(await readFile(filename, 'latin1'), { filename }).createCachedData()
    assert.ok((await size(`${name}.cache`)) > 2 * loads.length, `${name}: ${loads.length} bytes without any work`)
  }
})

test('the compiled code that a start waits for is small', async () => {
  const names = await readBeforeAnswer()
  const sizes = await Promise.all(
    names.map(async name => (await readFile(join(projectRoot, PARTS, `${name}.cjs.cache`))).length),
  )
  const all = names.map((name, at) => `${name}: ${sizes[at]} bytes`).join()
  for (const size of sizes) assert.ok(size < MOST_CODE_BYTES, all)
  assert.ok(sizes.reduce((sum, size) => sum + size) < MOST_CODE_TOGETHER_BYTES, all)
})

test('a start reads the scripts of the node before its first answer, then the engine, and no other', async () => {
  assert.deepEqual(await readBeforeAnswer(), ['program', 'node', 'chapters'])
  const plain = 'libtorrent:\n  max_connections: 100\n'
  assert.deepEqual((await saidBeforeAnswer(plain)).filter(isScript), ['program', 'node', 'chapters'])
  const other = (await saidBeforeAnswer(`${plain}  utp: true # both\n`)).filter(isScript)
  assert.deepEqual(other, ['program', 'node', 'chapters', 'configuration'], 'what YAML can say beyond that')
  const said = (await saidAtStart()).filter(isScript)
  assert.deepEqual(said.slice(said.indexOf('listens')), ['listens', 'engine', 'ready'])
  assert.doesNotMatch(said.join(), /builtin/, 'http, https, tls and zlib are for nodes that talk to somebody')
})

test('before its first answer a start runs no ECMAScript module, and another thread hashes the native server', async () => {
  const said = await saidBeforeAnswer()
  assert.deepEqual(
    said.filter(what => what.startsWith('module')),
    [],
  )
  const server = said.findIndex(what => /^loaded .*uWebSockets/.test(what))
  assert.ok(server > 0, said.join('\n'))
  const native = join(projectRoot, 'dist/src/native/tributary.node')
  if (!existsSync(native) || !nativeModule().paths().includes('sha-ni')) return
  assert.ok(said.slice(0, server).includes(`loaded ${native}`), said.join('\n'))
  assert.ok(!said.some(what => /^opened .*uWebSockets/.test(what)), said.join('\n'))
})

test('compiled code that cannot be written is an error, and the training leaves nothing behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bundle-'))
  try {
    await assert.rejects(writeTrainedCode('/proc/nobody/writes/here', join(folder, 'training')), /ENOENT/)
    assert.deepEqual(await readdir(folder), [])
    assert.deepEqual(await processesThatName(folder), [])
    assert.ok(!(await readdir(join(projectRoot, PARTS))).includes('training'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('a training that takes too long is given up, with its nodes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bundle-'))
  try {
    await assert.rejects(writeTrainedCode(folder, join(folder, 'training'), 1), /took over 1 ms/)
    assert.deepEqual(await readdir(folder), [])
    assert.deepEqual(await processesThatName(folder), [])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('the part of the build that records is no way to start a node, and not in the package', async () => {
  const launcher = join(projectRoot, 'dist/src/build/recording-launcher.js')
  const { status, stderr } = spawnSync(process.execPath, [launcher, 'start'], { encoding: 'utf8' })
  assert.equal(status, 1)
  assert.match(stderr, /part of the build/)
  const manifest = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')) as { files: string[] }
  assert.ok(!manifest.files.some(path => 'dist/src/build/recording-launcher.js'.startsWith(path)))
})

test('the program needs only packages that are installed with it', async () => {
  const manifest = JSON.parse(await readFile(join(projectRoot, 'package.json'), 'utf8')) as Record<string, object>
  const installed = { ...manifest['dependencies'], ...manifest['optionalDependencies'] }
  const wanted = (await packagesWanted()).filter(name => !builtinModules.includes(name))
  assert.ok(wanted.includes('piscina') && wanted.includes('uWebSockets.js'), wanted.join())
  for (const name of wanted) assert.ok(name in installed, name)
})

test('it starts where nothing else is installed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-bundle-'))
  try {
    for (const path of [...ENTRIES, PARTS, 'package.json'])
      await cp(join(projectRoot, path), join(folder, path), { recursive: true })
    await mkdir(join(folder, 'node_modules'))
    for (const name of ['piscina', 'uWebSockets.js'])
      await symlink(join(projectRoot, 'node_modules', name), join(folder, 'node_modules', name))
    // And where V8 is another one than that of the build.
    const cache = join(folder, `${PROGRAM}.cache`)
    await writeFile(cache, asOfAnotherVersion(await readFile(cache)))
    const node = await startNode({ cli: join(folder, COMMAND) })
    try {
      assert.equal((await node.get<{ state: string }>('/state')).state, 'STARTED')
      for (const path of ['/docs', '/docs/swagger-ui-bundle.js'])
        assert.equal((await node.request('GET', path)).status, 200, path)
    } finally {
      assert.equal((await node.stop()).code, 0)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** Says each file of machine code before it is loaded, on standard error; TEST_HELD: something keeps the process. */
const SAYS_WHAT_LOADS = `const load = process.dlopen
process.dlopen = (module, path, ...flags) => {
  process._rawDebug('loads ' + path)
  return load.call(process, module, path, ...flags)
}
if (process.env.TEST_HELD === 'yes') setInterval(() => undefined, 60_000)
`

/** What a start loads machine code for: the settings under which it does, and the folders of the package. */
const MACHINE_CODE: readonly {
  readonly name: PrebuiltPackage
  readonly when: string
  readonly settings: readonly string[]
  readonly folders: readonly string[]
  /** True: something keeps the process, so that it must end itself. */
  readonly held?: boolean
  /** True: with the program's own machine code beside it. */
  readonly threads?: boolean
}[] = [
  { name: 'uWebSockets.js', when: 'any start', settings: [], folders: ['uWebSockets.js'] },
  { name: 'uWebSockets.js', when: 'hashed by a thread', settings: [], folders: ['uWebSockets.js'], threads: true },
  { name: 'koffi', when: 'any start', settings: [], folders: ['koffi', '@koromix'] },
  { name: 'koffi', when: 'a device', settings: ['libtorrent.interface=lo'], folders: ['koffi', '@koromix'] },
  { name: 'koffi', when: 'a process that is held', settings: [], folders: ['koffi', '@koromix'], held: true },
  {
    name: 'sodium-native',
    when: 'overlays from the start',
    settings: takenOut.includes('overlay') ? [] : ['ipv8.start=always', 'ipv8.bootstrap_override=:', 'ipv8.port=0'],
    folders: ['sodium-native'],
  },
]

for (const { name, when, settings, folders, held = false, threads = false } of MACHINE_CODE)
  test(`one flipped byte in ${name}, ${when}: the node refuses, names the file and has not loaded it`, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-bundle-'))
    const modules = join(folder, 'node_modules')
    try {
      for (const path of [...ENTRIES, PARTS, 'package.json'])
        await cp(join(projectRoot, path), join(folder, path), { recursive: true })
      const native = join(projectRoot, 'dist/src/native')
      if (threads && existsSync(native)) await cp(native, join(folder, 'dist/src/native'), { recursive: true })
      await mkdir(modules)
      for (const other of await readdir(join(projectRoot, 'node_modules')))
        if (!folders.includes(other)) await symlink(join(projectRoot, 'node_modules', other), join(modules, other))
      for (const own of folders)
        await cp(join(projectRoot, 'node_modules', own), join(modules, own), { recursive: true })
      const { platform, arch, versions } = process
      const [[place, file] = ['', '']] = machineCodeFiles(name, { platform, arch, modules: versions.modules })
      const code = join(modules, place, file)
      const bytes = await readFile(code)
      // The last one: what loads it does not notice.
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1
      await writeFile(code, bytes)
      const hook = join(folder, 'says-what-loads.cjs')
      await writeFile(hook, SAYS_WHAT_LOADS)
      const given = ['--state-dir', join(folder, 'state'), '--port', '0', '--set', 'libtorrent.port=0']
      const { status, signal, stderr } = spawnSync(
        process.execPath,
        [
          ...['--require', hook, join(folder, COMMAND), 'start', ...given],
          ...settings.flatMap(setting => ['--set', setting]),
        ],
        { encoding: 'utf8', timeout: 10_000, env: { ...process.env, TEST_HELD: held ? 'yes' : 'no' } },
      )
      assert.match(stderr, /^loads .*better_sqlite3/m, 'what is loaded is said')
      assert.ok(!stderr.includes(`loads ${code}`), `it was loaded:\n${stderr}`)
      assert.ok(stderr.includes(`The file ${code} is not the one that this version was made with.`), stderr)
      // Without koffi a signal is what ends a process that is held (decision 0475).
      assert.equal(signal ?? status, held ? 'SIGKILL' : 1, stderr)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

/** Names of what npm installs with the program, on this machine. */
async function installedBeside(): Promise<string[]> {
  const lock = JSON.parse(await readFile(join(projectRoot, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { name?: string; dev?: boolean; devOptional?: boolean }>
  }
  const here = await Promise.all(
    Object.entries(lock.packages)
      .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
      .map(async ([path]) => await readFile(join(projectRoot, path, 'package.json'), 'utf8').catch(() => null)),
  )
  return here.flatMap(text => (text === null ? [] : [(JSON.parse(text) as { name: string }).name]))
}

test('the notices name every package that users get, and the libraries inside machine code with their words', async () => {
  const text = await readFile(join(projectRoot, PARTS, 'licences.txt'), 'utf8')
  for (const name of await installedBeside()) assert.ok(text.includes(`\n==== ${name} `), name)
  for (const name of ['uWebSockets', 'uSockets', 'BoringSSL', 'lsquic', 'libsodium', 'SQLite'])
    assert.match(text, new RegExp(`^==== ${name} \\(.+\\), in `, 'm'))
  assert.ok(text.includes('This product includes software developed by the OpenSSL Project'))
  assert.equal(text.split('Authored by Alex Hultman').length - 1, 2, 'uWebSockets and uSockets')
  assert.ok(text.includes('TERMS AND CONDITIONS FOR USE, REPRODUCTION'))
})

test('the list of parts is CycloneDX, and names the same packages', async () => {
  const text = await readFile(join(projectRoot, PARTS, 'parts.cdx.json'), 'utf8')
  const list = JSON.parse(text) as {
    bomFormat: string
    specVersion: string
    serialNumber: string
    metadata: { component: { name: string } }
    components: { name: string; purl?: string; properties?: { name: string; value: string }[] }[]
  }
  assert.equal(`${list.bomFormat} ${list.specVersion}`, 'CycloneDX 1.5')
  assert.match(list.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(list.metadata.component.name, 'tributary')
  const purls = list.components.map(({ purl = '' }) => decodeURIComponent(purl))
  for (const name of [...(await installedBeside()), 'better-sqlite3', 'pino', 'preact', 'swagger-ui-dist'])
    assert.ok(
      purls.some(purl => purl.startsWith(`pkg:npm/${name}@`)),
      name,
    )
  for (const name of ['typescript', 'oxlint', 'axe-core', 'utp-native'])
    assert.ok(!purls.some(purl => purl.startsWith(`pkg:npm/${name}@`)), `${name} is for development only`)
  const within = list.components.filter(({ properties }) => properties?.some(({ value }) => value === 'uws-pack'))
  assert.deepEqual(
    within.map(({ name }) => name),
    ['uWebSockets', 'uSockets', 'BoringSSL', 'lsquic'],
  )
})

test('it says whose code it holds', async () => {
  const text = await readFile(join(projectRoot, PARTS, 'licences.txt'), 'utf8')
  for (const name of ['better-sqlite3', 'pino', 'yaml', '@sinclair/typebox', 'msgpackr', 'fs-chunk-store'])
    assert.match(text, new RegExp(`^==== ${name} [0-9.]+ \\(\\w+\\)$`, 'm'))
  assert.ok(text.includes('Permission is hereby granted'))
})
