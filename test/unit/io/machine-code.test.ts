// Machine code that packages bring: one byte that is another one, and nothing of it is loaded.

import assert from 'node:assert/strict'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { AppError } from '../../../src/base/errors.ts'
import { machineCodeDigests } from '../../../src/io/process/machine-code-digests.ts'
import {
  checkAllMachineCode,
  checkMachineCode,
  comparedServer,
  machineCodeFiles,
  type PrebuiltPackage,
} from '../../../src/io/process/machine-code.ts'
import { projectRoot } from '../../kit/project-root.ts'

const NAMES: readonly PrebuiltPackage[] = ['uWebSockets.js', 'koffi', 'sodium-native']
const modules = join(projectRoot, 'node_modules')
const here = { platform: process.platform, arch: process.arch, modules: process.versions.modules }

/** A folder with copies of what this machine loads of `name`; its node_modules, and the files. */
function copyOf(t: TestContext, name: PrebuiltPackage): { from: string; modules: string; files: string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-code-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const copies = join(folder, 'node_modules')
  const files = machineCodeFiles(name, here).map(([place, file]) => {
    const path = join(copies, place, file)
    mkdirSync(dirname(path), { recursive: true })
    cpSync(join(modules, place, file), path)
    return path
  })
  return { from: pathToFileURL(join(folder, 'program.js')).href, modules: copies, files }
}

function flipByte(path: string, at: number): void {
  const bytes = readFileSync(path)
  bytes[at] = (bytes[at] ?? 0) ^ 1
  writeFileSync(path, bytes)
}

function isRefusal(path: string): (error: unknown) => boolean {
  return error => error instanceof AppError && error.code === 'MachineCodeChanged' && error.message.includes(path)
}

test('what is installed here is what this version was made with', () => {
  checkMachineCode(NAMES)
  checkAllMachineCode(modules)
})

for (const name of NAMES)
  test(`of ${name} one flipped byte refuses, at a start and in a build`, t => {
    const { from, modules: copies, files } = copyOf(t, name)
    checkMachineCode([name], from)
    assert.ok(files.length > 0)
    for (const path of files) {
      const at = readFileSync(path).length - 1
      flipByte(path, at)
      assert.throws(() => checkMachineCode([name], from), isRefusal(path))
      assert.throws(() => checkAllMachineCode(copies), isRefusal(path))
      flipByte(path, at)
      checkMachineCode([name], from)
    }
  })

test('a file that no version brought is refused, one that is missing is left to whoever loads it', t => {
  const { from, files } = copyOf(t, 'sodium-native')
  const [path = ''] = files
  writeFileSync(path, 'something else')
  assert.throws(() => checkMachineCode(['sodium-native'], from), isRefusal(path))
  rmSync(path)
  checkMachineCode(['sodium-native'], from)
})

test('every system that the node runs on stands in the table, with both versions of Node', () => {
  for (const arch of ['x64', 'arm64'])
    for (const nodeModules of ['115', '127'])
      for (const name of NAMES)
        for (const [folder, file] of machineCodeFiles(name, { platform: 'linux', arch, modules: nodeModules }))
          assert.match(machineCodeDigests[folder]?.[file] ?? '', /^[0-9a-f]{64}$/, `${folder}/${file}`)
})

test('all of the native server and of sodium-native is in the table, whatever it is for', () => {
  for (const folder of ['uWebSockets.js', 'sodium-native'])
    for (const file of Object.keys(machineCodeDigests[folder] ?? {}))
      assert.ok(existsSync(join(modules, folder, file)), file)
  assert.equal(Object.keys(machineCodeDigests['uWebSockets.js'] ?? {}).length, 24)
})

for (const inThread of [false, true])
  test(`the native server ${inThread ? 'by another thread' : 'by the own one'}: its file, or a refusal that names it`, async t => {
    const { from, files } = copyOf(t, 'uWebSockets.js')
    const [path = ''] = files
    assert.equal(await comparedServer(inThread, from), path)
    flipByte(path, 0)
    await assert.rejects(comparedServer(inThread, from), isRefusal(path))
    rmSync(path)
    assert.equal(await comparedServer(inThread, from), null)
  })
