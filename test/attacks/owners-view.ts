// What the owner of a node sees, to be compared after an attack.

import type { NodeProcess } from '../kit/nodes/node-process.ts'

/** Settings that only the first key changes (src/docs/security.md). */
const OWNERS = ['wallets', 'market_community', 'api']

/** The entries of keys.json by name, as text. */
export async function keysOf(node: NodeProcess): Promise<{ name: string; scopes: string[] }[]> {
  return (await node.get<{ keys: { name: string; scopes: string[] }[] }>('/keys')).keys
}

/** What the settings say that only the first key may change. */
export async function ownersSettings(node: NodeProcess): Promise<string> {
  const { settings } = await node.get<{ settings: Record<string, Record<string, unknown>> }>('/settings')
  const { general = {}, network = {} } = settings
  return JSON.stringify([
    OWNERS.map(name => settings[name]),
    general['allowed_paths'],
    general['log_dir'],
    network['allow_private'],
  ])
}
