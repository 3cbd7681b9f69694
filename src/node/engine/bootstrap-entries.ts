// Setting libtorrent.dht_bootstrap, read.

import type { BootstrapEntry } from '../../dht/types.ts'

/** The entries of `host:port` or `[ip]:port`; others are left out. */
export function bootstrapEntries(texts: readonly string[]): BootstrapEntry[] {
  return texts.flatMap(text => {
    const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? []
    const host = bracketed ?? plain
    return host === undefined ? [] : { host, port: Number(port) }
  })
}
