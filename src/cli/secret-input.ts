// Secrets of commands: they are not arguments, which others on the machine can see, but read from a file, the
// environment or standard input.

import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { InvalidArgumentError } from 'commander'
import { CommandError } from './node-client.ts'

/** Option of the file with the spend key. */
export const SPEND_KEY_FLAGS = '--spend-key-file <file>'
/** What it is. */
export const SPEND_KEY_TEXT = 'file whose first line is the spend key; default: the variable TRIBUTARY_SPEND_KEY'

/** Variables of the environment that hold one. */
export const PASSWORD_VARIABLE = 'TRIBUTARY_WALLET_PASSWORD'
const SPEND_KEY_VARIABLE = 'TRIBUTARY_SPEND_KEY'
/** Parameters of the interface that are secrets. */
const SECRET_PARAMETERS: readonly string[] = ['password', 'spend_key', 'new_key', 'seed_words']

/** Whoever runs `ps` would read it. CommandError. */
export function refuseSecret(parameter: string): void {
  if (!SECRET_PARAMETERS.includes(parameter)) return
  throw new CommandError(`${parameter} is a secret, and arguments are seen by others: see tributary wallets --help.`)
}

/**
 * The first line of a file, a variable of the environment, or the first line of standard input; of a terminal without
 * showing it. CommandError: there is nothing.
 */
export async function secret(name: string, file: string | undefined, variable?: string): Promise<string> {
  if (file !== undefined) return firstLine(await readFile(file, 'utf8'))
  const set = variable === undefined ? undefined : process.env[variable]
  if (set !== undefined && set !== '') return set
  if (!process.stdin.isTTY) {
    const chunks: Buffer[] = []
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
    return firstLine(Buffer.concat(chunks).toString())
  }
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  // From here on the terminal shows nothing: who types or pastes at once must not be faster.
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  process.stderr.write(`${name}: `)
  try {
    return await lines.question('')
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}

function firstLine(text: string): string {
  const line = text.split('\n')[0]?.trim() ?? ''
  if (line === '') throw new CommandError('There is nothing in the first line.')
  return line
}

/** The parameter of a request, where a file was named or the variable is set. */
export async function spendKey({
  spendKeyFile,
}: {
  readonly spendKeyFile?: string
}): Promise<{ readonly spend_key?: string }> {
  const set = process.env[SPEND_KEY_VARIABLE] ?? ''
  if (spendKeyFile === undefined && set === '') return {}
  return { spend_key: await secret('Spend key', spendKeyFile, SPEND_KEY_VARIABLE) }
}

/** A whole number of an option. */
export function count(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}
