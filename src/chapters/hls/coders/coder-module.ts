// FFmpeg's decoder of AC-3 and encoder of AAC as WebAssembly, as the packages @mediabunny/ac3 and
// @mediabunny/aac-encoder have built them, run in the thread that asks. The packages run each in a thread of its own
// and send every frame there and back, which takes more of a processor than decoding (decision 0543); their machine
// code and its interface (bridge.c of both) are used without that.

import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'

/** What there is. */
export type CoderName = 'ac3' | 'aac'

/** A function of the machine code: numbers, places in its memory, 64-bit numbers. */
type Call = (...given: readonly (number | bigint)[]) => number | bigint

/** Machine code in a memory of its own. */
export interface CoderModule {
  /** Its memory: another object after it has grown. */
  readonly HEAPU8: Uint8Array
  readonly [name: `_${string}`]: Call
}

type Start = (options: { readonly print: () => void; readonly printErr: () => void }) => Promise<CoderModule>

/** What FFmpeg says of damaged sound is nobody's business: who sends it would fill the log. */
const SILENT = { print: () => undefined, printErr: () => undefined }

const PACKAGES: Readonly<Record<CoderName, string>> = { ac3: '@mediabunny/ac3', aac: '@mediabunny/aac-encoder' }
/** Where the build puts copies: seen from a part of the program, from a thread, and from this source. */
const COPIES = ['./coders/', '../src/bundle/coders/', '../../../bundle/coders/']

const started = new Map<CoderName, Promise<Start>>()

/** Machine code with a memory of its own, nothing in it. Rejects where the package is missing or is another version. */
export async function startCoder(name: CoderName): Promise<CoderModule> {
  let start = started.get(name)
  if (start === undefined) started.set(name, (start = loadStart(name)))
  // An object of its own: the machine code is put into it.
  return (await start)({ ...SILENT })
}

async function loadStart(name: CoderName): Promise<Start> {
  const text = readFileSync(pathOf(name), 'utf8')
  // It is written as CommonJS, with an address of its own that only browsers use.
  const exports: { default?: Start } = {}
  const run = compileFunction(text.replaceAll('import.meta.url', '""'), ['exports'], { filename: PACKAGES[name] })
  run(exports)
  if (typeof exports.default !== 'function') throw new Error(`${PACKAGES[name]} is another version than this knows`)
  return exports.default
}

function pathOf(name: CoderName): string {
  const copy = COPIES.map(folder => fileURLToPath(new URL(`${folder}${name}.js`, import.meta.url))).find(existsSync)
  if (copy !== undefined) return copy
  // The package exports its own way to it alone.
  const entry = createRequire(import.meta.url).resolve(PACKAGES[name])
  return join(dirname(entry), '../modules/build', `${name}.js`)
}

/** Calls a function whose result is a number, which is what all but times are. */
export function callCoder(module: CoderModule, name: string, ...given: readonly (number | bigint)[]): number {
  const call = module[`_${name}`]
  if (call === undefined) throw new Error(`this machine code has no ${name}`)
  return Number(call(...given))
}
