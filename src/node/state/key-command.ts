// The command `tributary key`: makes, lists and takes back keys in the state directory, whether a node runs or not.

import { AppError, errorText } from '../../base/errors.ts'
import { lookAtSettings, stateDirectoryOf } from './find-node.ts'
import { FurtherKeys } from './further-keys.ts'

/** What is asked for. */
export type KeyOrder =
  | {
      readonly kind: 'add'
      readonly name: string
      readonly scopes: readonly string[]
      /** Null: the key is not bound. */
      readonly label: string | null
    }
  | { readonly kind: 'remove'; readonly name: string }
  | { readonly kind: 'list' }
  | { readonly kind: 'show' }

/** Does it and prints the result; the exit code. Never rejects. */
export async function runKeyCommand(stateDir: string | null, order: KeyOrder): Promise<number> {
  try {
    const text = order.kind === 'show' ? await firstKey(stateDir) : await run(stateDir, order)
    process.stdout.write(text)
    return 0
  } catch (error) {
    process.stderr.write(`tributary: ${errorText(error)}\n`)
    return 1
  }
}

/** AppError BadConfiguration when there is none. */
async function firstKey(stateDir: string | null): Promise<string> {
  const key = (await lookAtSettings(stateDir)).values.api.key
  if (key.isEmpty)
    throw new AppError('BadConfiguration', 'There is no key: the node makes one at its first start, or asks for none.')
  return `${key.reveal()}\n`
}

async function run(stateDir: string | null, order: Exclude<KeyOrder, { kind: 'show' }>): Promise<string> {
  const keys = new FurtherKeys(stateDirectoryOf(stateDir))
  switch (order.kind) {
    case 'add':
      // Alone on standard output, so that it can be piped into a file.
      return `${(await keys.add(order.name, order.scopes, order.label)).key}\n`
    case 'remove':
      await keys.remove(order.name)
      return `${order.name} opens nothing any more.\n`
    case 'list': {
      const lines = keys.list().keys.map(({ name, scopes, label, created }) => {
        const bound = label === null ? '' : `\tlabel:${label}`
        return `${name}\t${scopes.join(',')}\t${new Date(created * 1000).toISOString()}${bound}\n`
      })
      return lines.join('')
    }
  }
}
