// Small gateways on loopback: NAT-PMP, PCP and UPnP servers that keep a table of mappings, and can be told to
// misbehave. What they read and write is spelled out here, not taken from the code under test.

import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A mapping a gateway holds; `key` is `tcp 6881` (protocol and external port). */
export interface HeldMapping {
  readonly internalPort: number
  readonly lifetimeSec: number
}

/** The outside address of all these gateways. */
export const OUTSIDE = '198.51.100.7'

/** A datagram server; what `answer` gives is sent back. */
export class UdpGateway {
  readonly mappings = new Map<string, HeldMapping>()
  readonly seen: Buffer[] = []
  /** Seconds since the gateway started. */
  epochSec = 1000
  /** Result code of every answer. */
  result = 0
  /** Given instead of the port that is asked for; 0 = that. */
  otherPort = 0
  /** Longest life it gives, s. */
  maxLifetimeSec = 7200
  /** Datagrams that are dropped before the next one is answered. */
  deaf = 0
  readonly #socket: Socket
  readonly #answer: (gateway: UdpGateway, request: Buffer, from: RemoteInfo) => Buffer | null

  private constructor(
    socket: Socket,
    answer: (gateway: UdpGateway, request: Buffer, from: RemoteInfo) => Buffer | null,
  ) {
    this.#socket = socket
    this.#answer = answer
    socket.on('message', (request, from) => this.#receive(request, from))
  }

  /** Listens on loopback. */
  static async start(
    answer: (gateway: UdpGateway, request: Buffer, from: RemoteInfo) => Buffer | null,
  ): Promise<UdpGateway> {
    const socket = createSocket('udp4')
    socket.bind(0, '127.0.0.1')
    await once(socket, 'listening')
    return new UdpGateway(socket, answer)
  }

  get port(): number {
    return this.#socket.address().port
  }

  /** Sends from the gateway's port. */
  send(bytes: Uint8Array, to: number): void {
    this.#socket.send(bytes, to, '127.0.0.1')
  }

  async stop(): Promise<void> {
    this.#socket.close()
    await once(this.#socket, 'close')
  }

  /** Notes or removes a mapping; the port it got. */
  hold(protocol: string, internalPort: number, wantedPort: number, lifetimeSec: number): number {
    if (lifetimeSec === 0) {
      for (const [key, held] of this.mappings)
        if (key.startsWith(protocol) && held.internalPort === internalPort) this.mappings.delete(key)
      return 0
    }
    const port = this.otherPort || wantedPort
    this.mappings.set(`${protocol} ${port}`, { internalPort, lifetimeSec })
    return port
  }

  #receive(request: Buffer, from: RemoteInfo): void {
    this.seen.push(request)
    if (this.deaf > 0) {
      this.deaf -= 1
      return
    }
    const answer = this.#answer(this, request, from)
    if (answer !== null) this.#socket.send(answer, from.port, from.address)
  }
}

/** Answers as RFC 6886 says; a request of another version with result 1. */
export function natPmpAnswer(gateway: UdpGateway, request: Buffer): Buffer | null {
  const op = request[1] ?? 0
  const bytes = Buffer.alloc(op === 0 ? 12 : 16)
  bytes[1] = 128 + op
  bytes.writeUInt32BE(gateway.epochSec, 4)
  if (request[0] !== 0) {
    bytes.writeUInt16BE(1, 2)
    return bytes.subarray(0, 8)
  }
  bytes.writeUInt16BE(gateway.result, 2)
  if (op === 0) {
    bytes.set(OUTSIDE.split('.').map(Number), 8)
    return bytes
  }
  if (gateway.result !== 0) return bytes.subarray(0, 8)
  const internalPort = request.readUInt16BE(4)
  const lifetimeSec = Math.min(gateway.maxLifetimeSec, request.readUInt32BE(8))
  const port = gateway.hold(op === 1 ? 'udp' : 'tcp', internalPort, request.readUInt16BE(6), lifetimeSec)
  bytes.writeUInt16BE(internalPort, 8)
  bytes.writeUInt16BE(port, 10)
  bytes.writeUInt32BE(lifetimeSec, 12)
  return bytes
}

/** Answers MAP as RFC 6887 says. */
export function pcpAnswer(gateway: UdpGateway, request: Buffer): Buffer | null {
  if (request.length !== 60 || request[0] !== 2 || request[1] !== 1) return null
  const bytes = Buffer.from(request)
  bytes[1] = 0x81
  bytes[2] = 0
  bytes[3] = gateway.result
  bytes.writeUInt32BE(gateway.epochSec, 8)
  bytes.fill(0, 12, 24)
  const protocol = request[36] === 6 ? 'tcp' : 'udp'
  const lifetimeSec = gateway.result === 0 ? Math.min(gateway.maxLifetimeSec, request.readUInt32BE(4)) : 30
  bytes.writeUInt32BE(lifetimeSec, 4)
  if (gateway.result !== 0) return bytes
  const port = gateway.hold(protocol, request.readUInt16BE(40), request.readUInt16BE(42), lifetimeSec)
  bytes.writeUInt16BE(port, 42)
  bytes.set([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, ...OUTSIDE.split('.').map(Number)], 44)
  return bytes
}

/** What a UPnP gateway does with an action: results by name, or the number of a fault. */
export type UpnpAct = (action: string, parameters: ReadonlyMap<string, string>) => Record<string, string> | number

/** A UPnP gateway: SSDP, a description, a control url. */
export class UpnpGateway {
  readonly mappings = new Map<string, HeldMapping>()
  readonly actions: string[] = []
  readonly requests: string[] = []
  searches = 0
  /** Instead of the location of the description. */
  location: string | null = null
  /** Instead of the description. */
  description: ((port: number) => string) | null = null
  /** Instead of what it does with actions. */
  act: UpnpAct = (action, parameters) => this.#act(action, parameters)
  /** Instead of any HTTP answer; true when it has answered. */
  answerHttp: (request: IncomingMessage, reply: ServerResponse) => boolean = () => false
  readonly #ssdp: Socket
  readonly #http: Server

  private constructor(ssdp: Socket, http: Server) {
    this.#ssdp = ssdp
    this.#http = http
    ssdp.on('message', (request, from) => this.#search(request.toString('latin1'), from))
    http.on('request', (request, reply) => this.#serve(request, reply))
  }

  /** Listens on loopback. */
  static async start(): Promise<UpnpGateway> {
    const ssdp = createSocket('udp4')
    ssdp.bind(0, '127.0.0.1')
    await once(ssdp, 'listening')
    const http = createServer()
    http.listen(0, '127.0.0.1')
    await once(http, 'listening')
    return new UpnpGateway(ssdp, http)
  }

  get ssdpPort(): number {
    return this.#ssdp.address().port
  }

  get httpPort(): number {
    return (this.#http.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    this.#ssdp.close()
    await once(this.#ssdp, 'close')
    const closed = once(this.#http, 'close')
    this.#http.close()
    this.#http.closeAllConnections()
    await closed
  }

  #search(request: string, from: RemoteInfo): void {
    this.searches += 1
    const target = /^ST: (.+)\r$/m.exec(request)?.[1] ?? ''
    if (!request.startsWith('M-SEARCH * HTTP/1.1\r\n') || !target.includes('InternetGatewayDevice:1')) return
    const location = this.location ?? `http://127.0.0.1:${this.httpPort}/root.xml`
    const lines = ['HTTP/1.1 200 OK', 'CACHE-CONTROL: max-age=120', `ST: ${target}`, 'EXT:', `Location: ${location}`]
    this.#ssdp.send(`${lines.join('\r\n')}\r\n\r\n`, from.port, from.address)
  }

  #serve(request: IncomingMessage, reply: ServerResponse): void {
    this.requests.push(`${request.method} ${request.url}`)
    if (this.answerHttp(request, reply)) return
    if (request.url === '/root.xml') return void reply.end(this.description?.(this.httpPort) ?? ROOT)
    if (request.url !== '/ctl/wan') return void reply.writeHead(404).end()
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () =>
      this.#control(String(request.headers['soapaction']), Buffer.concat(chunks).toString(), reply),
    )
  }

  #control(soapAction: string, body: string, reply: ServerResponse): void {
    const action = /#(\w+)"$/.exec(soapAction)?.[1] ?? ''
    const inner = new RegExp(`<u:${action} [^>]*>(.*)</u:${action}>`, 's').exec(body)?.[1] ?? ''
    const parameters = new Map(
      [...inner.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].map(match => [match[1] ?? '', match[2] ?? '']),
    )
    this.actions.push(action)
    const result = this.act(action, parameters)
    const content =
      typeof result === 'number'
        ? `<s:Fault><faultcode>s:Client</faultcode><faultstring>UPnPError</faultstring><detail><UPnPError xmlns="urn:schemas-upnp-org:control-1-0"><errorCode>${result}</errorCode><errorDescription>No &amp; no</errorDescription></UPnPError></detail></s:Fault>`
        : `<u:${action}Response xmlns:u="${SERVICE}">${Object.entries(result)
            .map(([name, value]) => `<${name}>${value}</${name}>`)
            .join('')}</u:${action}Response>`
    reply.writeHead(typeof result === 'number' ? 500 : 200, { 'content-type': 'text/xml' })
    reply.end(
      `<?xml version="1.0"?>\n<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>${content}</s:Body></s:Envelope>`,
    )
  }

  #act(action: string, parameters: ReadonlyMap<string, string>): Record<string, string> | number {
    const key = `${parameters.get('NewProtocol')?.toLowerCase()} ${parameters.get('NewExternalPort')}`
    if (action === 'GetExternalIPAddress') return { NewExternalIPAddress: OUTSIDE }
    if (action === 'DeletePortMapping') return this.mappings.delete(key) ? {} : 714
    if (action !== 'AddPortMapping' || parameters.get('NewInternalClient') !== '127.0.0.1') return 402
    this.mappings.set(key, {
      internalPort: Number(parameters.get('NewInternalPort')),
      lifetimeSec: Number(parameters.get('NewLeaseDuration')),
    })
    return {}
  }
}

const SERVICE = 'urn:schemas-upnp-org:service:WANIPConnection:1'

/** A description as gateways have it: the connection three devices deep. */
export const ROOT = `<?xml version="1.0"?>
<!-- a gateway -->
<root xmlns="urn:schemas-upnp-org:device-1-0"><specVersion><major>1</major><minor>0</minor></specVersion>
<device><deviceType>urn:schemas-upnp-org:device:InternetGatewayDevice:1</deviceType><friendlyName>A & B &lt;router&gt;</friendlyName>
<serviceList><service><serviceType>urn:schemas-upnp-org:service:Layer3Forwarding:1</serviceType><controlURL>/ctl/l3</controlURL></service></serviceList>
<deviceList><device><deviceType>urn:schemas-upnp-org:device:WANDevice:1</deviceType>
<deviceList><device><deviceType>urn:schemas-upnp-org:device:WANConnectionDevice:1</deviceType>
<serviceList><service><serviceType>${SERVICE}</serviceType><serviceId>urn:upnp-org:serviceId:WANIPConn1</serviceId><controlURL>/ctl/wan</controlURL><eventSubURL>/evt</eventSubURL><SCPDURL>/scpd.xml</SCPDURL></service></serviceList>
</device></deviceList></device></deviceList></device></root>
`
