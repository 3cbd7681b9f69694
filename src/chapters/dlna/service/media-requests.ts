// Requests to the listener of one interface: documents, actions, subscriptions and files. Invariants: only addresses of
// the interface's own network are answered, and only where the Host is the address they asked (pages that rebind a name
// to it get nothing); nothing is changed but who hears of changes.

import { DecodeError } from '../../../base/errors.ts'
import type { FurtherAnswer, FurtherRequest, FurtherService } from '../../../http/further-listener.ts'
import type { Header } from '../../../http/header-block.ts'
import { sameNetwork } from '../../../wire/net/ip-network.ts'
import type { MediaDownload, MediaObject } from '../core/media-objects.ts'
import type { LanInterface } from '../ports/lan-interfaces.ts'
import {
  DESCRIPTION_PATH,
  type DeviceFacts,
  deviceDescription,
  pathOf,
  serviceDescription,
} from '../wire/description.ts'
import type { DidlContainer, DidlItem } from '../wire/didl.ts'
import { type ServiceTemplate, SERVICES } from '../wire/services.ts'
import { ActionError, decodeAction, encodeFault, encodeResult, MAX_ACTION_BYTES } from '../wire/soap.ts'
import type { ActionPlaces } from './action-places.ts'
import { answerAction } from './content-directory.ts'
import type { DeviceGrants } from './device-grants.ts'
import type { GrantedDevice } from './server-state.ts'
import { linkPath } from './media-links.ts'
import type { MediaLibrary } from './media-library.ts'
import type { MediaStreams } from './media-streams.ts'
import type { ShownDurations } from './shown-durations.ts'
import { SubscriptionRefused, type SubscriptionRequest, type Subscriptions } from './subscriptions.ts'

const XML = 'text/xml; charset="utf-8"'
const TEXT = 'text/plain; charset=utf-8'
/** Connections of all players of one interface. */
const MAX_CONNECTIONS = 64

/** What requests are answered with. */
export interface RequestsDeps {
  readonly grants: DeviceGrants
  readonly library: MediaLibrary
  readonly streams: MediaStreams
  readonly subscriptions: Subscriptions
  /** Actions of all interfaces that are being answered. */
  readonly actions: ActionPlaces
  readonly durations: ShownDurations
  /** The header SERVER. */
  readonly server: string
  description(): DeviceFacts
}

type Handler = (request: FurtherRequest) => FurtherAnswer | Promise<FurtherAnswer>

/** Requests to the listener of one interface: documents, actions, subscriptions and files. */
export class MediaRequests implements FurtherService {
  readonly headers = ['user-agent', 'soapaction', 'callback', 'nt', 'sid', 'timeout', 'getcaptioninfo.sec']
  readonly maxBodyBytes = MAX_ACTION_BYTES
  readonly maxConnections = MAX_CONNECTIONS
  readonly #at: LanInterface
  readonly #deps: RequestsDeps
  readonly #handlers = new Map<string, Handler>()
  /** `http://address:port`; known when it listens. */
  #base = ''
  #hosts: readonly string[] = []

  constructor(at: LanInterface, deps: RequestsDeps) {
    this.#at = at
    this.#deps = deps
    this.#handlers.set(`GET ${DESCRIPTION_PATH}`, () => this.#xml([deviceDescription(deps.description())]))
    for (const service of SERVICES) this.#serve(service)
  }

  /** It listens at this port from now on; where its description is. */
  listensAt(port: number): string {
    this.#base = `http://${this.#at.ip}:${port}`
    this.#hosts = [this.#at.ip, `${this.#at.ip}:${port}`]
    return this.location
  }

  /** Where its description is, once it listens. */
  get location(): string {
    return this.#base + DESCRIPTION_PATH
  }

  hears(remoteIp: string): boolean {
    const { ip, bits } = this.#at
    return sameNetwork(remoteIp, ip, bits) && this.#deps.grants.mayAsk(remoteIp)
  }

  admits(remoteIp: string, host: string): boolean {
    return this.hears(remoteIp) && this.#hosts.includes(host)
  }

  answer(request: FurtherRequest): FurtherAnswer | Promise<FurtherAnswer> {
    if (request.path.startsWith('/media/') && request.method === 'GET')
      return this.#deps.streams.answer(request, (device, download, index, name) =>
        this.#link(device, download, index, name),
      )
    const handler = this.#handlers.get(`${request.method} ${request.path}`)
    return handler === undefined ? this.#refusal(404, 'There is nothing here.') : handler(request)
  }

  #serve(service: ServiceTemplate): void {
    this.#handlers.set(`GET ${pathOf(service, 'description')}`, () => this.#xml([serviceDescription(service)]))
    this.#handlers.set(`POST ${pathOf(service, 'control')}`, request => this.#control(service, request))
    const events = pathOf(service, 'events')
    this.#handlers.set(`SUBSCRIBE ${events}`, request =>
      this.#subscription(request, asked => {
        const { sid, seconds } = this.#deps.subscriptions.subscribe(service, asked)
        return [
          ['SID', sid],
          ['TIMEOUT', `Second-${seconds}`],
        ]
      }),
    )
    this.#handlers.set(`UNSUBSCRIBE ${events}`, request =>
      this.#subscription(request, asked => {
        this.#deps.subscriptions.unsubscribe(service, asked)
        return []
      }),
    )
  }

  // --- actions

  #control(service: ServiceTemplate, request: FurtherRequest): Promise<FurtherAnswer> {
    return this.#deps.actions.run(request.remoteIp, () => this.#act(service, request))
  }

  async #act(service: ServiceTemplate, request: FurtherRequest): Promise<FurtherAnswer> {
    try {
      const asked = decodeAction(request.header('soapaction'), request.body)
      if (asked.service !== service) throw new ActionError(401, 'Invalid Action')
      const results = await answerAction(asked, async () => {
        const device = await this.#deps.grants.seen(request.remoteIp, request.header('user-agent'))
        const catalogue = await this.#deps.library.current()
        return {
          catalogue,
          look: objects => this.#deps.durations.look(objects),
          told: object => this.#told(object, device),
        }
      })
      return this.#xml(encodeResult(asked, results))
    } catch (error) {
      if (error instanceof ActionError) return this.#xml([encodeFault(error)], 500)
      if (error instanceof DecodeError) return this.#refusal(400, error.message)
      throw error
    }
  }

  #told(object: MediaObject, device: GrantedDevice): DidlContainer | DidlItem {
    const { id, parentId, title } = object
    if (object.kind === 'container')
      return { kind: 'container', id, parentId, title, childCount: this.#deps.library.latest.childCount(object) }
    const { download, file } = object
    const link = (index: number, name: string): string => this.#link(device.id, download, index, name)
    return {
      kind: 'item',
      id,
      parentId,
      title,
      media: file.mime.startsWith('video/') ? 'video' : 'audio',
      mime: file.mime,
      size: file.size,
      durationMs: this.#deps.durations.of(object),
      dateSec: download.addedSec,
      url: link(file.index, file.name),
      subtitles: file.subtitles.map(({ type, index, name }) => ({ type, url: link(index, name) })),
    }
  }

  #link(deviceId: string, { key }: MediaDownload, index: number, name: string): string {
    const token = this.#deps.grants.tokenFor(deviceId, key, index)
    return this.#base + linkPath({ device: deviceId, download: key, index, token }, name)
  }

  // --- subscriptions

  #subscription(request: FurtherRequest, run: (asked: SubscriptionRequest) => readonly Header[]): FurtherAnswer {
    const { remoteIp } = request
    const asked = {
      remoteIp,
      localIp: this.#at.ip,
      callback: request.header('callback'),
      nt: request.header('nt'),
      sid: request.header('sid'),
      timeout: request.header('timeout'),
    }
    try {
      return this.#whole(200, TEXT, [], run(asked))
    } catch (error) {
      if (error instanceof SubscriptionRefused) return this.#refusal(error.status, error.message)
      throw error
    }
  }

  // --- answers

  #xml(texts: readonly string[], status = 200): FurtherAnswer {
    return this.#whole(status, XML, texts, [['EXT', '']])
  }

  #refusal(status: number, text: string): FurtherAnswer {
    return this.#whole(status, TEXT, [`${text}\n`], [])
  }

  #whole(status: number, contentType: string, texts: readonly string[], more: readonly Header[]): FurtherAnswer {
    const headers: Header[] = [['Server', this.#deps.server], ...more]
    return { kind: 'bytes', status, contentType, parts: [Buffer.from(texts.join(''))], headers }
  }
}
