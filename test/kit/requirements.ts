// What an interop test needs of the machine. Missing: the test is skipped with its reason, or fails with it where
// REQUIRE_PEERS=1 (CI).

import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { projectRoot } from './project-root.ts'

/** True where a skip must be a failure. */
export const peersRequired = process.env['REQUIRE_PEERS'] === '1'

function executable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Daemons lie where only root's path looks. */
function onPath(program: string): boolean {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return folders.some(folder => executable(join(folder, program)))
}

/** The Python that imports Debian's libtorrent. */
export const PYTHON = '/usr/bin/python3'

/** The module of WebTorrent, where `make bench-rivals` puts it. */
export const WEBTORRENT_ENTRY = join(projectRoot, 'node_modules/.rivals/webtorrent/node_modules/webtorrent/index.js')
/** utp-native (libutp): the other side of our uTP in tests (decision 0281). */
export const UTP_NATIVE_ENTRY = join(projectRoot, 'node_modules/utp-native/index.js')

const known: Record<string, () => boolean> = {
  netns: () => process.env['TRIBUTARY_NETNS'] === '1',
  libtorrent: () => spawnSync(PYTHON, ['-c', 'import libtorrent']).status === 0,
  gstreamer: () =>
    spawnSync(PYTHON, ['-c', "import gi; gi.require_version('Gst', '1.0'); from gi.repository import Gst"]).status ===
    0,
  webtorrent: () => existsSync(WEBTORRENT_ENTRY),
  'libtorrent-dev': () => existsSync('/usr/include/libtorrent/session.hpp') && onPath('g++'),
  'utp-native': () => existsSync(UTP_NATIVE_ENTRY),
  'npm-registry': () => spawnSync('npm', ['view', 'piscina', 'version'], { timeout: 30_000 }).status === 0,
  mounts: () => spawnSync('unshare', ['--mount', '--net', 'true']).status === 0 && onPath('ip'),
  // What test/kit/netns makes, as root or as anybody.
  namespaces: () =>
    ['-n', '-Urn'].some(flags => spawnSync('unshare', [flags, 'true']).status === 0) && onPath('ip') && onPath('bash'),
  root: () => process.getuid?.() === 0,
  // Not of a user namespace: may make users.
  'real-root': () =>
    process.getuid?.() === 0 && /^\s*0\s+0\s+4294967295/.test(readFileSync('/proc/self/uid_map', 'utf8')),
}

/**
 * The `skip` option of a test that needs `names` (programs on the path, or `netns`, `namespaces`, `libtorrent`,
 * `webtorrent`, `root`, `real-root`): false when all are there, else the reason. Throws the reason where peers are
 * required.
 */
export function needs(...names: string[]): false | string {
  const missing = names.filter(name => !(known[name]?.() ?? onPath(name)))
  if (missing.length === 0) return false
  const reason = `not on this machine: ${missing.join(', ')}`
  if (peersRequired) throw new Error(`REQUIRE_PEERS=1, but ${reason}`)
  return reason
}
