// Secrets of commands: they are not arguments, which others on the machine can see, but read from standard input or a file.

import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { InvalidArgumentError } from 'commander'
import { CommandError, type JsonObject } from './node-client.ts'

/** Option of the file with the spend key. */
export const SPEND_KEY_FLAGS = '--spend-key-file <file>'
/** What it is. */
export const SPEND_KEY_TEXT = 'file whose first line is the spend key'

/** The first line of a file, or of standard input; of a terminal without showing it. CommandError: there is nothing. */
export async function secret(name: string, file: string | undefined): Promise<string> {
  if (file !== undefined) return firstLine(await readFile(file, 'utf8'))
  if (!process.stdin.isTTY) {
    const chunks: Buffer[] = []
    for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
    return firstLine(Buffer.concat(chunks).toString())
  }
  process.stderr.write(`${name}: `)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
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

/** The parameter of a request, where a file was named. */
export async function spendKey({ spendKeyFile }: { readonly spendKeyFile?: string }): Promise<JsonObject> {
  return spendKeyFile === undefined ? {} : { spend_key: await secret('Spend key', spendKeyFile) }
}

/** A whole number of an option. */
export function count(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}
