// One request from its first byte to its answer: gate, route, body, check, run, answer. Everything that can go wrong on
// the way ends in the error envelope; nothing is thrown out of here (a throw inside a native callback ends the
// process).

import { AppError, errorTable } from '../../base/errors.ts'
import type { Log } from '../../ports/log.ts'
import type { KeyHolder } from '../auth.ts'
import { contextOf, watchedHolder } from '../bound-callers.ts'
import { InputCheck } from '../checked-input.ts'
import { Gate } from '../gate.ts'
import type { Header } from '../header-block.ts'
import { KeyWatch } from '../key-watch.ts'
import { isNear } from '../near-address.ts'
import type { HttpDeps, HttpOptions } from '../options.ts'
import { corsHeaders, preflightHeaders } from '../origin.ts'
import { scanJson } from '../json-scan.ts'
import { isJson, type RawParameters, parseBody, parseJsonObject, parsePairs } from '../raw-parameters.ts'
import {
  type BytesReply,
  type EventsReply,
  type FileReply,
  ListedJson,
  PreparedJson,
  type Route,
  type RouteContext,
  type RouteInput,
} from '../route.ts'
import { type PathMatch, Router, allowedMethods, routeFor } from '../router.ts'
import type { GivenLink } from '../../ports/viewing/given-links.ts'
import type { Caller } from '../../services/callers-api.ts'
import type { StreamableFile } from '../../services/downloads/streams-api.ts'
import { WrongKeys } from '../wrong-keys.ts'
import { MAX_BODY_BYTES, MAX_PLAIN_BODY_BYTES } from '../table.ts'
import { BodyShare, collectBody } from './body.ts'
import { EventLines } from './event-lines.ts'
import { EventStream, eventHeaders, wantsServerSent } from './event-stream.ts'
import { CodedAnswers } from './coded-answers.ts'
import { checkFraming } from './framing.ts'
import { LongAnswers } from './long-answers.ts'
import type { HttpRequest, HttpResponse } from './native.ts'
import { Reply, ReplyShare } from './reply.ts'
import { RequestHead } from './request.ts'
import { Scratch, pageAligned } from './scratch.ts'
import { SlowReaders } from './slow-readers.ts'
import { StreamAnswers } from './stream-answer.ts'
import { StreamSchedule } from './stream-schedule.ts'

const DEFAULT_SILENT_MS = 600_000
const DEFAULT_MAX_STREAMS = 2000
const DEFAULT_MAX_FOLLOWERS = 256
/** What one step of a stream reads at most: fewer and longer writes cost least up to here (measured). */
const SCRATCH_BYTES = 1024 * 1024

/** Of the id that requests to doors name. */
const DOOR_SESSION_BYTES = 36

const UPGRADING_TEXT = 'The store is being upgraded; /state and /events tell how far it has come.'

const UNREAD_TEXT = 'What answers at this path cannot be loaded; the log of the node has more.'

const NO_HEADERS: readonly Header[] = []
const NO_BODY = new Uint8Array(0)
const JSON_SHOWN = { contentType: 'application/json', headers: NO_HEADERS }

/** A request that has its route, and its reply. */
class Input implements RouteInput<unknown> {
  readonly path: Readonly<Record<string, string>>
  readonly parameters: unknown
  readonly body: Uint8Array
  readonly holder: KeyHolder
  readonly reply: Reply
  readonly head: RequestHead
  /** Of the client; to be asked while the reply is alive. */
  readonly address: () => Uint8Array

  constructor(
    match: PathMatch,
    parameters: unknown,
    body: Uint8Array,
    { holder, reply, head, address }: Pick<Input, 'holder' | 'reply' | 'head' | 'address'>,
  ) {
    this.holder = holder
    this.address = address
    this.path = match.path
    this.parameters = parameters
    this.body = body
    this.reply = reply
    this.head = head
  }

  get caller(): Caller {
    return this.holder.caller
  }

  get byKey(): boolean {
    return this.holder.id !== '' && this.holder.label === null
  }

  get link(): GivenLink | null {
    return this.holder.link ?? null
  }

  get base(): string {
    return `${this.head.secure ? 'https' : 'http'}://${this.head.host}`
  }

  get isNear(): boolean {
    // What a proxy hands on has the proxy's address.
    return this.head.forwardedFor === '' && isNear(this.address())
  }

  get lastEventId(): string {
    return this.head.lastEventId
  }

  get signal(): AbortSignal {
    return this.reply.signal
  }
}

/** All requests of a server. */
export class Dispatch {
  /** Once true, every new request is refused. */
  stopping = false
  readonly share: ReplyShare
  readonly #bodies = new BodyShare()
  readonly #context: RouteContext
  readonly #deps: HttpDeps
  readonly #log: Log
  readonly #gate: Gate
  readonly #wrongKeys: WrongKeys
  /** Wrong secrets of routes that count them, apart from wrong keys: pages of this node can be made to send those. */
  readonly #guesses: WrongKeys
  readonly #keyWatch: KeyWatch
  readonly #origins: readonly string[]
  readonly #router: Router
  /** The last path could not be looked up: routes that come later could not be loaded. Reported once. */
  #unread = false
  #unreadTold = false
  readonly #checks = new Map<Route, InputCheck>()
  /** All files that are being sent, also at further listeners. */
  readonly streams: StreamAnswers
  readonly #longAnswers: LongAnswers
  readonly #codedAnswers = new CodedAnswers()
  readonly #followers = new Set<Reply>()
  readonly #eventLines = new EventLines()
  readonly #maxFollowers: number

  constructor(options: HttpOptions, context: RouteContext, deps: HttpDeps) {
    this.#context = context
    this.#deps = deps
    this.#log = deps.log
    const doorSession = Buffer.from(deps.random.bytes(DOOR_SESSION_BYTES)).toString('base64url')
    this.#gate = new Gate(options, context.links, doorSession)
    this.#wrongKeys = new WrongKeys(deps.clock)
    this.#guesses = new WrongKeys(deps.clock)
    this.#keyWatch = new KeyWatch(deps.clock)
    this.#origins = options.origins
    this.#router = new Router(context.routes.atStart, () => context.routes.later())
    this.#maxFollowers = options.maxFollowers ?? DEFAULT_MAX_FOLLOWERS
    const schedule = new StreamSchedule(deps.clock, options.silentReaderMs ?? DEFAULT_SILENT_MS)
    this.share = new ReplyShare(
      thrown => this.#reportBug({ method: '', path: '' }, thrown),
      bytes => schedule.turn(bytes),
      { slow: new SlowReaders(schedule, deps.clock), meter: context.meter },
    )
    this.#longAnswers = new LongAnswers(this.share)
    this.streams = new StreamAnswers(options.maxStreams ?? DEFAULT_MAX_STREAMS, {
      arena: deps.rangeArena,
      random: deps.random,
      schedule,
      scratch: new Scratch(pageAligned(SCRATCH_BYTES)),
    })
  }

  /** The native handler of every request. Never throws. */
  handle(res: HttpResponse, req: HttpRequest, secure = false): void {
    const head = new RequestHead(req, secure)
    const reply = new Reply(res, this.share, head.method === 'HEAD', this.#corsHeaders(head))
    try {
      if (!isFramed(req, head.method, reply)) return reply.leaveHandler()
      const later = this.#dispatch(head, reply, res)
      later?.catch((thrown: unknown) => this.#fail(reply, head, thrown))
    } catch (thrown) {
      this.#fail(reply, head, thrown)
    }
    reply.leaveHandler()
  }

  /** No key is accepted any more. */
  forgetKeys(): void {
    this.#gate.wipe()
  }

  /** Ends the answers that have no end of their own. */
  cutEndless(): void {
    this.#wrongKeys.stop()
    this.#guesses.stop()
    this.#keyWatch.stop()
    this.streams.cutAll()
    this.share.slow.cutAll()
    for (const reply of this.#followers) reply.cut()
  }

  #corsHeaders(head: RequestHead): readonly Header[] {
    return this.#origins.length === 0 ? NO_HEADERS : corsHeaders(head.origin, this.#origins)
  }

  // Answers at once where it can: a promise for a short answer costs more than the answer.
  #dispatch(head: RequestHead, reply: Reply, res: HttpResponse): void | Promise<void> {
    this.#gate.checkPlace(head)
    if (this.#gate.isPreflight(head)) return reply.headersOnly(204, preflightHeaders(), null)
    const match = this.#find(head)
    const holder = this.#checkKey(head, match, reply, res)
    if (holder === null) return
    if (match !== null) this.#gate.checkSession(head, match)
    const asked = { holder, reply, head, address: () => new Uint8Array(res.getRemoteAddress()) }
    if (this.stopping) throw new AppError('NotReady', 'The node is stopping.')
    if (match === null) throw this.#nothingThere()
    const route = routeFor(match, head.method)
    if (route === null) return this.#refuseMethod(reply, match)
    reply.route = route
    const { label } = holder
    const context = label === null ? this.#context : contextOf(this.#context, label, route, match.path)
    if (route.anyOrigin && this.#gate.isForEveryPage(head, match)) reply.allowEveryPage()
    if (!route.whileUpgrading && this.#context.services.state.upgrading) throw new AppError('NotReady', UPGRADING_TEXT)
    if (route.method === 'GET')
      return this.#run(route, context, new Input(match, this.#parameters(route, asked, null), NO_BODY, asked))
    head.keep()
    const run = (body: Buffer): void | Promise<void> => {
      const raw = route.rawBody === null ? NO_BODY : body
      return this.#run(route, context, new Input(match, this.#parameters(route, asked, body), raw, asked))
    }
    return collectBody(reply, this.#bodies, route.longBody ? MAX_BODY_BYTES : MAX_PLAIN_BODY_BYTES).then(body => {
      const looking = route.rawBody === null && isJson(body) ? scanJson(body) : undefined
      return looking === undefined ? run(body) : looking.then(() => run(body))
    })
  }

  /** What is at the path. Never throws: whoever has no key is to hear of that alone. */
  #find(head: RequestHead): PathMatch | null {
    this.#unread = false
    try {
      return this.#router.find(head.path)
    } catch (thrown) {
      this.#unread = true
      if (!this.#unreadTold) this.#reportBug(head, thrown)
      this.#unreadTold = true
      return null
    }
  }

  /** Asked in the same turn as #find(). */
  #nothingThere(): AppError {
    if (this.#unread) return new AppError('NotReady', UNREAD_TEXT)
    return new AppError('NotFound', 'There is nothing at this path; /docs lists what there is.')
  }

  /** Who asks; null when a wrong key is answered later. */
  #checkKey(head: RequestHead, match: PathMatch | null, reply: Reply, res: HttpResponse): KeyHolder | null {
    const address = (): Uint8Array => new Uint8Array(res.getRemoteAddress())
    try {
      const holder = this.#gate.checkKey(
        head,
        match,
        whose => this.#wrongKeys.checkRoom(address, whose?.id ?? null),
        address,
      )
      if (head.queryText !== '') head.forgetKey()
      return holder
    } catch (thrown) {
      const wrong =
        thrown instanceof AppError && thrown.code === 'Unauthorized' && this.#gate.presented(head, match) !== null
      if (!wrong) throw thrown
      this.#wrongKeys.note(address(), () => this.#refuse(reply, thrown))
      return null
    }
  }

  #refuse(reply: Reply, error: AppError): void {
    if (reply.alive) reply.error(error)
  }

  #refuseMethod(reply: Reply, match: PathMatch): void {
    const allow = allowedMethods(match)
    const error = new AppError('MethodNotAllowed', `This path answers to ${allow}.`)
    reply.error(error, [['Allow', allow]])
  }

  #run(route: Route, context: RouteContext, input: Input): void | Promise<void> {
    if (route.kind === 'stream') this.streams.checkRoom()
    if (route.countsGuesses) return this.#runGuess(route, context, input)
    const result = route.run(context, input)
    if (!(result instanceof Promise)) return this.#answer(route, input, result)
    input.head.keep()
    return result.then(value => this.#answer(route, input, value))
  }

  async #runGuess(route: Route, context: RouteContext, input: Input): Promise<void> {
    this.#guesses.checkRoom(input.address, null)
    input.head.keep()
    let result: unknown
    try {
      result = await route.run(context, input)
    } catch (thrown) {
      const wrong = input.reply.alive && thrown instanceof AppError && errorTable[thrown.code].status === 403
      if (!wrong) throw thrown
      return this.#guesses.note(input.address(), () => this.#refuse(input.reply, thrown))
    }
    return this.#answer(route, input, result)
  }

  #answer(route: Route, asked: Input, result: unknown): void | Promise<void> {
    const { reply, head, holder } = asked
    if (!reply.alive) return
    const mayLast = route.slowReaders || (route.kind !== 'json' && route.kind !== 'bytes')
    if (mayLast) {
      const watched = holder.label === null ? holder : watchedHolder(this.#context, holder, asked.path)
      this.#keyWatch.watch(reply, watched, route.scope)
    }
    switch (route.kind) {
      case 'json':
        if (result instanceof PreparedJson) return this.#send(route, asked, result.parts)
        if (result instanceof ListedJson) {
          head.keep()
          return this.#longAnswers.answer(reply, result, parts => this.#send(route, asked, parts))
        }
        return this.#send(route, asked, [Buffer.from(JSON.stringify(withIgnored(result, reply.ignored)))])
      case 'bytes':
        return this.#answerBytes(route, asked, result as BytesReply)
      case 'stream':
        return this.streams.answer(reply, head, result as StreamableFile)
      case 'file':
        return this.streams.attachment(reply, result as FileReply)
      case 'events':
        return this.#answerEvents(reply, head, result as EventsReply)
    }
  }

  #parameters(route: Route, { head, reply }: Pick<Input, 'head' | 'reply'>, body: Buffer | null): unknown {
    if (route.parameters === null) return {}
    if (route.parameters === 'object') return this.#plainObject(body ?? Buffer.alloc(0))
    let check = this.#checks.get(route)
    if (check === undefined) {
      check = new InputCheck(route.parameters, route.oldNames)
      this.#checks.set(route, check)
    }
    const raw = rawParameters(route, head, body)
    const values = check.check(raw)
    if (route.method === 'GET' || route.method === 'DELETE' || route.rawBody !== null) return values
    reply.ignored = check.unknown(raw)
    if (reply.ignored.length === 0 || parsePairs(head.queryText).get('strict') !== '1') return values
    throw new AppError('InvalidParameter', `The body has unknown parameters: ${reply.ignored.join(', ')}.`)
  }

  // Bodies that are an object of their own shape: pairs cannot express it. No body is an empty object.
  #plainObject(body: Buffer): Record<string, unknown> {
    const object = parseJsonObject(body)
    if (object === null && body.toString('latin1').trim() !== '') {
      throw new AppError('BadRequest', 'The body must be a JSON object.')
    }
    return object ?? {}
  }

  #answerBytes(route: Route, asked: Input, reply: BytesReply): void | Promise<void> {
    const { contentType, body, headers, heldBy = '' } = reply
    asked.reply.heldBy = heldBy
    return this.#send(route, asked, [body], { contentType, headers: headers ?? NO_HEADERS })
  }

  /** A whole answer: compressed where its route and its client let it be. */
  #send(route: Route, { reply, head }: Input, parts: readonly Uint8Array[], shown = JSON_SHOWN): void | Promise<void> {
    const { contentType, headers } = shown
    if (route.compressed) return this.#codedAnswers.answer(reply, head, { contentType, parts, headers })
    return reply.parts(200, contentType, parts, headers)
  }

  #answerEvents(reply: Reply, head: RequestHead, answer: EventsReply): void {
    const serverSent = wantsServerSent(head.accept)
    if (reply.headOnly) return reply.headersOnly(200, eventHeaders(serverSent), null)
    if (this.#followers.size >= this.#maxFollowers) {
      throw new AppError('TooManyRequests', `${this.#maxFollowers} clients follow events already; try again.`)
    }
    this.#followers.add(reply)
    reply.onAbort(() => this.#followers.delete(reply))
    try {
      new EventStream(reply, serverSent, this.#eventLines).start(answer, this.#deps.clock)
    } catch (thrown) {
      this.#followers.delete(reply)
      throw thrown
    }
  }

  #fail(reply: Reply, head: RequestHead, thrown: unknown): void {
    // What fails because its client has gone is not an error.
    if (!reply.alive) return
    try {
      if (reply.error(thrown)) this.#reportBug(head, thrown)
    } catch (second) {
      this.#reportBug(head, second)
      reply.cut()
    }
  }

  /** A bug that a request to a further listener met. */
  reportBug(path: string, thrown: unknown): void {
    this.#reportBug({ method: '', path }, thrown)
  }

  #reportBug(head: Pick<RequestHead, 'method' | 'path'>, thrown: unknown): void {
    const stack = thrown instanceof Error ? thrown.stack : String(thrown)
    // The query may hold a key; the path may not.
    this.#log.error('a request failed unexpectedly', { method: head.method, path: head.path, stack })
    this.#deps.onException(thrown)
  }
}

/**
 * False when it is refused: the connection ends with the answer, as it is not known where the next request begins. That
 * comes after the handler, so that the native server takes nothing that follows in the same packet for a request.
 */
function isFramed(req: HttpRequest, method: string, reply: Reply): boolean {
  try {
    checkFraming(req, method)
    return true
  } catch (thrown) {
    reply.closeAfter()
    setImmediate(() => reply.error(thrown))
    return false
  }
}

/** An answer that names what the body had and nobody read. */
function withIgnored(result: unknown, ignored: readonly string[]): unknown {
  const plain = typeof result === 'object' && result !== null && !Array.isArray(result)
  return plain && ignored.length > 0 ? { ...result, ignored } : result
}

function rawParameters(route: Route, head: RequestHead, body: Buffer | null): RawParameters {
  if (route.method === 'GET' || route.rawBody !== null) return parsePairs(head.queryText)
  const fromBody = parseBody(body ?? Buffer.alloc(0))
  if (route.method !== 'DELETE') return fromBody
  return new Map([...parsePairs(head.queryText), ...fromBody])
}
