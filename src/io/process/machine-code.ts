// Checks machine code that packages bring ready made, which reads everything from the network: before it is loaded, its
// SHA-256 is compared with that of the file which this version was made with (decision 0490).

import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { AppError } from '../../base/errors.ts'
import { machineCodeDigests } from './machine-code-digests.ts'
import { digestInThread } from './native-digest.ts'

/** A package whose machine code was compiled elsewhere. */
export type PrebuiltPackage = 'uWebSockets.js' | 'koffi' | 'sodium-native'

/** Read in parts: the whole of it would stay in the memory of a young process. */
const PART_BYTES = 256 * 1024

/** The machine that code is for: `modules` is the number of Node's module interface. */
export interface Machine {
  readonly platform: string
  readonly arch: string
  readonly modules: string
}

const here: Machine = { platform: process.platform, arch: process.arch, modules: process.versions.modules }

/**
 * What a package loads on a machine: folders of packages, and files in them. Those of other machines are never looked
 * at.
 */
export function machineCodeFiles(name: PrebuiltPackage, { platform, arch, modules }: Machine): [string, string][] {
  const system = `${platform}_${arch}`
  if (name === 'uWebSockets.js') return [[name, `dist/bin/uws_${system}_${modules}.node`]]
  if (name === 'sodium-native') return [[name, `prebuilds/${platform}-${arch}/sodium-native.node`]]
  const folder = `@koromix/koffi-${platform}-${arch}`
  return [`${system}/koffi.node`, `musl_${arch}/koffi.node`].map(file => [folder, file])
}

/**
 * Compares the machine code of `names`, as far as it is installed. `from`: a file URL; packages are looked for as they
 * are for the module there. Throws AppError MachineCodeChanged, which names the file, where one byte is another one or
 * the file is unknown.
 */
export function checkMachineCode(names: readonly PrebuiltPackage[], from: string = import.meta.url): void {
  for (const { path, digest } of names.flatMap(name => installedCode(name, from)))
    if (fileDigest(path) !== digest) throw changed(path)
}

/** A file of machine code and its right digest; undefined where this version does not know the file. */
interface InstalledCode {
  readonly path: string
  readonly digest: string | undefined
}

/** What of a package is installed; of what is not, loading it says so. */
function installedCode(name: PrebuiltPackage, from: string): InstalledCode[] {
  const { resolve } = createRequire(from)
  return machineCodeFiles(name, here).flatMap(([folder, file]) => {
    const places = (resolve.paths(folder) ?? []).map(place => join(place, folder, file))
    const path = places.find(place => existsSync(place))
    return path === undefined ? [] : [{ path, digest: machineCodeDigests[folder]?.[file] }]
  })
}

/** What was compared in this process, with the program's own packages. */
const compared = new Set<PrebuiltPackage>()

/**
 * As checkMachineCode, for whoever is about to load one of `names`: what this process has compared is not read again,
 * so that a disk which stalls later holds nobody. Throws as checkMachineCode does.
 */
export function checkMachineCodeOnce(names: readonly PrebuiltPackage[]): void {
  for (const name of names) {
    if (compared.has(name)) continue
    checkMachineCode([name])
    compared.add(name)
  }
}

/**
 * As checkMachineCode for the native server: where its file lies, null = it is not installed. With `inThread` another
 * thread reads and hashes it where that can be (native-digest.ts), while the caller goes on. Rejects with AppError
 * MachineCodeChanged.
 */
export async function comparedServer(inThread: boolean, from: string = import.meta.url): Promise<string | null> {
  const [code] = installedCode('uWebSockets.js', from)
  if (code === undefined) return null
  const { path, digest } = code
  const found = inThread ? await digestInThread(path) : null
  if ((found ?? fileDigest(path)) !== digest) throw changed(path)
  return path
}

/**
 * Compares every file of the table that is installed in `modules`, a node_modules folder. Throws as checkMachineCode
 * does.
 */
export function checkAllMachineCode(modules: string): void {
  for (const [folder, files] of Object.entries(machineCodeDigests))
    for (const [file, digest] of Object.entries(files)) {
      const path = join(modules, folder, file)
      if (existsSync(path) && fileDigest(path) !== digest) throw changed(path)
    }
}

function changed(path: string): AppError {
  return new AppError(
    'MachineCodeChanged',
    `The file ${path} is not the one that this version was made with. Nothing of it was run. Install the program again.`,
  )
}

/** SHA-256 of a file, in hexadecimal digits. Throws what the system says. */
export function fileDigest(path: string): string {
  const hash = createHash('sha256')
  const part = Buffer.allocUnsafe(PART_BYTES)
  const fd = openSync(path, 'r')
  try {
    for (let length = readSync(fd, part); length > 0; length = readSync(fd, part)) hash.update(part.subarray(0, length))
  } finally {
    closeSync(fd)
  }
  return hash.digest('hex')
}
