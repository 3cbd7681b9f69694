// What a route is. Every route of the node is one value of type Route; table.ts lists them all, and routing, checking,
// documentation and tests read nothing else. A route without a sample, a scope or its error codes does not compile.

import type { Static, TObject, TSchema } from '@sinclair/typebox'
import type { ErrorCode } from '../base/errors.ts'
import type { Clock } from '../ports/clock.ts'
import type { KeyScope } from '../ports/key-list.ts'
import type { Services } from '../services/api.ts'
import type { Caller } from '../services/callers-api.ts'
import type { DownloadsService } from '../services/downloads/downloads-api.ts'
import type { StreamableFile } from '../services/downloads/streams-api.ts'
import type { EventsService } from '../services/events/events-api.ts'
import type { GivenLink } from '../ports/viewing/given-links.ts'
import type { StaticFiles } from '../ports/static-files.ts'
import type { LinkSigner } from './links.ts'
import type { RequestMeter } from './request-meter.ts'

/** The methods routes are registered for; HEAD and OPTIONS follow from them. */
export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/** Which keys open a route (decisions part 1); `open` needs none. */
export type Scope = 'open' | KeyScope

/** What a route may use besides the parameters of its request. */
export interface RouteContext {
  readonly services: Services
  readonly links: LinkSigner
  readonly docsFiles: StaticFiles
  readonly dashboardFiles: StaticFiles
  readonly version: string
  /** What the front counts of requests. */
  readonly meter: RequestMeter
  readonly clock: Clock
  /** All routes, for the documentation. */
  readonly routes: RouteTable
}

/** The routes of a node. Most are loaded when they are asked for: a start needs few (decision 0521). */
export interface RouteTable {
  /** Those that are there from the start. */
  readonly atStart: readonly Route[]
  /** The others, those of chapters too; none is at a path of the first. */
  later(): readonly Route[]
  /** All, in the order of the documentation; always the same array. */
  all(): readonly Route[]
}

/** A request as a route sees it: checked, decoded, nothing of the transport. */
export interface RouteInput<Parameters> {
  /** Decoded path segments by name. */
  readonly path: Readonly<Record<string, string>>
  /** From the query (GET, `rawBody`), the body (PUT, POST, PATCH) or both (DELETE), as the schema says. */
  readonly parameters: Parameters
  /** The body as it was sent, for routes with `rawBody`; of others empty. */
  readonly body: Uint8Array
  /** Who asks. */
  readonly caller: Caller
  /**
   * By a key, or where none is asked for: not by a link, which may be in anybody's hands, nor by a key that is bound to
   * a label.
   */
  readonly byKey: boolean
  /** The link that it came by, of those that were given away; null: none. */
  readonly link: GivenLink | null
  /** `http://host:port`, or https, as the client reached the node: its Host was checked. */
  readonly base: string
  /** Comes from this machine or its local network (src/http/near-address.ts). */
  readonly isNear: boolean
  /** The Last-Event-ID header, or an empty text. */
  readonly lastEventId: string
  /** Fires when the client goes away. Made when it is first asked for. */
  readonly signal: AbortSignal
}

/** An answer that is not JSON. */
export interface BytesReply {
  readonly contentType: string
  readonly body: Uint8Array
  readonly headers?: readonly (readonly [string, string])[]
  /** Of a route with slow readers: by what it is asked for; what is asked for by the same has one share of the room. */
  readonly heldBy?: string
}

/**
 * The JSON of a `json` route as bytes, for answers that many clients ask for. They are shared: do not write to them.
 */
export class PreparedJson {
  /** They follow each other. */
  readonly parts: readonly Uint8Array[]

  constructor(parts: readonly Uint8Array[]) {
    this.parts = parts
  }
}

/** Values of a list of any length; each is made when it is taken. */
export type ListedValues = Iterable<unknown> | AsyncIterable<unknown>

/** The text around a list in an answer. */
export interface ListFrame {
  /** Text up to the list. */
  readonly before: string
  /** Text behind it, made when its last value was written. */
  after(): string
}

/**
 * The answer `{"name": [...]}` of a `json` route whose list may be long, or with another frame than that: it is made in
 * turns of the event loop.
 */
export class ListedJson {
  readonly frame: ListFrame
  /** Called once, when the answer has its place among those being made; what it throws is answered as an error. */
  readonly values: () => ListedValues | Promise<ListedValues>

  constructor(frame: string | ListFrame, values: () => ListedValues | Promise<ListedValues>) {
    this.frame = typeof frame === 'string' ? { before: `{${JSON.stringify(frame)}:`, after: () => '}' } : frame
    this.values = values
  }
}

/** An answer that is a file made for it alone, to be kept by the client. Each is read once, from its start. */
export interface FileReply {
  readonly contentType: string
  /** What a client should call it: letters, digits, `.`, `-`. */
  readonly fileName: string
  /** Makes it; not called for HEAD. The caller opens one reader of the file and closes that. */
  open(): Promise<StreamableFile>
}

/** What an event route hands over: where to follow, and from which event on. */
export interface EventsReply {
  readonly events: EventsService
  readonly since: number | null
  /** The follower gets the list of downloads too. */
  readonly downloads: DownloadsService | null
}

/** The kinds of answers, and what `run` gives for each. */
export interface ReplyKinds {
  json: object
  bytes: BytesReply
  stream: StreamableFile
  file: FileReply
  events: EventsReply
}

/** One request that the route answers well; the contract tests send it to a service double. */
export interface Sample {
  /** Path with its segments filled in. */
  readonly path: string
  readonly query?: string
  readonly body?: object
  /** In the place of `body`, for routes with `rawBody`. */
  readonly rawBody?: Uint8Array
  readonly status: 200 | 206
}

/** One route as table.ts lists it; made by route(). */
export interface Route<Kind extends keyof ReplyKinds = keyof ReplyKinds> {
  /** `things.verb`, unique. */
  readonly id: string
  readonly method: Method
  /** `{name}` is one segment, decoded. */
  readonly path: string
  readonly kind: Kind
  readonly scope: Scope
  /** A signed link in `?token=` opens it for GET and HEAD. */
  readonly signedLinks: boolean
  /**
   * Pages of every origin may read what a signed link gives (Access-Control-Allow-Origin: *): players that cast, or run
   * in pages of others, have nothing else. The link is the secret; no browser sends a key of ours by itself.
   */
  readonly anyOrigin: boolean
  /** Its clients are players, which stop reading an answer while they are paused: see src/http/uws/slow-readers.ts. */
  readonly slowReaders: boolean
  /**
   * It speaks as another program does: the key may come as the password of Basic authentication, and every request
   * names the session id that a 409 gave.
   */
  readonly door: boolean
  /**
   * Long answers are compressed for clients that take that. Never where a secret (key, setting, signed link, seed) may
   * stand beside what others write: the length would tell of it (decision 0520).
   */
  readonly compressed: boolean
  /**
   * A secret is in its body, and anybody may send one: what is none of this node is answered the later the more of them
   * came from an address, as wrong keys are.
   */
  readonly countsGuesses: boolean
  /**
   * What a key that is bound to a label gets here (decision 0572). Null: nothing, it is refused. Else the route runs
   * with the downloads and events of the label, and of other services with these alone; a download in the path has the
   * label.
   */
  readonly bound: readonly string[] | null
  /** It answers while the store is being upgraded; those of scope `open` do anyway. */
  readonly whileUpgrading: boolean
  readonly tag: string
  readonly summary: string
  readonly description: string
  /** What the specification of the interface leaves open here, and what this node does: shown as such in /docs. */
  readonly choices: readonly string[]
  /** The body is of this type and handed on as it is; parameters are then in the query. Null: the body has them. */
  readonly rawBody: string | null
  /** The body may be as long as a torrent; of others it is at most 1 MiB. */
  readonly longBody: boolean
  /** Schema of the parameters; `object` = any JSON object, passed on unchecked; null = none. */
  readonly parameters: TObject | 'object' | null
  /** Of `object` parameters, for the documentation: what the body looks like. */
  readonly bodySchema: TSchema | null
  /** Old names of parameters: old -> name. */
  readonly oldNames: Readonly<Record<string, string>>
  /** Schema of the JSON answer; null for the other kinds. */
  readonly reply: TSchema | null
  /** Type of the answer, for the documentation, where the kind alone does not tell. */
  readonly contentType: string | null
  readonly errors: readonly ErrorCode[]
  readonly sample: Sample
  readonly run: (context: RouteContext, input: RouteInput<unknown>) => unknown
}

type ParametersOf<P> = P extends TObject
  ? Static<P>
  : P extends 'object'
    ? Record<string, unknown>
    : Record<string, never>

/**
 * A route whose type says all that those who send requests need to know of it: src/client makes their paths, parameters
 * and replies of these types.
 */
export interface MadeRoute<
  Kind extends keyof ReplyKinds,
  M extends Method,
  Path extends string,
  P extends TObject | 'object' | null,
  R extends TSchema | null,
  Raw extends string | null,
> extends Route<Kind> {
  readonly method: M
  readonly path: Path
  readonly parameters: P
  readonly reply: R
  readonly rawBody: Raw
}

interface RouteParts<
  Kind extends keyof ReplyKinds,
  M extends Method,
  Path extends string,
  P extends TObject | 'object' | null,
  R extends TSchema | null,
  Raw extends string | null,
  Context = RouteContext,
> {
  id: string
  method: M
  path: Path
  kind: Kind
  scope: Scope
  signedLinks?: boolean
  anyOrigin?: boolean
  slowReaders?: boolean
  door?: boolean
  compressed?: boolean
  countsGuesses?: boolean
  bound?: readonly string[]
  whileUpgrading?: boolean
  tag: string
  summary: string
  description?: string
  choices?: readonly string[]
  rawBody?: Raw
  longBody?: boolean
  parameters: P
  bodySchema?: TSchema
  oldNames?: Readonly<Record<string, string>>
  reply: R
  contentType?: string
  errors: readonly ErrorCode[]
  sample: Sample
  run: (
    context: Context,
    input: RouteInput<ParametersOf<P>>,
  ) => R extends TSchema
    ? Static<R> | ListedJson | Promise<Static<R> | PreparedJson | ListedJson>
    : ReplyKinds[Kind] | Promise<ReplyKinds[Kind]>
}

/** Makes a route; the types of parameters and answer follow from its schemas. */
export function route<
  Kind extends keyof ReplyKinds,
  M extends Method,
  const Path extends string,
  P extends TObject | 'object' | null,
  R extends TSchema | null,
  Raw extends string | null = null,
>(parts: RouteParts<Kind, M, Path, P, R, Raw>): MadeRoute<Kind, M, Path, P, R, Raw> {
  return {
    ...parts,
    signedLinks: parts.signedLinks ?? false,
    anyOrigin: parts.anyOrigin ?? false,
    slowReaders: parts.slowReaders ?? false,
    door: parts.door ?? false,
    compressed: parts.compressed ?? false,
    countsGuesses: parts.countsGuesses ?? false,
    bound: parts.bound ?? null,
    whileUpgrading: parts.whileUpgrading ?? parts.scope === 'open',
    description: parts.description ?? '',
    choices: parts.choices ?? [],
    contentType: parts.contentType ?? null,
    // Without one the type is null, by its default.
    rawBody: (parts.rawBody ?? null) as Raw,
    longBody: parts.longBody ?? parts.rawBody !== undefined,
    bodySchema: parts.bodySchema ?? null,
    oldNames: parts.oldNames ?? {},
    // The parameters were checked against `parts.parameters` before run is called (checked-input.ts).
    run: (context, input) => parts.run(context, input as RouteInput<ParametersOf<P>>),
  }
}

/** The context of routes that use services of a chapter too. */
export interface ChapterContext<Own extends object> extends RouteContext {
  readonly services: Services & Own
}

/** route() for a chapter: `Own` is what its routes use beside the services of the core. */
export function routeWith<Own extends object>() {
  return <
    Kind extends keyof ReplyKinds,
    M extends Method,
    const Path extends string,
    P extends TObject | 'object' | null,
    R extends TSchema | null,
    Raw extends string | null = null,
  >(
    parts: RouteParts<Kind, M, Path, P, R, Raw, ChapterContext<Own>>,
  ): MadeRoute<Kind, M, Path, P, R, Raw> =>
    // The services of an opened chapter are there with its routes (src/node/services.ts).
    route({ ...parts, run: (context, input) => parts.run(context as ChapterContext<Own>, input) })
}
