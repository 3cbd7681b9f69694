// What the page of statistics says, in English.

import { textsOf } from '../../language/texts.ts'

const english = {
  statistics: 'Statistics',
  asking: 'Loading…',
  rates: 'Rates',
  cpu: 'CPU',
  memory: 'Memory',
  cpuHour: 'CPU of the last hour',
  memoryHour: 'Memory of the last hour',
  notShown: 'CPU and memory are not shown: {{problem}}',
  downloads: 'Downloads',
  all: 'All',
  active: 'Active',
  seeding: 'Seeding',
  trouble: 'In trouble',
  database: 'Database',
  runningFor: 'Running for',
  network: 'Network',
  state: 'State',
  starting: 'starting',
  publicAddress: 'Public address',
  notKnown: 'not known',
  boundTo: 'Bound to',
  allAddresses: 'all addresses',
  boundToNothing: 'nothing: it sends nothing',
  proxy: 'Proxy',
  inUse: 'in use',
  none: 'none',
  noneMapped: 'none',
  mappedPorts: 'Mapped ports',
  connection: 'Connection',
  ports: 'Ports',
  portInterface: 'Dashboard and interface',
  portInterfaceTls: 'Dashboard and interface, HTTPS',
  portPeers: 'Peers',
  portFilms: 'Films',
  datagrams: 'UDP',
  sent: 'Sent',
  received: 'Received',
  packets_one: '{{count, number}} packet',
  packets_other: '{{count, number}} packets',
  bytesOut: 'Bytes out',
  bytesIn: 'Bytes in',
  overlays: 'Overlays',
  overlay: 'Overlay',
  nodes: 'Nodes',
} as const

/** Its texts by their keys, as translations have them. */
export type StatisticsTexts = typeof english

/** One of these texts. */
export const text = textsOf('statistics', english)
