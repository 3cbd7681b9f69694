// A namespace made into a host with a router, for a test that looks at everything a node sends: a wire that leads
// nowhere, with routes for both families, a name server that answers every name with an address of its own, and a
// table of the kernel's that keeps each address, protocol and port that anything was sent to. Needs the namespace that
// test/kit/netns makes, iproute2, nft and mount.

import { createSocket, type Socket } from 'node:dgram'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BencodeDict, getBytes } from '../../../src/wire/bencode-value.ts'
import { decodeBencode, encodeBencode } from '../../../src/wire/bencode.ts'

const NAME_SERVER = '127.53.0.1'
const OWN = ['192.168.7.2', '2a00:7::2']
/** The router of the host, in both families. */
export const ROUTERS = ['192.168.7.1', '2a00:7::1']
/** Where the DHT nodes that names lead to say that others are: as compact node information (BEP 5). */
export const TOLD = ['45.20.0.1', '45.20.0.2', '45.20.0.3']

const TABLE = `
table inet watch {
  set four { type ipv4_addr . inet_proto . inet_service; flags dynamic; size 65535; }
  set six { type ipv6_addr . inet_proto . inet_service; flags dynamic; size 65535; }
  chain out {
    type filter hook output priority 0; policy accept;
    ip daddr 127.0.0.0/8 accept
    ip6 daddr ::1 accept
    ip saddr 45.10.0.0/16 udp sport { 6881, 25401 } accept
    meta nfproto ipv4 meta l4proto { tcp, udp } add @four { ip daddr . meta l4proto . th dport }
    meta nfproto ipv6 meta l4proto { tcp, udp } add @six { ip6 daddr . meta l4proto . th dport }
  }
}
`

/** Where something was sent: a name that the name server was asked for, or an address; UDP or TCP, and the port. */
export interface Contact {
  readonly host: string
  readonly protocol: 'tcp' | 'udp'
  readonly port: number
}

/** A host whose contacts are all kept. */
export interface WatchedHost {
  /** What runs before `node`. */
  readonly prefix: readonly string[]
  /** Everything that was sent to so far, but for loopback and the host itself. */
  contacts(): Contact[]
  /** Every name that was looked up so far. */
  names(): string[]
  /** Begins from nothing. */
  forget(): void
  stop(): void
}

function run(text: string): void {
  const [program = '', ...rest] = text.split(' ')
  execFileSync(program, rest)
}

/** Makes the namespace of this process such a host; files lie in `folder`. Once a process. */
export async function watchThisHost(folder: string): Promise<WatchedHost> {
  run('ip link add wan type veth peer name hole')
  await writeFile('/proc/sys/net/ipv6/conf/hole/disable_ipv6', '1')
  for (const device of ['hole', 'wan']) run(`ip link set ${device} up`)
  run(`ip addr add ${OWN[0]}/24 dev wan`)
  run(`ip addr add ${OWN[1]}/64 dev wan nodad`)
  for (const router of ROUTERS) {
    run(`ip route add default via ${router} dev wan`)
    run(`ip neigh add ${router} lladdr 02:00:00:00:00:01 dev wan nud permanent`)
  }
  execFileSync('nft', ['-f', '-'], { input: TABLE })
  const resolvConf = join(folder, 'resolv.conf')
  await writeFile(resolvConf, `nameserver ${NAME_SERVER}\n`)
  const names = new Map<string, string>()
  const sockets: Socket[] = []
  sockets.push(await nameServer(names, async ip => void sockets.push(...(await dhtNode(ip)))))
  return {
    prefix: ['unshare', '--mount', 'sh', '-c', `mount --bind "${resolvConf}" /etc/resolv.conf && exec "$@"`, 'watched'],
    contacts: () => listed().map(contact => ({ ...contact, host: names.get(contact.host) ?? contact.host })),
    names: () => [...new Set(names.values())],
    forget: () => {
      for (const set of ['four', 'six']) run(`nft flush set inet watch ${set}`)
      names.clear()
    },
    stop: () => {
      for (const socket of sockets) socket.close()
    },
  }
}

interface Listed {
  readonly nftables: readonly { readonly set?: { readonly elem?: readonly { readonly concat: unknown[] }[] } }[]
}

/** What the kernel kept. */
function listed(): Contact[] {
  const said = execFileSync('nft', ['-j', 'list', 'table', 'inet', 'watch'], { encoding: 'utf8' })
  const kept = (JSON.parse(said) as Listed).nftables.flatMap(({ set }) => set?.elem ?? [])
  return kept
    .map(({ concat: [host, protocol, port] }) => ({ host, protocol, port }) as Contact)
    .filter(({ host }) => !OWN.includes(host))
}

/** Answers A and AAAA of each name with an address of its own, at which `make` has put a node. */
async function nameServer(names: Map<string, string>, make: (ip: string) => Promise<void>): Promise<Socket> {
  const byName = new Map<string, { number: number; made: Promise<void> }>()
  const socket = createSocket('udp4').bind(53, NAME_SERVER)
  await once(socket, 'listening')
  socket.on('message', (question: Buffer, from) => {
    const { name, end } = questionOf(question)
    const isSix = question[end + 1] === 28
    const number = byName.get(name)?.number ?? byName.size + 1
    const made = byName.get(name)?.made ?? make(`45.10.0.${number}`)
    byName.set(name, { number, made })
    names.set(`45.10.0.${number}`, name).set(`2a00:45::${number.toString(16)}`, name)
    const address = isSix ? [0x2a, 0, 0, 0x45, ...Array<number>(11).fill(0), number] : [45, 10, 0, number]
    const head = Buffer.concat([question.subarray(0, 2), Buffer.from([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0])])
    const record = Buffer.from([0xc0, 12, 0, isSix ? 28 : 1, 0, 1, 0, 0, 1, 0, 0, address.length, ...address])
    const answer = Buffer.concat([head, question.subarray(12, end + 4), record])
    void made.then(() => socket.send(answer, from.port, from.address))
  })
  return socket
}

/** The name of a question, and where it ends. */
function questionOf(question: Buffer): { name: string; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.').toLowerCase(), end: at + 1 }
}

/** A DHT node at the ports of first nodes, which answers every question with the addresses of `TOLD`. */
async function dhtNode(ip: string): Promise<Socket[]> {
  run(`ip addr add ${ip}/32 dev lo`)
  const told = TOLD.map((each, at) =>
    Buffer.from([...Buffer.alloc(20, 0x10 * at + 7), ...each.split('.').map(Number), 0x1a, 0xe1]),
  )
  const sockets: Socket[] = []
  for (const port of [6881, 25_401]) {
    const socket = createSocket('udp4').bind(port, ip)
    await once(socket, 'listening')
    socket.on('message', (bytes: Buffer, from) => {
      const t = getBytes(decodeBencode(bytes) as BencodeDict, 't') ?? Buffer.alloc(0)
      const id = Buffer.alloc(20, Number(ip.split('.')[3]))
      socket.send(encodeBencode({ r: { id, nodes: Buffer.concat(told) }, t, y: 'r' }), from.port, from.address)
    })
    sockets.push(socket)
  }
  return sockets
}
