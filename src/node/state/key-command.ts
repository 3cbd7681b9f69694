// The command `tributary key`: makes, lists and takes back keys in the state directory, whether a node runs or not.

import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { errorText } from '../../base/errors.ts'
import { FurtherKeys } from './further-keys.ts'
import { defaultStateDirectory } from './state-directory.ts'

/** What is asked for. */
export type KeyOrder =
  | { readonly kind: 'add'; readonly name: string; readonly scopes: readonly string[] }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'list' }

/** Does it and prints the result; the exit code. Never rejects. */
export async function runKeyCommand(stateDir: string | null, order: KeyOrder): Promise<number> {
  const env = process.env
  const chosen = stateDir ?? (env['TRIBUTARY_STATE_DIR'] || null)
  const keys = new FurtherKeys(resolve(chosen ?? defaultStateDirectory(env, homedir())))
  try {
    process.stdout.write(await run(keys, order))
    return 0
  } catch (error) {
    process.stderr.write(`tributary: ${errorText(error)}\n`)
    return 1
  }
}

async function run(keys: FurtherKeys, order: KeyOrder): Promise<string> {
  switch (order.kind) {
    case 'add':
      // Alone on standard output, so that it can be piped into a file.
      return `${(await keys.add(order.name, order.scopes)).key}\n`
    case 'remove':
      await keys.remove(order.name)
      return `${order.name} opens nothing any more.\n`
    case 'list': {
      const lines = keys.list().keys.map(({ name, scopes, created }) => {
        return `${name}\t${scopes.join(',')}\t${new Date(created * 1000).toISOString()}\n`
      })
      return lines.join('')
    }
  }
}
