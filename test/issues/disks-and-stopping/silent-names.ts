// A name server that hears every question and answers none, for one process: a resolv.conf of its own, mounted over the
// machine's in a namespace that ends with the process.

import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * A name server that hears every question and answers none, for one process: a resolv.conf of its own, mounted over the
 * machine's in a namespace that ends with the process.
 */
export interface SilentNames {
  /** What runs before `node` (needs root and unshare). */
  readonly prefix: readonly string[]
  /** Questions heard so far. */
  readonly heard: () => number
  close(): void
}

/** Makes one; `files`: further files of /etc, by name, with their text. Its files lie in `folder`. */
export async function startSilentNames(
  folder: string,
  files: Readonly<Record<string, string>> = {},
): Promise<SilentNames> {
  const ip = `127.53.${process.pid % 250}.${1 + Math.floor(Math.random() * 250)}`
  const socket = createSocket('udp4').bind(53, ip)
  await once(socket, 'listening')
  socket.unref()
  let heard = 0
  socket.on('message', () => (heard += 1))
  const all = { 'resolv.conf': `nameserver ${ip}\n`, ...files }
  for (const [name, text] of Object.entries(all)) await writeFile(join(folder, name), text)
  const mounts = Object.keys(all).map(name => `mount --bind "${join(folder, name)}" /etc/${name}`)
  return {
    prefix: ['unshare', '--mount', 'bash', '-c', `${mounts.join(' && ')} && exec "$@"`, 'silent-names'],
    heard: () => heard,
    close: () => socket.close(),
  }
}
