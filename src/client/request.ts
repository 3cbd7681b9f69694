// A request, made of the name of its route: segments into the path; parameters into the query of GET and of what has a
// body of its own, into the body of everything else. Pure.

/** A request as it is sent. */
export interface SentRequest<Raw> {
  readonly method: string
  /** From `/` on, with the query. */
  readonly path: string
  /** JSON, or as it is; undefined: none. */
  readonly body: object | Raw | undefined
}

/** What a request is made of, whatever its route. */
export interface RequestParts<Raw> {
  readonly path?: Readonly<Record<string, string | number>> | undefined
  readonly parameters?: object | undefined
  readonly raw?: Raw | undefined
}

/** `name`: a method, a blank, a path with `{name}` for segments. */
export function requestOf<Raw>(name: string, { path = {}, parameters, raw }: RequestParts<Raw>): SentRequest<Raw> {
  const [method = '', pattern = ''] = name.split(' ')
  const filled = pattern.replace(/\{(\w+)\}/g, (_, segment: string) => encodeURIComponent(path[segment] ?? ''))
  if (method !== 'GET' && raw === undefined) return { method, path: filled, body: parameters ?? {} }
  const query = queryOf(parameters ?? {})
  return { method, path: query === '' ? filled : `${filled}?${query}`, body: raw }
}

/** Lists are `name[]=` once for each value; what is undefined is left out. */
function queryOf(parameters: object): string {
  return Object.entries(parameters)
    .flatMap(([name, value]: [string, unknown]) =>
      Array.isArray(value)
        ? value.map(one => pairOf(`${name}[]`, one))
        : value === undefined
          ? []
          : [pairOf(name, value)],
    )
    .join('&')
}

function pairOf(name: string, value: unknown): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`
}
