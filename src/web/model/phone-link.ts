// Which link another device can open: one that does not name this machine as only the machine itself does. Pure.

/** How the node is reached, by its settings. */
export interface NodeReach {
  /** The address that it listens on (api.http_host). */
  readonly listensOn: string
  /** Names that it goes by (api.host_names). */
  readonly names: readonly string[]
  /** Its ports by scheme; absent: it has none, or does not tell it. */
  readonly ports: Readonly<Record<string, number>>
}

/** A link for other devices; or why there is none: nobody else reaches the node, or no name of it is known. */
export type PhoneLink = { readonly url: string } | { readonly url: null; readonly why: 'alone' | 'unnamed' }

/** Addresses that listen at every other one. */
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::'])
/** Paths of files, with a name at their end that only its extension is needed of. */
const NAMED_FILE = /(\/stream\/\d+)\/[^/]*?(\.[a-z0-9]{1,5})?$/i

/** A link that opens the same on another device. `url`: http or https; `reach` null: not known. */
export function phoneLink(url: string, reach: NodeReach | null): PhoneLink {
  const address = new URL(url)
  // Players look at the extension. Names of films make a code that no camera reads.
  address.pathname = address.pathname.replace(NAMED_FILE, (_, path: string, end?: string) => `${path}/film${end ?? ''}`)
  if (!isOwnMachine(address.hostname)) return { url: address.href }
  if (reach === null) return { url: null, why: 'unnamed' }
  if (!EVERYWHERE.has(reach.listensOn) && isOwnMachine(reach.listensOn)) return { url: null, why: 'alone' }
  const names = EVERYWHERE.has(reach.listensOn) ? reach.names : [reach.listensOn]
  const host = names.find(name => !isOwnMachine(name)) ?? ''
  address.hostname = host.includes(':') ? `[${host}]` : host
  const port = reach.ports[address.protocol]
  if (port !== undefined) address.port = String(port)
  // What is no host was not taken.
  return isOwnMachine(address.hostname) ? { url: null, why: 'unnamed' } : { url: address.href }
}

/** How a node is reached, by the answer of GET /settings. */
export function reachIn(
  settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  ports: Readonly<Record<string, number>>,
): NodeReach {
  const { http_host: host, host_names: names } = settings['api'] ?? {}
  const byScheme: Record<string, number> = {}
  for (const scheme of ['http', 'https']) {
    const port = ports[`${scheme}_api~port`]
    if (port !== undefined) byScheme[`${scheme}:`] = port
  }
  return {
    listensOn: typeof host === 'string' ? host : '127.0.0.1',
    names: Array.isArray(names) ? (names as unknown[]).filter(name => typeof name === 'string') : [],
    ports: byScheme,
  }
}

/** Whether a host is the machine itself to whoever names it: 127.0.0.0/8, ::1, localhost, and no address at all. */
function isOwnMachine(host: string): boolean {
  const name = host
    .toLowerCase()
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
  if (name === 'localhost' || name.endsWith('.localhost')) return true
  return EVERYWHERE.has(name) || /^127(?:\.\d+){3}$/.test(name) || /^(?:::1|::ffff:(?:127\.|7f..:).*)$/.test(name)
}
