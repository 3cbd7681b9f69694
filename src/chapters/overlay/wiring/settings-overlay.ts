// Sections of the overlay: ipv8, dispersy (its older name) and tunnel_community (circuits over it).

import type { Settings, ValuesOf } from '../../../node/settings/settings-schema.ts'
import type { SettingsTable } from '../../../node/settings/settings-table.ts'
import type { OptionSpec } from '../../../node/settings/settings-option.ts'

/** Where programs listen that obey lines of text, so that a GET could do harm or says what is there. */
const REFUSED_EXIT_PORTS = [
  // Databases, caches and queues.
  ...[1433, 1521, 2379, 2380, 3306, 4369, 5432, 5672, 5984, 6379, 7000, 7001, 7474, 8086, 9042, 9092, 9200, 9300],
  ...[11211, 15672, 27017, 27018, 27019, 28017, 33060, 50000],
  // Control of machines: Docker, Kubernetes, X11, VNC, RDP, WinRM, Consul, ADB.
  ...[2375, 2376, 3389, 5555, 5900, 5901, 5985, 5986, 6000, 6443, 8500, 10250, 10255],
  // Mail and chat.
  ...[2525, 6665, 6666, 6667, 6668, 6669, 6697],
]

const ipv8Settings = {
  enabled: {
    kind: 'boolean',
    default: true,
    needsRestart: true,
    doc: 'The overlay may run; without it there are no anonymous downloads.',
  },
  start: {
    kind: 'choice',
    values: ['needed', 'always'],
    default: 'needed',
    needsRestart: true,
    doc: 'When the overlay starts: needed = with the first anonymous download, always = with the node, so that it relays for others too.',
  },
  address: {
    kind: 'text',
    format: 'ip',
    maxLength: 64,
    default: '0.0.0.0',
    needsRestart: true,
    doc: 'IPv4 address the UDP port of the overlay is bound to; 0.0.0.0 = any.',
  },
  port: {
    kind: 'integer',
    min: -1,
    max: 65_535,
    default: 7759,
    needsRestart: true,
    doc: 'UDP port of the overlay; where it is taken a free one is used until the next start; -1 or 0 = a random one.',
  },
  bootstrap_override: {
    kind: 'text',
    format: 'host-ports',
    maxLength: 4096,
    default: '',
    optional: true,
    needsRestart: true,
    doc: 'Addresses host:port, separated by commas, that are asked first; empty = the servers of the network, : = nobody.',
  },
  walk_interval: {
    kind: 'number',
    unit: 'seconds',
    min: 0.5,
    max: 3600,
    default: 0.5,
    needsRestart: true,
    doc: 'Seconds between two steps of looking for peers in an overlay.',
  },
} as const satisfies Record<string, OptionSpec>

const dispersySettings = {
  enabled: {
    kind: 'boolean',
    default: true,
    needsRestart: true,
    doc: 'The same as ipv8.enabled under its older name: the overlay runs only when both are true.',
  },
  port: {
    kind: 'integer',
    min: -1,
    max: 65_535,
    default: -1,
    needsRestart: true,
    doc: 'UDP port of the overlay under its older name; above 0 it goes before ipv8.port.',
  },
} as const satisfies Record<string, OptionSpec>

const tunnelCommunitySettings = {
  enabled: {
    kind: 'boolean',
    default: true,
    needsRestart: true,
    doc: 'Circuits are built, for anonymous downloads, and served to others.',
  },
  community_id: {
    kind: 'text',
    format: 'hex-40',
    maxLength: 40,
    default: 'a3591a6bd89bbaca0974062a1287afcfbc6fd6bc',
    needsRestart: true,
    doc: 'Which network of circuits: 40 hexadecimal digits; another one than the default is a network of its own.',
  },
  relay_enabled: {
    kind: 'boolean',
    default: true,
    needsRestart: true,
    doc: 'This node passes circuits of others on while the overlay runs.',
  },
  exitnode_enabled: {
    kind: 'boolean',
    default: false,
    needsRestart: true,
    doc: 'This node lets BitTorrent traffic of others out to the internet, under its own address.',
  },
  exit_allow_private: {
    kind: 'boolean',
    default: false,
    needsRestart: true,
    doc: 'As exit it sends to private and loopback addresses too; for tests in a network of its own.',
  },
  exit_refused_ports: {
    kind: 'list',
    of: 'port',
    default: REFUSED_EXIT_PORTS.map(String),
    maxEntries: 512,
    needsRestart: true,
    doc: 'Ports from 1024 up where an exit asks no web server for strangers; below 1024 it asks at 80 and 443 alone.',
  },
  dht: {
    kind: 'boolean',
    default: true,
    needsRestart: true,
    doc: 'Anonymous downloads look for peers in the Mainline DHT, through exits and whatever libtorrent.dht says.',
  },
  random_slots: {
    kind: 'integer',
    min: 0,
    max: 10_000,
    default: 5,
    needsRestart: true,
    doc: 'Places for circuits of others, first come, first served.',
  },
  competing_slots: {
    kind: 'integer',
    min: 0,
    max: 10_000,
    default: 15,
    needsRestart: true,
    doc: 'Further places for circuits of others.',
  },
  min_circuits: {
    kind: 'integer',
    min: 1,
    max: 100,
    default: 3,
    needsRestart: true,
    doc: 'Circuits kept ready for each number of hops that downloads ask for.',
  },
  max_circuits: {
    kind: 'integer',
    min: 1,
    max: 100,
    default: 8,
    needsRestart: true,
    doc: 'Most circuits for each number of hops, however many downloads there are.',
  },
} as const satisfies Record<string, OptionSpec>

const sections = { ipv8: ipv8Settings, dispersy: dispersySettings, tunnel_community: tunnelCommunitySettings }

/** The settings of the overlay, with those of the core. */
export type OverlaySettings = Settings & ValuesOf<typeof sections>

/** Settings of the node as the overlay sees them. */
export function overlaySettingsOf(values: Settings): OverlaySettings {
  // They are in the table that the values were read by (settings-table.ts).
  return values as OverlaySettings
}

/** Its sections, and who may change what in them (decision 0450). */
export const overlayTable: SettingsTable = {
  sections,
  rights: {
    ipv8: { admin: ['enabled', 'start', 'address', 'port', 'bootstrap_override', 'walk_interval'] },
    dispersy: { admin: ['enabled', 'port'] },
    tunnel_community: {
      admin: [
        ...['enabled', 'community_id', 'relay_enabled', 'exitnode_enabled', 'dht'],
        ...['random_slots', 'competing_slots', 'min_circuits', 'max_circuits'],
      ],
      // As network.allow_private: strangers would reach the local network, and services that are not for them.
      first: ['exit_allow_private', 'exit_refused_ports'],
    },
  },
}
