// Values for the attack on keys and files: where the node's files lie said in many ways, and what else parameters were
// not made for. Drawn for any operation of an OpenAPI document by the names of its parameters.

import type { Tally } from './tally.ts'

/** Folders of one attack. */
export interface Places {
  readonly state: string
  readonly allowed: string
  readonly secret: string
  /** A link on a private address that nobody may fetch. */
  readonly bait: string
  /** A download that is there. */
  readonly infoHash?: string
}

/** One operation of the document. */
export interface Operation {
  readonly method: string
  readonly path: string
  readonly scope: string
  readonly parameters: readonly { readonly name: string; readonly in: string }[]
  readonly fields: readonly string[]
}

interface Described {
  readonly 'x-scope'?: string
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content?: Record<string, { readonly schema?: { readonly properties?: object } }> }
}

/** All operations of an OpenAPI document. */
export function operationsOf(document: { readonly paths: Record<string, Record<string, Described>> }): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      method,
      path,
      scope: described['x-scope'] ?? '',
      parameters: described.parameters ?? [],
      fields: Object.keys(described.requestBody?.content?.['application/json']?.schema?.properties ?? {}),
    })),
  )
}

/** Folders that no key of limited scope may use, and the state directory, which none may. */
export function strayPaths({ state, allowed }: Places): string[] {
  return [
    state,
    `${state}/`,
    `${state}/wallets`,
    `${state}/log`,
    `${state}/downloads/..`,
    `${allowed}/../state`,
    `${allowed}/./link`,
    `${allowed}/link`,
    `${allowed}/link/log`,
    `${allowed}/turn`,
    `${allowed}/turn/x`,
    `/proc/self/cwd/../state`,
    `file://${state}`,
    `${state}\0`,
  ]
}

function hostileValues(places: Places): unknown[] {
  const { state, allowed, secret, bait } = places
  const files = ['keys.json', 'link-secret', 'tributary.yaml', 'log'].map(name => `${state}/${name}`)
  const texts = [
    ...strayPaths(places),
    ...files,
    ...files.map(file => `file://${file}`),
    `${secret}/precious.txt`,
    `file://localhost${secret}/precious.txt`,
    `${allowed}/away/precious.txt`,
    `${allowed}/../secret`,
    '/etc/passwd',
    'file:///etc/passwd',
    'file:///proc/self/environ',
    '/dev/zero',
    '../state/keys.json',
    '..',
    '.',
    '%2e%2e%2fkeys.json',
    '~/escape',
    'here-escape',
    'data:application/x-bittorrent;base64,ZDQ6aW5mb2RlZQ==',
    'data:text/plain,SECRET',
    bait,
    bait.replace('127.0.0.1', 'localhost'),
    bait.replace('127.0.0.1', '[::ffff:127.0.0.1]'),
    `magnet:?xt=urn:btih:${'a1'.repeat(20)}&xs=${encodeURIComponent(bait)}&as=${encodeURIComponent(bait)}`,
    '__proto__',
    'constructor',
    'a\r\nX-Api-Key: b',
    'x'.repeat(20_000),
    '\u202e\u0000',
  ]
  return [...texts, -1, 1e308, null, true, [], {}, [state], { __proto__: null, path: state }, [[`${state}/keys.json`]]]
}

/** Fields that lawfully lead to loopback: an added tracker or web seed is asked. */
const ASKED = /^(web_seeds|trackers|url)$/

/** Path with query, and JSON body, for one operation. */
export function hostileArguments(tally: Tally, operation: Operation, places: Places): { path: string; body?: string } {
  const values = hostileValues(places)
  const draw = (name: string): unknown => {
    if (name === 'infohash' && tally.random.below(3) > 0) return places.infoHash
    if (name === 'fileindex' && tally.random.below(2) > 0) return '0'
    if (name === 'scopes') return tally.pick([['spend'], 'spend', ['admin', 'spend'], ['*'], [' spend'], ['SPEND']])
    if (name === 'api.key') return 'x'
    const value = tally.pick(values)
    return ASKED.test(name) && JSON.stringify(value).includes('/bait') ? places.state : value
  }
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  const inPath = (name: string) => {
    const value = text(draw(name))
    return tally.random.below(4) === 0 ? value.replaceAll(/[?#\s]/g, '') : encodeURIComponent(value)
  }
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => inPath(name))
  const query = operation.parameters
    .filter(parameter => parameter.in === 'query')
    .map(({ name }) => `${name}=${encodeURIComponent(text(draw(name)))}`)
  const whole = query.length === 0 ? path : `${path}?${query.join('&')}`
  if (operation.method === 'get' || operation.fields.length === 0) return { path: whole }
  const fields = operation.fields.filter(() => tally.random.below(3) > 0)
  const body = JSON.stringify(Object.fromEntries(fields.map(name => [name, draw(name)])))
  return { path: whole, body }
}

/** Settings, and requests of the Transmission door, that no key beside the first may make. */
export function settingsBodies(places: Places): { path: string; body: object }[] {
  const { state, secret, allowed } = places
  const general = [{ allowed_paths: [state] }, { allowed_paths: ['/'] }, { log_dir: allowed }, { log_dir: state }]
  const bodies: object[] = general.map(options => ({ general: options }))
  for (const place of [state, secret, `${allowed}/../state`, `${allowed}/link`, `${state}/wallets`]) {
    for (const option of ['saveas', 'completed_dir', 'torrent_folder'])
      bodies.push({ download_defaults: { [option]: place } })
    bodies.push({ watch_folder: { directory: place, enabled: true } }, { watch_folder: { move_to: place } })
  }
  bodies.push({ api: { key: 'x' } }, { api: { origins: ['http://evil.example'] } }, { api: { http_host: '0.0.0.0' } })
  bodies.push({ wallets: { transfer_limits: ['BTC=21000000'] } }, { wallets: { btc_server: places.bait } })
  bodies.push({ network: { allow_private: ['127.0.0.0/8'] } }, { tunnel_community: { exit_allow_private: true } })
  bodies.push({ market_community: { enabled: true } }, { network: { ip_filter: [`${secret}/precious.txt`] } })
  bodies.push({ download_defaults: { trackers_file: `${secret}/precious.txt` } })
  const door = (method: string, settings: object) => ({
    path: '/transmission/rpc',
    body: { method, arguments: settings },
  })
  return [
    ...bodies.map(body => ({ path: '/settings', body })),
    ...[state, secret, `${allowed}/link`].flatMap(place => [
      door('session-set', { 'download-dir': place }),
      door('torrent-add', { filename: `${secret}/precious.txt`, 'download-dir': place }),
      door('torrent-set-location', { ids: [places.infoHash ?? 1], location: place, move: true }),
    ]),
  ]
}
