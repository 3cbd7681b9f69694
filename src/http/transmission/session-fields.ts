// The settings of the session in the words of the RPC (specification of Transmission, part 4.1): each is read from
// settings of this node, and most can be changed. Those that this node has nothing for have one value and keep it.

import type { Json } from '../../services/settings/settings-api.ts'
import type { RpcArguments } from './rpc-arguments.ts'
import type { SettingsSections } from './seen-torrent.ts'
import { KILO, numberOf, option, put, type SessionField } from './session-field.ts'
import { slowModeFields } from './slow-mode-fields.ts'

/** The version of the RPC that is spoken: that of Transmission 4.0. */
const RPC_VERSION = 17
const RPC_VERSION_MINIMUM = 14
const RPC_SEMVER = '5.3.0'
const SPOKEN_AS = '4.0.0'
/** Shown for limits that are off: what the real program begins with. */
const UNUSED_RATE = 100
const UNUSED_QUEUE = 5

/** A setting that is a text; '' when it is none. */
export function textOf(settings: SettingsSections, section: string, name: string): string {
  const value = option(settings, section, name)
  return typeof value === 'string' ? value : ''
}

/** Seeding goals of downloads that have none of their own. */
export function globalGoals(settings: SettingsSections): {
  ratioLimited: boolean
  ratio: number
  timeLimited: boolean
  minutes: number
} {
  const mode = option(settings, 'download_defaults', 'seeding_mode')
  const ratio = numberOf(settings, 'download_defaults', 'seeding_ratio', 2)
  return {
    ratioLimited: mode === 'ratio' || mode === 'either' || mode === 'never',
    ratio: mode === 'never' ? 0 : ratio,
    timeLimited: mode === 'time' || mode === 'either',
    minutes: numberOf(settings, 'download_defaults', 'seeding_time', 60),
  }
}

/** Connections of all torrents, and of one. */
export function peerLimits(settings: SettingsSections): { all: number; torrent: number } {
  const all = numberOf(settings, 'libtorrent', 'max_connections', 400)
  const torrent = numberOf(settings, 'libtorrent', 'max_connections_download', -1)
  return { all, torrent: torrent < 0 ? all : torrent }
}

function changeGoals(into: SettingsSections, args: RpcArguments, settings: SettingsSections): void {
  const now = globalGoals(settings)
  const byRatio = args.flag('seedRatioLimited') ?? now.ratioLimited
  const byTime = args.flag('idle-seeding-limit-enabled') ?? now.timeLimited
  const mode = byRatio ? (byTime ? 'either' : 'ratio') : byTime ? 'time' : 'forever'
  put(into, 'download_defaults', 'seeding_mode', mode)
}

const fixed = (value: Json): SessionField => ({ value: () => value })

/** A boolean setting of section libtorrent, or several that go together. */
const flags = (argument: string, ...names: string[]): SessionField => ({
  value: ({ settings }) => names.some(name => option(settings, 'libtorrent', name) === true),
  change: (into, args) => {
    for (const name of names) put(into, 'libtorrent', name, args.flag(argument))
  },
})

/** A setting that is off at `off`, shown as a number and a flag. */
function switched(
  [limit, enabled]: readonly [string, string],
  name: string,
  scale: number,
  { off, unused }: { readonly off: number; readonly unused: number },
): Record<string, SessionField> {
  const isOn = (settings: SettingsSections): boolean => numberOf(settings, 'libtorrent', name, off) > Math.max(off, 0)
  const shown = (settings: SettingsSections): number =>
    isOn(settings) ? Math.round(numberOf(settings, 'libtorrent', name, off) / scale) : unused
  const change: SessionField['change'] = (into, args, settings) => {
    const on = args.flag(enabled) ?? isOn(settings)
    put(into, 'libtorrent', name, on ? (args.count(limit) ?? shown(settings)) * scale : off)
  }
  return {
    [limit]: { value: ({ settings }) => shown(settings), change },
    [enabled]: { value: ({ settings }) => isOn(settings), change },
  }
}

const ENCRYPTION: Readonly<Record<string, string>> = { require: 'required', prefer: 'preferred' }
const ENCRYPTION_HERE: Readonly<Record<string, string>> = {
  required: 'require',
  preferred: 'prefer',
  tolerated: 'allow',
}

const about: Record<string, SessionField> = {
  version: { value: ({ version }) => `${SPOKEN_AS} (Tributary ${version})` },
  'rpc-version': fixed(RPC_VERSION),
  'rpc-version-minimum': fixed(RPC_VERSION_MINIMUM),
  'rpc-version-semver': fixed(RPC_SEMVER),
  'config-dir': { value: ({ configFile }) => configFile.slice(0, Math.max(0, configFile.lastIndexOf('/'))) },
  'download-dir': {
    value: ({ settings }) => textOf(settings, 'download_defaults', 'saveas'),
    change: (into, args) => put(into, 'download_defaults', 'saveas', args.text('download-dir')),
  },
  'download-dir-free-space': { value: ({ freeSpace }) => freeSpace },
  units: fixed({
    'speed-units': ['kB/s', 'MB/s', 'GB/s', 'TB/s'],
    'speed-bytes': KILO,
    'size-units': ['kB', 'MB', 'GB', 'TB'],
    'size-bytes': KILO,
    'memory-units': ['KiB', 'MiB', 'GiB', 'TiB'],
    'memory-bytes': 1024,
  }),
}

const network: Record<string, SessionField> = {
  'dht-enabled': flags('dht-enabled', 'dht'),
  'lpd-enabled': flags('lpd-enabled', 'lsd'),
  'pex-enabled': flags('pex-enabled', 'pex'),
  'utp-enabled': flags('utp-enabled', 'utp'),
  'port-forwarding-enabled': flags('port-forwarding-enabled', 'upnp', 'natpmp'),
  encryption: {
    value: ({ settings }) => ENCRYPTION[textOf(settings, 'libtorrent', 'encryption')] ?? 'tolerated',
    change: (into, args) => {
      const asked = args.text('encryption') ?? ''
      put(into, 'libtorrent', 'encryption', ENCRYPTION_HERE[asked] ?? asked)
    },
  },
  'peer-port': {
    value: ({ ports }) => ports['libtorrent~port'] ?? 0,
    change: (into, args) => put(into, 'libtorrent', 'port', args.count('peer-port')),
  },
  'peer-port-random-on-start': {
    value: ({ settings }) => numberOf(settings, 'libtorrent', 'port', 0) <= 0,
    change: (into, args) => {
      if (args.flag('peer-port-random-on-start') === true) put(into, 'libtorrent', 'port', -1)
    },
  },
  'peer-limit-global': {
    value: ({ settings }) => peerLimits(settings).all,
    change: (into, args) => put(into, 'libtorrent', 'max_connections', args.count('peer-limit-global')),
  },
  'peer-limit-per-torrent': {
    value: ({ settings }) => peerLimits(settings).torrent,
    change: (into, args) => put(into, 'libtorrent', 'max_connections_download', args.count('peer-limit-per-torrent')),
  },
}

const OFF_RATE = { off: 0, unused: UNUSED_RATE }
const OFF_QUEUE = { off: -1, unused: UNUSED_QUEUE }

const limits: Record<string, SessionField> = {
  ...switched(['speed-limit-down', 'speed-limit-down-enabled'], 'max_download_rate', KILO, OFF_RATE),
  ...switched(['speed-limit-up', 'speed-limit-up-enabled'], 'max_upload_rate', KILO, OFF_RATE),
  ...switched(['download-queue-size', 'download-queue-enabled'], 'active_downloads', 1, OFF_QUEUE),
  ...switched(['seed-queue-size', 'seed-queue-enabled'], 'active_seeds', 1, OFF_QUEUE),
  'queue-stalled-enabled': flags('queue-stalled-enabled', 'dont_count_slow_torrents'),
  'queue-stalled-minutes': fixed(1),
  seedRatioLimited: { value: ({ settings }) => globalGoals(settings).ratioLimited, change: changeGoals },
  'idle-seeding-limit-enabled': { value: ({ settings }) => globalGoals(settings).timeLimited, change: changeGoals },
  seedRatioLimit: {
    value: ({ settings }) => globalGoals(settings).ratio,
    change: (into, args) => put(into, 'download_defaults', 'seeding_ratio', args.number('seedRatioLimit')),
  },
  'idle-seeding-limit': {
    value: ({ settings }) => globalGoals(settings).minutes,
    change: (into, args) => put(into, 'download_defaults', 'seeding_time', args.count('idle-seeding-limit')),
  },
}

const unused: Record<string, SessionField> = {
  ...Object.fromEntries(
    ['incomplete-dir-enabled', 'rename-partial-files']
      .concat(['script-torrent-added-enabled', 'script-torrent-done-enabled', 'script-torrent-done-seeding-enabled'])
      .concat(['trash-original-torrent-files', 'blocklist-enabled'])
      .map(name => [name, fixed(false)]),
  ),
  ...Object.fromEntries(
    ['incomplete-dir', 'script-torrent-added-filename', 'script-torrent-done-filename', 'blocklist-url']
      .concat(['script-torrent-done-seeding-filename', 'default-trackers'])
      .map(name => [name, fixed('')]),
  ),
  ...Object.fromEntries(['blocklist-size', 'cache-size-mb'].map(name => [name, fixed(0)])),
  'start-added-torrents': fixed(true),
}

/** All fields by name. */
export const sessionFields: ReadonlyMap<string, SessionField> = new Map(
  Object.entries({ ...about, ...network, ...limits, ...slowModeFields, ...unused }),
)
