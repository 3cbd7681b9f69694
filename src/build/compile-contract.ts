// Compiles src/chapters/market/chains/hash-time-lock.sol and writes what comes of it as the module
// src/chapters/market/chains/hash-time-lock.ts, which is committed: a node needs no compiler, and the address of the
// contract follows from every byte. Run it when the source has changed: node dist/src/build/compile-contract.js

import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const SOURCE = 'src/chapters/market/chains/hash-time-lock.sol'
const MODULE = 'src/chapters/market/chains/hash-time-lock.ts'

/** Code as hexadecimal text without 0x. */
export interface CompiledContract {
  /** What makes the contract; arguments of its constructor follow. */
  readonly creation: string
  /** The code that is on the chain then. */
  readonly runtime: string
}

interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts?: Readonly<
    Record<string, Readonly<Record<string, { evm: Record<string, { readonly object: string }> }>>>
  >
}

/**
 * Every contract of a source by its name. The settings belong to the address of the contract: code for every chain
 * since the merge (no PUSH0), and no hash of the source at the end of it, which would change with a comment. Throws
 * what the compiler does not like.
 */
export function compileContracts(content: string): Map<string, CompiledContract> {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string }
  const settings = {
    evmVersion: 'paris',
    optimizer: { enabled: true, runs: 200 },
    metadata: { bytecodeHash: 'none', appendCBOR: false },
    outputSelection: { '*': { '*': ['evm.bytecode.object', 'evm.deployedBytecode.object'] } },
  }
  const input = { language: 'Solidity', sources: { source: { content } }, settings }
  const { errors = [], contracts = {} } = JSON.parse(solc.compile(JSON.stringify(input))) as SolcOutput
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const made = Object.entries(contracts['source'] ?? {})
  return new Map(
    made.map(([name, { evm }]) => [
      name,
      { creation: evm['bytecode']?.object ?? '', runtime: evm['deployedBytecode']?.object ?? '' },
    ]),
  )
}

/** The text of the module, made of the source as it is now. */
export function contractModule(): string {
  const contracts = compileContracts(readFileSync(`${root}/${SOURCE}`, 'utf8'))
  const code = (name: string, part: keyof CompiledContract): string => `'0x${contracts.get(name)?.[part] ?? ''}'`
  const lines = [
    `// Made of ${SOURCE} by src/build/compile-contract.ts with solc 0.8.30: do not`,
    '// change it by hand.',
    '',
    '/** Makes the contract HashTimeLock; it takes no arguments. */',
    `export const LOCK_CREATION =\n  ${code('HashTimeLock', 'creation')}`,
    '',
    '/** Stands on the chain then. */',
    `export const LOCK_CODE =\n  ${code('HashTimeLock', 'runtime')}`,
    '',
    '/** Makes FundOnce; the arguments of its constructor follow. */',
    `export const FUND_ONCE_CREATION =\n  ${code('FundOnce', 'creation')}`,
  ]
  return `${lines.join('\n')}\n`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(`${root}/${MODULE}`, contractModule())
