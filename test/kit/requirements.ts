// What an interop test needs of the machine. Missing: the test is skipped with its reason, or fails with it where
// REQUIRE_PEERS=1 (CI).

import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** True where a skip must be a failure. */
export const peersRequired = process.env['REQUIRE_PEERS'] === '1'

function onPath(program: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some(folder => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** The Python that imports Debian's libtorrent. */
export const PYTHON = '/usr/bin/python3'

const known: Record<string, () => boolean> = {
  netns: () => process.env['TRIBUTARY_NETNS'] === '1',
  libtorrent: () => spawnSync(PYTHON, ['-c', 'import libtorrent']).status === 0,
  root: () => process.getuid?.() === 0,
}

/**
 * The `skip` option of a test that needs `names` (programs on the path, or `netns`, `libtorrent`, `root`): false when all
 * are there, else the reason. Throws the reason where peers are required.
 */
export function needs(...names: string[]): false | string {
  const missing = names.filter(name => !(known[name]?.() ?? onPath(name)))
  if (missing.length === 0) return false
  const reason = `not on this machine: ${missing.join(', ')}`
  if (peersRequired) throw new Error(`REQUIRE_PEERS=1, but ${reason}`)
  return reason
}
