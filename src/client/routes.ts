// What the types of routes say of requests and answers. Types alone, and of no library: whatever has these members is
// a route (src/http/route.ts makes them).

/** What the type of a route says. */
export interface RouteShape {
  readonly method: string
  /** `{name}` is one segment. */
  readonly path: string
  /** `json`, or how else it answers. */
  readonly kind: string
  /** The type of a body that is not JSON: then the parameters are in the query. */
  readonly rawBody: string | null
  /** A schema, whose `static` is the type of what it describes; `object`: any JSON object. */
  readonly parameters: { readonly static: unknown } | 'object' | null
  readonly reply: { readonly static: unknown } | null
}

/** `GET /downloads/{infohash}` -> that route. */
export type RouteMap = Readonly<Record<string, RouteShape>>

/** Whether an object without members is one. */
export type MayBeEmpty<T> = Partial<T> extends T ? true : false

/** The names of routes; never for a path that the type does not know to the last letter. */
type KnownName<Name extends string> = MayBeEmpty<Record<Name, unknown>> extends true ? never : Name

/** The map of a list of routes, as a file of routes exports it. */
export type RoutesOf<List extends readonly RouteShape[]> = {
  readonly [R in List[number] as KnownName<`${R['method']} ${R['path']}`>]: R
}

/** Names of routes. */
export type RouteName<Routes extends RouteMap> = keyof Routes & string

/** Names of those that answer JSON. */
export type JsonRouteName<Routes extends RouteMap> = {
  [Name in RouteName<Routes>]: Routes[Name]['kind'] extends 'json' ? Name : never
}[RouteName<Routes>]

/** What a route answers. */
export type ReplyOf<Routes extends RouteMap, Name extends RouteName<Routes>> = Routes[Name]['reply'] extends {
  readonly static: infer Reply
}
  ? Reply
  : never

/** As it may be given: nothing in it is written to. */
type Given<T> = T extends readonly (infer One)[]
  ? readonly Given<One>[]
  : T extends object
    ? { readonly [Key in keyof T]: Given<T[Key]> }
    : T

/** What a route takes beside its path; never for one that takes nothing. */
export type ParametersOf<Routes extends RouteMap, Name extends RouteName<Routes>> = ParametersIn<
  Routes[Name]['parameters']
>

type ParametersIn<P> = P extends { readonly static: infer Parameters }
  ? Given<Parameters>
  : P extends 'object'
    ? Readonly<Record<string, unknown>>
    : never

/** Names of the segments of a path. */
export type SegmentsOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | SegmentsOf<Rest>
  : never

type PathPart<Path extends string> = [SegmentsOf<Path>] extends [never]
  ? { readonly path?: undefined }
  : { readonly path: Readonly<Record<SegmentsOf<Path>, string | number>> }

type ParametersPart<Parameters> = [Parameters] extends [never]
  ? { readonly parameters?: undefined }
  : MayBeEmpty<Parameters> extends true
    ? { readonly parameters?: Parameters }
    : { readonly parameters: Parameters }

type RawPart<RawBody, Raw> = RawBody extends string ? { readonly raw: Raw } : { readonly raw?: undefined }

/** What a request to a route is made of. `Raw`: bodies that are not JSON; `Signal`: what gives a request up. */
export type Asked<R extends RouteShape, Raw, Signal> = PathPart<R['path']> &
  ParametersPart<ParametersIn<R['parameters']>> &
  RawPart<R['rawBody'], Raw> & { readonly signal?: Signal }

/** The same as arguments: it may be left out where all of it may. */
export type AskedArguments<R extends RouteShape, Raw, Signal> =
  MayBeEmpty<Asked<R, Raw, Signal>> extends true ? [asked?: Asked<R, Raw, Signal>] : [asked: Asked<R, Raw, Signal>]
